import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import type { LeftOutKind } from '../../core/util/leftOut.ts';

/** Joins a folder and a path in it; an empty path is the folder itself. */
export function toAbsolutePath(root: string, path: string): string {
  return path === '' ? root : `${root}/${path}`;
}

/** Returns true for an existing path within `realRoot` without links, which may be a file. */
export function isPlainFolder(realRoot: string, folder: string): boolean {
  const absolute = toAbsolutePath(realRoot, folder);
  try {
    return fs.realpathSync.native(absolute) === nodePath.normalize(absolute);
  } catch {
    return false;
  }
}

/** Returns true if an absolute path is the given folder or is inside it. Does not resolve links. */
export function isInside(realFolder: string, realPath: string): boolean {
  const relative = nodePath.relative(realFolder, realPath);
  return relative !== '..' && !relative.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(relative);
}

/**
 * The thing that is served at a path: a file or a folder, or the reason why what is there isn't served; undefined for
 * nothing.
 */
type ServedPath = fs.Stats | LeftOutKind | undefined;

/** Inspects a path. A link to a file within the root counts as that file; no other link is followed. */
export function inspectPath(realRoot: string, path: string): ServedPath {
  const absolute = toAbsolutePath(realRoot, path);
  try {
    const stats = fs.lstatSync(absolute, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true) return inspectLink(realRoot, absolute);
    return stats === undefined || stats.isFile() || stats.isDirectory() ? stats : 'specialFiles';
  } catch (error) {
    return isMissing(error) ? undefined : 'unreadable';
  }
}

/** Folders behind links aren't entered, because they can contain the link, and their files are served already. */
function inspectLink(realRoot: string, absolute: string): ServedPath {
  try {
    const target = fs.realpathSync(absolute);
    if (!isInside(realRoot, target)) return 'outsideLinks';
    const behind = fs.statSync(target);
    if (behind.isFile()) return behind;
    return behind.isDirectory() ? 'folderLinks' : 'specialFiles';
  } catch (error) {
    return isMissing(error) || getErrorCode(error) === 'ELOOP' ? 'missingContent' : 'unreadable';
  }
}
