import { readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { isRemoteType } from '../../core/util/remoteFolder.ts';

/** What a folder is now. */
export interface FolderState {
  /** Another one when another folder stands in its place. */
  readonly identity: string;
  /** Whether other machines may change what it holds, of which this one is not told. */
  readonly isRemote: boolean;
}

/** Looks at a folder; undefined when it is not there, no folder, or cannot be read. Never rejects. */
export async function folderState(folder: string): Promise<FolderState | undefined> {
  try {
    const opened = await fs.opendir(folder);
    await opened.close();
    const [{ dev, ino }, { type }] = await Promise.all([fs.stat(folder), fs.statfs(folder)]);
    return { identity: `${dev}:${ino}`, isRemote: isRemoteType(type) };
  } catch {
    return undefined;
  }
}

const usualWatches = 8_192;
const mostWatches = 50_000;

/** How many folders may be watched: a share of what the system has, since the editor and others want some too. */
export function watchBound(): number {
  try {
    const systems = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    return Math.min(mostWatches, Math.floor(systems / 3));
  } catch {
    return usualWatches;
  }
}
