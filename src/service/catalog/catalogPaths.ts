const mayDiffer = /[\uD800-\uFFFF]/;

/** Compares two paths by their UTF-8 bytes, as SQLite does. Walks and catalog rows therefore have the same order. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  if (mayDiffer.test(one) && mayDiffer.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

/** Sorts an array of paths in place, in the order of {@link comparePaths}, and returns it. */
export function sortPaths(paths: string[]): string[] {
  return paths.some((path) => mayDiffer.test(path)) ? paths.sort(comparePaths) : paths.sort();
}

/** A range of paths greater than `from` and less than `to`. */
export interface PathRange {
  readonly from: string;
  readonly to: string | Uint8Array;
}

/** A value greater than every path, because SQLite sorts text before blobs. */
const afterAllTexts = new Uint8Array();

/** Returns the range of all paths below a folder, or of all paths if `folder` is empty. */
export function getRangeBelow(folder: string): PathRange {
  return folder === '' ? { from: '', to: afterAllTexts } : { from: `${folder}/`, to: `${folder}0` };
}

/** Returns a path's parent folder; empty for a path at the root. */
export function getParentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the last part of a path. */
export function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const partFile = /\.part-[0-9a-f-]{36}$/;
const hiddenPart = /(?:^|\/)\.|\.part-[0-9a-f-]{36}(?:\/|$)/;

/** Returns true for names that aren't served: those with a leading dot, and those of unfinished copies. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || partFile.test(name);
}

/** Returns true for a path that isn't served because a part of it is hidden. */
export function hasHiddenPart(path: string): boolean {
  return hiddenPart.test(path);
}
