/** The reasons why a listing of a folder or a store leaves something out, as the local service names them. */
export const leftOutKinds = [
  'hidden',
  'unreadable',
  'missingContent',
  'outsideLinks',
  'folderLinks',
  'invalidNames',
  'specialFiles',
  'unknownSizes',
] as const;

/** A reason why a listing leaves something out. */
export type LeftOutKind = (typeof leftOutKinds)[number];

/** The number of names that a listing leaves out, by reason; without zeros. A hidden folder counts as one. */
export type LeftOutCounts = { readonly [K in LeftOutKind]?: number };

/**
 * Returns the path of a folder as it begins the paths of its files: without slashes at its ends, or `./` before it;
 * empty for the whole database, which `.` and `/` mean.
 */
export function trimFolder(folder: string): string {
  return folder.replace(/^(?:\.?\/)+|\/+$|^\.$/g, '');
}
