import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import { parsePackagePath } from '../../core/util/fileId.ts';
import { isDeeperThan, isJsonObject, parseJsonObject, type JsonObject } from '../../core/util/json.ts';
import type { LeftOutKind } from '../../core/util/leftOut.ts';
import { addInheritedFields } from '../../core/util/packageFields.ts';
import { isFolderName } from '../../core/util/folderName.ts';
import {
  findFolderTransferId,
  findManifestNames,
  getManifestNames,
  manifestName,
} from '../../core/util/transferFolderNames.ts';
import { toQuotable } from '../http/quotable.ts';
import { findHiddenPath, getBaseName, getParentFolder, type ScannedFile } from './catalogFile.ts';
import { bagManifestNames, bagName, readBagManifest, toPayloadKey } from './bagManifest.ts';
import { bidsName, citationName, crateName, readBidsText, readCitationText, readCrateText } from './creditFiles.ts';
import { maxChars, maxWarnings, readPackageText, type PackageContent, type PackageMetadata } from './dataPackage.ts';
import { inspectPath, isPlainFolder } from './servedPaths.ts';

const maxPackageBytes = 64 * 1024 * 1024;
const maxCitationBytes = 1024 * 1024;
const maxTableBytes = 128 * 1024;
const maxTableDepth = 50;
const manifestStartBytes = 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * Reads a file that describes a folder: its package with the schemas and dialects that the package references by path,
 * its RO-Crate, the manifest of a bag, its citation file, or the description of a BIDS data set. A missing file yields
 * neither metadata nor warnings; an unreadable one yields a warning. Never throws. Blocks the calling thread.
 */
export function readPackage(folder: string, name = packageName): PackageContent {
  try {
    const text = readText(
      nodePath.join(folder, name),
      [citationName, bidsName].includes(name) ? maxCitationBytes : maxPackageBytes,
    );
    if (name === citationName) return readCitationText(text);
    if (name === bidsName) return readBidsText(text);
    const hasFile = (path: string): boolean => fs.existsSync(nodePath.join(folder, path));
    if (name === crateName) return readCrateText(text, { hasFile });
    if (bagManifestNames.includes(name)) return readBagManifest(text, name);
    const transferFolder = name === packageName ? {} : { transferFolder: nodePath.basename(folder) };
    const read = readPackageText(text, { ...transferFolder, hasFile });
    if (read.metadata === undefined) return read;
    const tables = new TableReader(folder);
    const metadata = tables.resolveTables(read.metadata);
    return { metadata, warnings: [...read.warnings, ...tables.warnings] };
  } catch (error) {
    return { warnings: getErrorCode(error) === 'ENOENT' ? [] : [`it ${describeReadError(error)}`] };
  }
}

interface DescribedFields {
  readonly whole: JsonObject;
  /** All fields except schema and dialect. */
  readonly rest: JsonObject;
  readonly size: number;
}

/** Replaces paths of schemas and dialects with the content of these files, each read once. */
class TableReader {
  readonly warnings: string[] = [];
  private readonly folder: string;
  private readonly tables = new Map<string, JsonObject | undefined>();

  constructor(folder: string) {
    this.folder = folder;
  }

  resolveTables(metadata: PackageMetadata): PackageMetadata {
    const done = new Map<JsonObject, DescribedFields>();
    for (const fields of new Set(metadata.values())) done.set(fields, this.describe(fields));
    let left = maxChars;
    const entries = [...metadata].map(([path, fields]): [string, JsonObject] => {
      const described = done.get(fields);
      left -= described?.size ?? 0;
      // Beyond the size limit of a package, the schemas and dialects of files are omitted.
      return [path, left >= 0 ? (described?.whole ?? fields) : (described?.rest ?? fields)];
    });
    return new Map(entries);
  }

  private describe(fields: JsonObject): DescribedFields {
    const { schema, dialect, ...rest } = fields;
    const tables = { schema: this.resolveTable(schema), dialect: this.resolveTable(dialect) };
    const resolved = Object.fromEntries(Object.entries(tables).filter(([, table]) => table !== undefined));
    const whole = { ...rest, ...resolved };
    return { whole, rest, size: JSON.stringify(whole).length };
  }

  private resolveTable(value: unknown): unknown {
    const target = parsePackagePath(value);
    if (target?.kind !== 'file') return value;
    if (!this.tables.has(target.path)) this.tables.set(target.path, this.readTable(target.path));
    return this.tables.get(target.path);
  }

  private readTable(path: string): JsonObject | undefined {
    try {
      const json: unknown = JSON.parse(readText(resolveWithin(this.folder, path), maxTableBytes));
      if (isJsonObject(json) && !isDeeperThan(json, maxTableDepth)) return json;
      throw new UnreadableError('is not a JSON object or is nested too deeply');
    } catch (error) {
      if (this.warnings.length < maxWarnings)
        this.warnings.push(`its "${toQuotable(path)}" ${describeReadError(error)}`);
      return undefined;
    }
  }
}

