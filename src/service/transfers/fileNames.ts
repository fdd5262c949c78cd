import type { TransferRecordFile } from './journal.ts';

/** A file that may have been replaced by another one with a similar name. */
interface UnlistedFile {
  readonly path: string;
  /** The similar path in the listing. */
  readonly listedPath: string;
}

/** Converts a path to lowercase NFC, so that paths compare equal if a file system or store might conflate them. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/**
 * Returns the files that are missing from a listing, probably because files with similar paths replaced them. Similar
 * paths differ only in case or normalization. Ignores a group of similar paths if the listing contains none of them, or
 * at least as many similar paths as the group.
 */
export function findUnlisted(files: readonly TransferRecordFile[], listed: Iterable<string>): readonly UnlistedFile[] {
  const groups = groupSimilar(files.map(({ path }) => path));
  if (groups.size === 0) return [];
  const listedGroups = groupSimilar(listed, 1);
  return [...groups].flatMap(([key, paths]) => {
    const [listedPath, ...others] = listedGroups.get(key) ?? [];
    if (listedPath === undefined || 1 + others.length >= paths.length) return [];
    return paths.filter((path) => path !== listedPath && !others.includes(path)).map((path) => ({ path, listedPath }));
  });
}

/** Groups paths by their folded form. Leaves out groups with fewer than `minCount` paths. */
function groupSimilar(paths: Iterable<string>, minCount = 2): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = foldPath(path);
    const group = groups.get(key);
    if (group) group.push(path);
    else groups.set(key, [path]);
  }
  return new Map([...groups].filter(([, group]) => group.length >= minCount));
}

/** Characters with a special meaning in Windows paths, such as `:` for an alternate data stream. */
const specialCharacters = /[\p{Cc}\\:*?"<>|]/u;
/** Characters that Windows drops at the end of a name, so that the name denotes another file. */
const droppedEnd = /[. ]$/;
/** Device names, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i;

/**
 * Returns true if a file or folder name from a store is a plain name on `platform`. On Windows, other names can denote
 * several levels of a path (`..\..\x`), a stream of another file, or a device (D24: destination layout).
 */
export function isFileName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32' || !(specialCharacters.test(name) || droppedEnd.test(name) || deviceName.test(name));
}
