/**
 * Maps a list with at most `limit` concurrent calls and preserves its order. Rejects on the first failure. Each failure
 * ends one worker; the others continue with the remaining items.
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