function resolveWithin(folder: string, path: string): string {
  const realFolder = fs.realpathSync(folder);
  const realPath = fs.realpathSync(nodePath.join(folder, path));
  if (realPath.startsWith(realFolder + nodePath.sep)) return realPath;
  throw new UnreadableError('points outside the package');
}

/** Thrown for an unreadable file. The message is a phrase that follows the file name, such as `is not a file`. */
class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

function readStart(file: string, bytes: number): string {
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fs.fstatSync(handle).isFile()) return '';
    const buffer = Buffer.alloc(bytes);
    return buffer.toString('utf8', 0, fs.readSync(handle, buffer, 0, bytes, 0));
  } finally {
    fs.closeSync(handle);
  }
}

/** Throws if the file is too large, irregular or, except on Windows, a link. Ignores data appended meanwhile. */
function readText(file: string, maxBytes: number): string {
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fs.fstatSync(handle);
    if (!stats.isFile()) throw new UnreadableError('is not a file');
    if (stats.size > maxBytes) throw new UnreadableError(`is larger than ${maxBytes} bytes`);
    const buffer = Buffer.alloc(stats.size);
    let size = 0;
    for (let count = 1; count > 0 && size < buffer.length; size += count) {
      count = fs.readSync(handle, buffer, size, buffer.length - size, null);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, size));
  } finally {
    fs.closeSync(handle);
  }
}

function describeReadError(error: unknown): string {
  if (error instanceof UnreadableError) return error.message;
  if (isMissing(error)) return 'does not exist';
  return readErrors[getErrorCode(error)] ?? 'cannot be read';
}

const readErrors: Readonly<Record<string, string>> = {
  ELOOP: 'is a link',
  SyntaxError: 'is not valid JSON',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8',
};

/** File metadata as JSON text, keyed by path relative to the package's folder. */
type DescribedFiles = ReadonlyMap<string, string>;

/** The Data Packages that describe the files in a folder: its own package and those of its parent folders. */
export interface PackageScopes {
  /** Path of the package's folder, with a trailing `/`; empty for the root. */
  readonly prefix: string;
  readonly described: DescribedFiles;
  /** An RO-Crate only adds to what the next packages state. A bag adds to all packages. */
  readonly kind: 'package' | 'crate' | 'bag';
  /** The packages to search next, for files that this package doesn't describe. */
  readonly outer: PackageScopes | undefined;
}

interface CachedPackage {
  readonly stamp: string;
  readonly described: DescribedFiles | undefined;
  /** The fields of all files in the folder. */
  readonly folder: JsonObject | undefined;
}

const packageName = 'datapackage.json';
const maxCached = 64;

