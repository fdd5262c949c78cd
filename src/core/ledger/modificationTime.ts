import { stat } from 'node:fs/promises';
import type { Clock } from '../util/clock.ts';

/** The precision of modification times on the least precise file system, FAT. */
const precisionMs = 2_000;

/**
 * Returns the time when a folder was last modified, in milliseconds since 1970; NaN if the folder can't be read. NaN
 * never equals another time.
 */
export async function readModificationTime(folder: string): Promise<number> {
  return await stat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.NaN,
  );
}

/** Returns true if `modifiedAt` is old enough that any later change results in a different modification time. */
export function isDistinctTime(modifiedAt: number, clock: Clock): boolean {
  return modifiedAt < clock.now() - precisionMs;
}
