import { setTimeout as pause } from 'node:timers/promises';

/** Long enough for a window that loads on a busy machine. A wait ends as soon as its condition is met. */
export const waitLimitMs = 90_000;
const firstIntervalMs = 80;
/** Later checks are less frequent, because each one takes processor time from the window. */
const lastIntervalMs = 240;

/** Calls `ask` repeatedly until it returns a value other than `undefined`. The error after the limit names `what`. */
export async function until<T>(
  what: string | (() => string),
  ask: () => Promise<T | undefined>,
  waitMs = waitLimitMs,
): Promise<T> {
  const end = performance.now() + waitMs;
  for (let intervalMs = firstIntervalMs; ; intervalMs = Math.min(intervalMs + 20, lastIntervalMs)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end)
      throw new Error(`Waited ${waitMs / 1000} s in vain for ${typeof what === 'string' ? what : what()}.`);
    await pause(intervalMs);
  }
}