/** Returns true for the path of a file that describes other files, such as a Data Package or the manifest in `dts-<ID>`. */
export function isDescriptionFile(path: string): boolean {
  const name = getBaseName(path);
  const transferId = findFolderTransferId(getBaseName(getParentFolder(path)));
  // Many programs write a manifest.json, and a folder with a chosen name is scanned when its transfer ends.
  const manifestNames = transferId === undefined ? [] : getManifestNames(transferId);
  const names = [packageName, crateName, citationName, bidsName, bagName, ...bagManifestNames, ...manifestNames];
  return names.includes(name);
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

  /** Like {@link getScopes}, given those of the parent folder. The folder's own package takes precedence. */
  getScopesWithin(folder: string, outer: PackageScopes | undefined): PackageScopes | undefined {
    const prefix = folder === '' ? '' : `${folder}/`;
    const manifest = this.findManifest(folder);
    // The last one is searched first, so that a crate adds to the others in its folder.
    const bagManifests = fs.existsSync(nodePath.join(this.root, prefix + bagName)) ? bagManifestNames : [];
    const packages: readonly (readonly [PackageScopes['kind'], string | undefined])[] = [
      ...bagManifests.map((name) => ['bag', name] as const),
      ['package', manifest],
      ['package', packageName],
      ['crate', crateName],
    ];
    let scopes = outer;
    for (const [kind, name] of packages) {
      const described = name === undefined ? undefined : this.load(prefix + name)?.described;
      if (described !== undefined) scopes = { prefix, described, kind, outer: scopes };
    }
    return scopes;
  }

  private findManifest(folder: string): string | undefined {
    const path = nodePath.join(this.root, folder);
    const exists = (name: string): boolean => fs.existsSync(nodePath.join(path, name));
    const transferId = findFolderTransferId(getBaseName(folder));
    if (transferId !== undefined) return getManifestNames(transferId).find(exists);
    // If the name was chosen, only the manifest's content shows that it is one (D24: destination layout).
    // Every manifest with another name is there because a file has this one.
    if (!isFolderName(getBaseName(folder)) || !exists(manifestName)) return undefined;
    return findManifestNames(listNames(path)).find((name) => isManifestStart(path, name));
  }

  /** Returns the fields that a folder's own files give to all files in and below it, as JSON text, if any. */
  getFolderFields(folder: string): string | undefined {
    const prefix = folder === '' ? '' : `${folder}/`;
    const [bids, citation, crate] = [bidsName, citationName, crateName].map((name) => this.load(prefix + name)?.folder);
    const fields = { ...bids, ...citation, ...crate };
    return Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields);
  }

  /** Returns and clears the problems found since the last call, each with the path of the package. */
  takeWarnings(): readonly string[] {
    return this.warnings.splice(0);
  }

  private load(path: string): CachedPackage | undefined {
    const file = nodePath.join(this.root, path);
    try {
      const stats = fs.lstatSync(file, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) return undefined;
      const known = this.cachedPackages.get(path);
      return known?.stamp === getStamp(stats) ? known : this.reload(path, file, getStamp(stats));
    } catch {
      return undefined;
    }
  }

  private reload(path: string, file: string, stamp: string): CachedPackage {
    const { metadata, folder, warnings } = readPackage(nodePath.dirname(file), nodePath.basename(file));
    const described = metadata && toDescribedFiles(metadata);
    const content = { stamp, described, folder };
    for (const warning of warnings) this.warnings.push(`${path}: ${warning}`);
    this.cachedPackages.delete(path);
    this.cachedPackages.set(path, content);
    const [oldest] = this.cachedPackages.keys();
    if (this.cachedPackages.size > maxCached && oldest !== undefined) this.cachedPackages.delete(oldest);
    return content;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function isManifestStart(folder: string, name: string): boolean {
  try {
    const start = readStart(nodePath.join(folder, name), manifestStartBytes);
    const field = `"folder": ${JSON.stringify(nodePath.basename(folder))}`;
    return start.includes('"name": "manifest"') && start.includes(field);
  } catch {
    return false;
  }
}

/** Includes the change time, because any program can set the modification time. */
function getStamp({ mtimeMs, ctimeMs, size, ino }: fs.Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(' ');
}

/** Resources with many files are large, so their files share one string. */
function toDescribedFiles(metadata: PackageMetadata): DescribedFiles {
  const texts = new Map<JsonObject, string>();
  for (const fields of new Set(metadata.values())) texts.set(fields, JSON.stringify(fields));
  return new Map([...metadata].map(([path, fields]) => [path, texts.get(fields) ?? '{}']));
}

/**
 * Returns the metadata of a file from the nearest package that describes it, with what nearer RO-Crates add, and the
 * hash from a bag.
 */
function findDescription(scopes: PackageScopes | undefined, path: string): string | undefined {
  let [stated, added]: (string | undefined)[] = [];
  for (let scope = scopes; scope !== undefined; scope = scope.outer) {
    const own = path.slice(scope.prefix.length);
    const metadata = scope.described.get(scope.kind === 'bag' ? toPayloadKey(own) : own);
    if (metadata === undefined || (stated !== undefined && scope.kind !== 'bag')) continue;
    if (scope.kind === 'package') stated = metadata;
    else added = mergeFields(added, metadata);
  }
  return mergeFields(stated, added);
}

function mergeFields(text: string | undefined, added: string | undefined): string | undefined {
  if (text === undefined || added === undefined) return text ?? added;
  return JSON.stringify(addInheritedFields(parseJsonObject(text) ?? {}, parseJsonObject(added) ?? {}));
}

/** The state of a path in a served folder. */
export type InspectedPath =
  | { readonly kind: 'file'; readonly path: string; readonly file: ScannedFile }
  /** `gone` includes paths that are not served; `leftOut` is the reason. */
  | { readonly kind: 'folder' | 'gone'; readonly path: string; readonly leftOut?: LeftOutKind };

/** Finds the same files as a walk. */
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
    const found = inspectPath(packages.root, path);
    if (found === undefined) return { kind: 'gone', path };
    const isFolder = typeof found !== 'string' && found.isDirectory();
    if (findHiddenPath(isFolder ? `${path}/` : path) !== undefined) return { kind: 'gone', path, leftOut: 'hidden' };
    if (typeof found === 'string') return { kind: 'gone', path, leftOut: found };
    return found.isFile() ? { kind: 'file', path, file: toScannedFile(path, found, scopes) } : { kind: 'folder', path };
  };
}

/** Returns a file with the metadata from its package, if any. */
export function toScannedFile(path: string, stats: fs.Stats, scopes: PackageScopes | undefined): ScannedFile {
  const metadata = findDescription(scopes, path);
  return { path, bytes: stats.size, modifiedMs: stats.mtimeMs, ...(metadata !== undefined && { metadata }) };
}
