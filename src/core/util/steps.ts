import { setImmediate } from 'node:timers/promises';

/** Long work in small steps. Yields after each step and returns the result. */
export type Steps<T> = Generator<undefined, T>;

/** A longer turn would delay input and animations. */
const maxTurnMs = 20;

/** Runs all steps without interruption. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs all steps, and lets other work run in between. Rejects with the signal's reason if it is aborted. */
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
