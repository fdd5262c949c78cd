import { systemClock, wait } from '../../src/core/util/clock.ts';

/**
 * Polls every `intervalMs` milliseconds until `ask` resolves to a value; fails after `limitMs` milliseconds. For
 * conditions without an event.
 */
export async function eventually<T>(ask: () => Promise<T | undefined>, limitMs = 120_000, intervalMs = 10): Promise<T> {
  const endMs = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > endMs) throw new Error(`Nothing came within ${limitMs} ms.`);
    await wait(systemClock, intervalMs);
  }
}
