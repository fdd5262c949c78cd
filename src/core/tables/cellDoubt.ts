/**
 * The reason why a cell's text may not be what its author meant. `rounded`: an integer that may have lost its last
 * digits. `padded`: the cell shows a number with leading zeros or other text, as `0012` or `SRR12`; `other` is the
 * number alone. `formatted`: a number that is shown with other text, which isn't known. `noValue`: a formula whose
 * value isn't stored.
 */
export type CellDoubt =
  { readonly kind: 'rounded' | 'formatted' | 'noValue' } | { readonly kind: 'padded'; readonly other: string };

/** Returns a cell's key in a table's `doubts`. The column is counted from 0. */
export function getCellKey(line: number, column: number): string {
  return `${line}/${column}`;
}
