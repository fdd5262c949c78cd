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

/** A range in the order of the paths: above `from` and below `to`. */
export interface PathRange {
  readonly from: string;
  readonly to: string | Uint8Array;
}

/** In SQLite every text stands before what is no text. */
const afterAllTexts = new Uint8Array();

/** The paths below a folder; empty is the root. */
export function rangeBelow(folder: string): PathRange {
  return folder === '' ? { from: '', to: afterAllTexts } : { from: `${folder}/`, to: `${folder}0` };
}

/** The folder of a path; empty for one at the root. */
export function folderOfPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The last part of a path. */
export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
