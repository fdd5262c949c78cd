/**
 * Wraps `call` so that only one call for each argument runs at a time. Concurrent calls with the same argument share
 * the result. `limit` wraps the promise of each call. If the wrapped promise settles before the call does, later
 * callers also get its outcome, until the call has settled.
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
