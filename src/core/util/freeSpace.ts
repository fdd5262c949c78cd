import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const maxWaitMs = 1_000;

/**
 * Resolves to the number of free bytes on a folder's file system; undefined if it can't be read within a second. Never
 * rejects.
 */
export async function readFreeBytes(folder: string): Promise<number | undefined> {
  const timeout = delay(maxWaitMs, undefined, { ref: false });
  return await Promise.race([readFileSystem(folder), timeout]);
}

async function readFileSystem(folder: string): Promise<number | undefined> {
  try {
    return toFreeBytes(await statfs(folder));
  } catch {
    return undefined;
  }
}

/** Returns the number of free bytes of a file system; undefined if it reports no size, like some FUSE file systems. */
export function toFreeBytes({ blocks, bavail, bsize }: StatsFs): number | undefined {
  return blocks === 0 ? undefined : bavail * bsize;
}
