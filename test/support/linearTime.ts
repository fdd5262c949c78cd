import assert from 'node:assert/strict';

/** How much larger the large input is than the small one. */
const factor = 16;
/** Time in proportion to the size is 16 times as much, time in proportion to its square 256 times. */
const maxRatio = 64;

/**
 * Fails if the processor time of `work` grows faster than the size of its input: compares `largeSize` with a sixteenth
 * of it, on the same machine at the same time. The small input counts with the longest of three runs.
 */
export async function assertLinearTime(largeSize: number, work: (size: number) => unknown): Promise<void> {
  const small: number[] = [];
  for (let run = 0; run < 3; run += 1) small.push(await measure(work, largeSize / factor));
  const large = await measure(work, largeSize);
  const ratio = large / Math.max(...small);
  assert.ok(ratio < maxRatio, `${String(factor)} times the size takes ${ratio.toFixed(1)} times as long`);
}

/** Returns the processor time of this process during `work`, in microseconds. */
async function measure(work: (size: number) => unknown, size: number): Promise<number> {
  const before = process.cpuUsage();
  await work(size);
  const { user, system } = process.cpuUsage(before);
  return Math.max(user + system, 1_000);
}
