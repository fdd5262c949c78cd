import { systemClock, wait } from '../../src/core/util/clock.ts';

/**
 * Calls `check` every `intervalMs` milliseconds until it resolves to a value other than undefined, and returns the
 * value. Rejects after `limitMs` milliseconds. For conditions that no event reports.
 */
export async function eventually<T>(
  check: () => Promise<T | undefined>,
  limitMs = 120_000,
  intervalMs = 10,
): Promise<T> {
  const endMs = Date.now() + limitMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (Date.now() > endMs) throw new Error(`Nothing came within ${limitMs} ms.`);
    await wait(systemClock, intervalMs);
  }
}
