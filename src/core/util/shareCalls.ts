/**
 * Wraps `call` so that only one call for each argument runs at a time. Concurrent calls with the same argument share
 * the result. `limit` wraps the promise of each call. Callers share the promise that it returns, even if that settles
 * first: until the call itself has settled, later callers get the same outcome.
 */
export function shareCalls<T>(
  call: (argument: string) => Promise<T>,
  limit = async (running: Promise<T>): Promise<T> => await running,
): (argument: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return async (argument) => {
    const known = running.get(argument);
    if (known !== undefined) return await known;
    const shared = limit(call(argument).finally(() => running.delete(argument)));
    running.set(argument, shared);
    return await shared;
  };
}
