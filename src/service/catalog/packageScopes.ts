import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import type { JsonObject } from '../../core/util/json.ts';
import { findFolderTransferId, getManifestNames } from '../../core/util/transferFolderNames.ts';
import type { PackageMetadata } from './dataPackage.ts';
import { readPackage } from './packageReader.ts';
import { getParentFolder, getBaseName } from './pathOrder.ts';

/** File metadata as JSON text, keyed by path relative to the package's folder. */
type DescribedFiles = ReadonlyMap<string, string>;

/** The Data Packages that describe the files in a folder: its own package and those of its parent folders. */
export interface PackageScopes {
  /** Path of the package's folder, with a trailing `/`; empty for the root. */
  readonly prefix: string;
  readonly described: DescribedFiles;
  /** The packages to search next, for files that this package doesn't describe. */
  readonly outer: PackageScopes | undefined;
}

interface CachedPackage {
  readonly stamp: string;
  readonly described: DescribedFiles | undefined;
}

const packageName = 'datapackage.json';
const maxCached = 64;

/** Returns true for the path of a file that describes other files: a Data Package or a transfer's manifest. */
export function isDescriptionFile(path: string): boolean {
  const name = getBaseName(path);
  return name === packageName || getFolderManifestNames(getParentFolder(path)).includes(name);
}

/** Returns the possible names of the manifest in a transfer folder; empty for other folders. */
function getFolderManifestNames(folder: string): readonly string[] {
  const transferId = findFolderTransferId(getBaseName(folder));
  return transferId === undefined ? [] : getManifestNames(transferId);
}

/** Reads the Data Packages in a folder tree and caches the most recently loaded ones (D20: folders as databases). */
export class PackageCache {
  /** Absolute path with links resolved. */
  readonly root: string;
  private readonly cachedPackages = new Map<string, CachedPackage>();
  private readonly warnings: string[] = [];

  constructor(root: string) {
    this.root = root;
  }

  /** Returns the packages that describe the files in a folder, if any. */
  getScopes(folder: string): PackageScopes | undefined {
    return this.getScopesWithin(folder, folder === '' ? undefined : this.getScopes(getParentFolder(folder)));
  }

  /**
   * Returns the packages that describe the files in a folder, given those of its parent folder. The folder's own
   * package takes precedence.
   */
  getScopesWithin(folder: string, outer: PackageScopes | undefined): PackageScopes | undefined {
    const prefix = folder === '' ? '' : `${folder}/`;
    const manifest = getFolderManifestNames(folder).find((name) =>
      fs.existsSync(nodePath.join(this.root, prefix + name)),
    );
    let scopes = outer;
    for (const name of manifest === undefined ? [packageName] : [manifest, packageName]) {
      const described = this.readDescribed(prefix + name);
      if (described !== undefined) scopes = { prefix, described, outer: scopes };
    }
    return scopes;
  }

  /** Returns and clears the problems found since the last call, each with the path of the package. */
  takeWarnings(): readonly string[] {
    return this.warnings.splice(0);
  }

  private readDescribed(path: string): DescribedFiles | undefined {
    const file = nodePath.join(this.root, path);
    try {
      const stats = fs.lstatSync(file, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) return undefined;
      const known = this.cachedPackages.get(path);
      return known?.stamp === getStamp(stats) ? known.described : this.reload(path, file, getStamp(stats));
    } catch {
      return undefined;
    }
  }

  private reload(path: string, file: string, stamp: string): DescribedFiles | undefined {
    const { metadata, warnings } = readPackage(nodePath.dirname(file), nodePath.basename(file));
    const described = metadata && toDescribedFiles(metadata);
    for (const warning of warnings) this.warnings.push(`${path}: ${warning}`);
    this.cache(path, { stamp, described });
    return described;
  }

  private cache(path: string, entry: CachedPackage): void {
    this.cachedPackages.delete(path);
    this.cachedPackages.set(path, entry);
    const [oldest] = this.cachedPackages.keys();
    if (this.cachedPackages.size > maxCached && oldest !== undefined) this.cachedPackages.delete(oldest);
  }
}

/**
 * Returns a string that changes when the file does. Includes the change time, because any program can set the
 * modification time.
 */
function getStamp({ mtimeMs, ctimeMs, size, ino }: fs.Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(' ');
}

/**
 * Converts metadata to JSON text. The files of a resource share one string, because there can be many files and the
 * string can be large.
 */
function toDescribedFiles(metadata: PackageMetadata): DescribedFiles {
  const texts = new Map<JsonObject, string>();
  for (const fields of new Set(metadata.values())) texts.set(fields, JSON.stringify(fields));
  return new Map([...metadata].map(([path, fields]) => [path, texts.get(fields) ?? '{}']));
}

/** Returns the metadata of a file from the nearest package that describes it, if any. */
export function findDescription(scopes: PackageScopes | undefined, path: string): string | undefined {
  for (let scope = scopes; scope !== undefined; scope = scope.outer) {
    const metadata = scope.described.get(path.slice(scope.prefix.length));
    if (metadata !== undefined) return metadata;
  }
  return undefined;
}
