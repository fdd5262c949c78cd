import { setTimeout as pause } from 'node:timers/promises';

/**
 * Default time limit in milliseconds: long enough for a window to load on a busy machine. A wait ends as soon as its
 * condition is met.
 */
export const waitLimitMs = 90_000;
const firstIntervalMs = 80;
/**
 * Maximum interval between checks, in milliseconds. Later checks are less frequent, because each one takes processor
 * time from the window.
 */
const lastIntervalMs = 240;

/**
 * Calls `check` repeatedly until it resolves to a value other than `undefined`, and returns that value. After `waitMs`
 * milliseconds, throws an error that names `what`.
 */
export async function until<T>(
  what: string | (() => string),
  check: () => Promise<T | undefined>,
  waitMs = waitLimitMs,
): Promise<T> {
  const end = performance.now() + waitMs;
  for (let intervalMs = firstIntervalMs; ; intervalMs = Math.min(intervalMs + 20, lastIntervalMs)) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() > end)
      throw new Error(`Waited ${waitMs / 1000} s in vain for ${typeof what === 'string' ? what : what()}.`);
    await pause(intervalMs);
  }
}
