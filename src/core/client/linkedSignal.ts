/** A signal that follows others, until it is let go. */
interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Lets the others go; to be called when the work is done, or long-lived signals would gather listeners. */
  readonly release: () => void;
}

/**
 * Makes a signal that is aborted as soon as one of `signals` is; where there is only one, it is that. Absent ones are
 * passed over.
 */
export function linkSignals(first: AbortSignal, ...others: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const signals = [first, ...others.filter((signal) => signal !== undefined).filter((signal) => signal !== first)];
  if (signals.length === 1) return { signal: first, release: () => undefined };
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  for (const signal of signals) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  }
  const release = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}
