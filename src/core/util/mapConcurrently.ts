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
