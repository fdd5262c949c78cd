import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import type { ScannedFile } from './catalogFile.ts';
import { findDescription, type PackageCache, type PackageScopes } from './packageScopes.ts';
import { getParentFolder } from './catalogPaths.ts';

/** The state of a path in a served folder. */
export type InspectedPath =
  | { readonly kind: 'file'; readonly path: string; readonly file: ScannedFile }
  /** `gone` includes paths that are not served, such as devices and links that point outside the folder. */
  | { readonly kind: 'folder' | 'gone'; readonly path: string };

/**
 * Determines whether each path within the packages' root is a file, a folder or gone. Finds the same files as a walk,
 * but does not skip hidden names.
 */
export function inspectPaths(packages: PackageCache, paths: readonly string[]): InspectedPath[] {
  const inspectors = new Map<string, (path: string) => InspectedPath>();
  return paths.map((path) => {
    const folder = getParentFolder(path);
    const inspect = inspectors.get(folder) ?? createInspector(packages, folder);
    inspectors.set(folder, inspect);
    return inspect(path);
  });
}

function createInspector(packages: PackageCache, folder: string): (path: string) => InspectedPath {
  if (!isPlainFolder(packages.root, folder)) return (path) => ({ kind: 'gone', path });
  const scopes = packages.getScopes(folder);
  return (path) => {
    const stats = getServedStats(packages.root, path);
    if (stats?.isFile() === true) return { kind: 'file', path, file: toScannedFile(path, stats, scopes) };
    return { kind: stats?.isDirectory() === true ? 'folder' : 'gone', path };
  };
}

/** Joins a folder and a path in it; an empty path is the folder itself. */
export function toAbsolutePath(root: string, path: string): string {
  return path === '' ? root : `${root}/${path}`;
}

/**
 * Returns true for an existing path within `realRoot` that contains no link. Doesn't check that the path is a folder.
 */
export function isPlainFolder(realRoot: string, folder: string): boolean {
  const absolute = toAbsolutePath(realRoot, folder);
  try {
    return fs.realpathSync.native(absolute) === nodePath.normalize(absolute);
  } catch {
    return false;
  }
}

/** Returns a file with the properties from its stats and the metadata from its package, if any. */
export function toScannedFile(path: string, stats: fs.Stats, scopes: PackageScopes | undefined): ScannedFile {
  const metadata = findDescription(scopes, path);
  return { path, bytes: stats.size, modifiedMs: stats.mtimeMs, ...(metadata !== undefined && { metadata }) };
}

/**
 * Returns the stats of a path; undefined if it is missing or inaccessible. Follows a link only if it leads to a file
 * within the root, and returns undefined for other links.
 */
export function getServedStats(realRoot: string, path: string): fs.Stats | undefined {
  const absolute = toAbsolutePath(realRoot, path);
  try {
    const stats = fs.lstatSync(absolute, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() !== true) return stats;
    const target = fs.realpathSync(absolute);
    if (!isInside(realRoot, target)) return undefined;
    const behind = fs.statSync(target);
    return behind.isFile() ? behind : undefined;
  } catch {
    // The path was deleted in the meantime, is a broken or circular link, or is not accessible.
    return undefined;
  }
}

/** Returns true if an absolute path is the given folder or is inside it. Does not resolve links. */
export function isInside(realFolder: string, realPath: string): boolean {
  const relative = nodePath.relative(realFolder, realPath);
  return relative !== '..' && !relative.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(relative);
}
