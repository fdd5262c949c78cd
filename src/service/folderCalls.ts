import * as fs from 'node:fs/promises';
import { settlesWithin, systemClock, type Clock } from '../core/util/clock.ts';
import { shareCalls } from '../core/util/concurrentCalls.ts';
import { toFreeBytes } from '../core/util/fileSystem.ts';

const checkIntervalMs = 250;
/** Number of checks, over a total of five seconds, after which a disk counts as hanging. */
const maxChecks = 20;

/**
 * Wraps `call`, which accesses a folder whose disk may hang (D42: hanging disks). Concurrent calls for a folder share
 * the result. If `call` takes longer than five seconds, they reject with an error whose code is `ETIMEDOUT`, and so do
 * later calls until `call` settles. `call` isn't repeated before then, because each hanging call occupies one of the
 * few threads that all asynchronous file system calls of the process share.
 */
export function limitFolderCalls<T>(
  call: (folder: string) => Promise<T>,
  clock: Clock = systemClock,
): (folder: string) => Promise<T> {
  return shareCalls(call, async (running) => {
    // Waits in short steps, so that a response doesn't seem late if it arrived during a long search on this thread.
    for (let check = 0; check < maxChecks; check += 1)
      if (await settlesWithin(clock, checkIntervalMs, running)) return await running;
    throw Object.assign(new Error('The disk does not respond.'), { code: 'ETIMEDOUT' });
  });
}

interface FolderInspection {
  /** The path with links resolved; absent if resolving them fails. */
  readonly realPath?: string | undefined;
  /** True for a folder, or a link to a folder. */
  readonly isFolder: boolean;
  /** Number of free bytes on the file system; absent if it is unknown. */
  readonly freeBytes?: number | undefined;
}

/** Inspects a folder: missing if its disk is silent for five seconds (D42: hanging disks). Never rejects. */
export async function inspectFolder(folder: string): Promise<FolderInspection> {
  return await inspect(folder).catch(() => ({ isFolder: false }));
}

/** Returns true if a path has an entry of any kind, even a link to nothing; false also if its disk doesn't respond. */
export async function hasEntry(path: string): Promise<boolean> {
  return await lookUp(path).catch(() => false);
}

const lookUp = limitFolderCalls(async (path) => Boolean(await fs.lstat(path)));

const inspect = limitFolderCalls(async (folder): Promise<FolderInspection> => {
  // One after the other, because each call occupies a thread while the disk hangs.
  const realPath = await fs.realpath(folder).catch(() => undefined);
  const stats = await fs.stat(folder).catch(() => undefined);
  const space = await fs.statfs(folder).catch(() => undefined);
  return { realPath, isFolder: stats?.isDirectory() ?? false, freeBytes: space && toFreeBytes(space) };
});
