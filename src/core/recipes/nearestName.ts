/** Returns the known name most similar to a misspelled one of at most 100 characters; undefined if none is. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const comparable = known.filter((one) => Math.max(name.length, one.length) <= maxLength);
  const ranked = comparable.map((one) => ({ one, distance: getDistance(lower, one.toLowerCase()) }));
  const similar = ranked.filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 2)));
  return similar.sort((a, b) => a.distance - b.distance)[0]?.one;
}

/** Maximum length of the names to compare. The comparison time grows with the square of the length. */
const maxLength = 100;

/** Returns the edit distance: the minimum number of characters to insert, delete or replace. */
function getDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at += 1) row = getNextRow(row, at, one.charAt(at), other);
  return row.at(-1) ?? 0;
}

function getNextRow(row: readonly number[], at: number, letter: string, other: string): number[] {
  const next = [at + 1];
  for (let index = 0; index < other.length; index += 1) {
    const replaced = (row[index] ?? 0) + (other[index] === letter ? 0 : 1);
    next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
  }
  return next;
}
