import type { Disposable } from './lifetime.ts';

/** Provides the current time and timers. Tests inject a manual clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after `delayMs` milliseconds, unless the returned timer is disposed of first. */
  after(delayMs: number, callback: () => void): Disposable;
}

/** The longest delay that Node.js timers support, about 24 days. */
const maxDelayMs = 2 ** 31 - 1;

/** The system clock. An infinite delay never ends, but keeps the process running until its timer is disposed of. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    let timer: NodeJS.Timeout;
    const start = (restMs: number): void => {
      const next = restMs > maxDelayMs ? (): void => start(restMs - maxDelayMs) : callback;
      timer = setTimeout(next, Math.min(restMs, maxDelayMs));
    };
    start(delayMs);
    return { dispose: () => clearTimeout(timer) };
  },
};

/**
 * Returns true if `atMs` is less than `periodMs` milliseconds ago. A time in the future isn't recent, because the clock
 * must have been set back since then.
 */
export function isRecent(clock: Clock, atMs: number, periodMs: number): boolean {
  const ageMs = clock.now() - atMs;
  return ageMs >= 0 && ageMs < periodMs;
}

/**
 * Returns the delay before the next attempt after consecutive failures: none without a failure, `firstMs` after the
 * first one, and twice as long after each further one, up to `maxMs`.
 */
export function getBackoffMs(failures: number, firstMs: number, maxMs = Infinity): number {
  return failures === 0 ? 0 : Math.min(firstMs * 2 ** (failures - 1), maxMs);
}

/**
 * Varies a delay by up to a quarter, so that several programs don't retry at the same time. `random` is from 0 to 1.
 */
export function addJitter(delayMs: number, random = Math.random()): number {
  return delayMs * (0.75 + random / 2);
}

/** Resolves after `delayMs` milliseconds on `clock`, or immediately when `signal` is aborted. Never rejects. */
export async function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      timer.dispose();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(delayMs, done);
    signal?.addEventListener('abort', done);
  });
}

/** Resolves to true once `work` settles, or to false after `limitMs` milliseconds on `clock`. Never rejects. */
export async function settlesWithin(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const limit = clock.after(limitMs, () => resolve(false));
    const settle = (): void => {
      limit.dispose();
      resolve(true);
    };
    work.then(settle, settle);
  });
}
