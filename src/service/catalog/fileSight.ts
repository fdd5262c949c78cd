import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import type { FoundFile } from './catalogFile.ts';
import { describedBy, type Packages, type PackageScopes } from './packageScopes.ts';
import { folderOfPath } from './pathOrder.ts';

/** What stands at a path. */
export type Sight =
  | { readonly kind: 'file'; readonly path: string; readonly file: FoundFile }
  /** `gone` also for what is not served: a link that leads out, a device. */
  | { readonly kind: 'folder' | 'gone'; readonly path: string };

/** What stands at these paths within the packages' root now, described as a walk would. */
export function lookAt(packages: Packages, paths: readonly string[]): Sight[] {
  const folders = new Map<string, SeenFolder | undefined>();
  return paths.map((path) => {
    const name = folderOfPath(path);
    if (!folders.has(name)) folders.set(name, seenFolder(packages, name));
    return sightOf(packages.root, path, folders.get(name));
  });
}

interface SeenFolder {
  readonly scopes: PackageScopes | undefined;
}

/** Undefined when it is not there, or behind a link. */
function seenFolder(packages: Packages, folder: string): SeenFolder | undefined {
  return isPlainFolder(packages.root, folder) ? { scopes: packages.scopesOf(folder) } : undefined;
}

function sightOf(root: string, path: string, folder: SeenFolder | undefined): Sight {
  const stats = folder === undefined ? undefined : servedStats(root, path);
  if (stats?.isDirectory() === true) return { kind: 'folder', path };
  if (stats?.isFile() !== true) return { kind: 'gone', path };
  return { kind: 'file', path, file: foundFile(path, stats, folder?.scopes) };
}

/** Where a path within a folder is. */
export function absoluteOf(root: string, path: string): string {
  return path === '' ? root : `${root}/${path}`;
}

/** Whether a folder within `realRoot` is there, and no part of the way to it is a link. */
export function isPlainFolder(realRoot: string, folder: string): boolean {
  const absolute = absoluteOf(realRoot, folder);
  try {
    return fs.realpathSync.native(absolute) === nodePath.normalize(absolute);
  } catch {
    return false;
  }
}

/** A file with the metadata that the packages around it have for it. */
export function foundFile(path: string, { size, mtimeMs }: fs.Stats, scopes: PackageScopes | undefined): FoundFile {
  const metadata = scopes === undefined ? undefined : describedBy(scopes, path);
  const file = { path, bytes: size, modifiedMs: mtimeMs };
  return metadata === undefined ? file : { ...file, metadata };
}

/** Of what stands at a path, through a link only within the root; undefined when there is nothing to serve. */
export function servedStats(realRoot: string, path: string): fs.Stats | undefined {
  const absolute = absoluteOf(realRoot, path);
  try {
    const stats = fs.lstatSync(absolute, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() !== true) return stats;
    const target = fs.realpathSync(absolute);
    if (!isInside(realRoot, target)) return undefined;
    const behind = fs.statSync(target);
    return behind.isFile() ? behind : undefined;
  } catch {
    // Gone meanwhile, a link to nowhere or in a ring, or out of reach.
    return undefined;
  }
}

/** Whether an absolute path, links resolved, lies within a folder, links resolved. */
export function isInside(realFolder: string, realPath: string): boolean {
  const relative = nodePath.relative(realFolder, realPath);
  return relative !== '..' && !relative.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(relative);
}
