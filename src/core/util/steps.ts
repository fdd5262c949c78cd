import { setImmediate } from 'node:timers/promises';

/** A long computation that yields after each small step and returns the result. */
export type Steps<T> = Generator<undefined, T>;

/** The maximum time between two pauses. Without pauses, long work would delay input and animations. */
const maxTurnMs = 20;

/** Runs all steps without interruption and returns the result. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs all steps with pauses for other work, and resolves to the result. Rejects with the signal's reason if the signal
 * is aborted.
 */
export async function runStepsInTurns<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const until = performance.now() + maxTurnMs;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await setImmediate();
    signal.throwIfAborted();
  }
}
