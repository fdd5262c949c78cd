/**
 * Returns a signal that is aborted when any of the given signals is aborted. Ignores undefined signals. The caller must
 * call `release` when the signal is no longer needed.
 */
export function linkSignals(
  first: AbortSignal,
  ...others: readonly (AbortSignal | undefined)[]
): { readonly signal: AbortSignal; readonly release: () => void } {
  if (others.every((signal) => signal === undefined || signal === first)) return { signal: first, release: doNothing };
  const signals = [first, ...others.filter((signal) => signal !== undefined)];
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  }
  const release = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}

function doNothing(): void {
  // Nothing was linked.
}
