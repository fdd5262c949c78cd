import { readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { isRemoteType } from '../../core/util/remoteFolder.ts';
import { limitFolderCalls } from '../folderCalls.ts';

/** The facts that show if a folder was replaced, and if it can change without a notification. */
export interface FolderState {
  /** A value that changes if a different folder replaces this one. */
  readonly identity: string;
  /** True if other machines may change the folder without this machine being notified. */
  readonly isRemote: boolean;
}

/**
 * Returns the state of a folder, or undefined if it is missing, unreadable or not a folder. Rejects with an error
 * whose code is `ETIMEDOUT` if its disk doesn't respond within five seconds (D42: hanging disks).
 */
export const getFolderState = limitFolderCalls(async (folder): Promise<FolderState | undefined> => {
  try {
    const opened = await fs.opendir(folder);
    await opened.close();
    // One after the other, because each call occupies a thread while the disk hangs.
    const { dev, ino } = await fs.stat(folder);
    const { type } = await fs.statfs(folder);
    return { identity: `${dev}:${ino}`, isRemote: isRemoteType(type) };
  } catch {
    return undefined;
  }
});

const defaultWatches = 8_192;
const maxWatches = 50_000;

/**
 * Returns the maximum number of folders to watch. On Linux, this is at most a third of the system limit, which other
 * programs share.
 */
export function getMaxWatches(): number {
  try {
    const systemLimit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    return Math.min(maxWatches, Math.floor(systemLimit / 3));
  } catch {
    return defaultWatches;
  }
}
