import assert from 'node:assert/strict';

/** The size of the large input divided by that of the small one. */
const factor = 16;
/** Maximum ratio of the times. The ratio is about 16 for linear time and 256 for quadratic time. */
const maxRatio = 64;
/** Lower limit for a measured time, because processor time is counted in steps of up to 16 ms. */
const minTimeUs = 16_000;

/**
 * Throws if the processor time of `work` grows much faster than the size of its input. Compares `largeSize`, a multiple
 * of 16, with a sixteenth of it in the same process, so that the speed of the machine doesn't matter. For the small
 * input, the longest of three runs counts.
 */
export async function assertLinearTime(largeSize: number, work: (size: number) => unknown): Promise<void> {
  const smallSize = largeSize / factor;
  // The first run also loads and compiles code, so it isn't measured.
  await work(smallSize);
  const small: number[] = [];
  for (let run = 0; run < 3; run += 1) small.push(await measure(work, smallSize));
  const large = await measure(work, largeSize);
  const ratio = large / Math.max(...small);
  const text = `${ratio.toFixed(1)} times as long: ${String(large)} µs after ${small.join(', ')} µs`;
  assert.ok(ratio < maxRatio, `${String(factor)} times the size takes ${text}`);
}

/** Returns the processor time of this process during `work`, in microseconds. */
async function measure(work: (size: number) => unknown, size: number): Promise<number> {
  const before = process.cpuUsage();
  await work(size);
  const { user, system } = process.cpuUsage(before);
  return Math.max(user + system, minTimeUs);
}
