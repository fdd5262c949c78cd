import { stat } from 'node:fs/promises';
import type { Clock } from '../util/clock.ts';

/** The precision of modification times on the least precise file system, FAT. */
const precisionMs = 2_000;

/** Returns the time at which a folder was last modified, in milliseconds since 1970; undefined if it can't be read. */
export async function readModificationTime(folder: string): Promise<number | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  return stats?.mtimeMs;
}

/**
 * Returns true if any later change will give the folder a different modification time; false if the time is unknown.
 */
export function isDistinctTime(modifiedAt: number | undefined, clock: Clock): modifiedAt is number {
  return modifiedAt !== undefined && modifiedAt < clock.now() - precisionMs;
}
