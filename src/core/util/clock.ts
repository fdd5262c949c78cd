import type { Disposable } from './lifetime.ts';

/** Where time comes from; tests bring one that is moved by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after `delayMs` milliseconds, unless disposed before. */
  after(delayMs: number, callback: () => void): Disposable;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return { dispose: () => clearTimeout(timer) };
  },
};

/** Resolves after `delayMs` milliseconds of `clock`, or at once when `signal` is aborted. Never rejects. */
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

/** Resolves with true once `work` settles, or with false after `limitMs` milliseconds of `clock`. Never rejects. */
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
