const mayDiffer = /[\uD800-\uFFFF]/;

/**
 * Compares two paths as SQLite does, byte by byte of their UTF-8, so that a walk through a folder and the catalogue's
 * rows go in one order. Negative, 0 or positive.
 */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  if (mayDiffer.test(one) && mayDiffer.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

/** Sorts in place, in the order of {@link comparePaths}. */
export function sortPaths(paths: string[]): string[] {
  return paths.some((path) => mayDiffer.test(path)) ? paths.sort(comparePaths) : paths.sort();
}

/** The paths below a folder, as the ends of a range in that order: above `from` and below `to`; empty is the root. */
export function rangeBelow(folder: string): { readonly from: string; readonly to: string } {
  return folder === '' ? { from: '', to: '\u{10FFFF}' } : { from: `${folder}/`, to: `${folder}0` };
}

/** The folder of a path; empty for one at the root. */
export function folderOfPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The last part of a path. */
export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
