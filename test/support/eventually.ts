import { systemClock, wait } from '../../src/core/util/clock.ts';

/** Asks again and again until there is an answer; fails after `limitMs` milliseconds. For what only can be polled. */
export async function eventually<T>(ask: () => Promise<T | undefined>, limitMs = 10_000): Promise<T> {
  const endMs = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > endMs) throw new Error(`Nothing came within ${limitMs} ms.`);
    await wait(systemClock, 10);
  }
}
