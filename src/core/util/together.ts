/** Does the same with many, at most `atOnce` of them at a time; results in the order of `all`. Rejects with the first failure. */
export async function together<T, R>(all: readonly T[], atOnce: number, act: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const rest = all.entries();
  const work = async (): Promise<void> => {
    for (const [place, one] of rest) results[place] = await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, work));
  return results;
}
