import { parseJsonObject } from '../../core/util/json.ts';
import { findRclonePath } from '../../core/util/rclonePath.ts';
import { startRclone } from './rcloneChild.ts';
import { collectOutput } from './rcloneOutput.ts';
import type { ScannedStore } from './storeScan.ts';

/** Returns a store's free space in bytes; undefined if it cannot be determined. Never rejects. */
export async function readFreeBytes(
  { remote, rclone }: ScannedStore,
  signal: AbortSignal,
): Promise<number | undefined> {
  const program = findRclonePath(rclone);
  if (program === undefined) return undefined;
  const free = await runAbout(program, remote, signal).catch(() => undefined);
  return typeof free === 'number' && Number.isSafeInteger(free) && free >= 0 ? free : undefined;
}

async function runAbout(program: string, remote: string, signal: AbortSignal): Promise<unknown> {
  const { code, text } = await collectOutput(startRclone(program, ['about', '--json', '--', remote]), signal);
  return code === 0 ? parseJsonObject(text)?.['free'] : undefined;
}
