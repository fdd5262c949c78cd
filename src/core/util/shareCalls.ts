/**
 * Wraps `call` so that only one call for each argument runs at a time. Concurrent calls with the same argument share
 * the result.
 */
export function shareCalls<T>(call: (argument: string) => Promise<T>): (argument: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return async (argument) => {
    const known = running.get(argument);
    if (known !== undefined) return await known;
    const started = call(argument).finally(() => running.delete(argument));
    running.set(argument, started);
    return await started;
  };
}
