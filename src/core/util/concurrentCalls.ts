/**
 * Maps a list with at most `limit` concurrent calls. Resolves to the results in the order of the list. Rejects on the
 * first failure. Mapping then continues, but each failure reduces the number of concurrent calls by one.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}

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
