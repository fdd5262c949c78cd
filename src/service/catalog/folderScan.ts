import type { Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { FoundFile } from './catalogFile.ts';
import { parseDataPackage, type PackageMetadata } from './dataPackage.ts';

/** Some of the files of one folder; a large folder comes in several parts, an empty one in one part without files. */
interface ScanPart {
  /** Relative to the scanned folder; empty for itself. */
  readonly folder: string;
  readonly files: readonly FoundFile[];
}

interface PackageScope {
  /** The package's folder with a closing `/`, or empty. */
  readonly prefix: string;
  readonly metadata: PackageMetadata;
}

interface PendingFolder {
  readonly path: string;
  /** The nearest package first. */
  readonly scopes: readonly PackageScope[];
}

interface ScanOptions {
  /** Scan only this folder and what is under it. */
  readonly under?: string;
  /** Told of what cannot be read; the scan goes on. */
  readonly onSkipped: (path: string, error: unknown) => void;
}

const partSize = 500;
const packageName = 'datapackage.json';
const maxPackageBytes = 64 * 1024 * 1024;
const landingFolder = /^dts-[0-9a-f-]{36}$/;
const partFile = /\.part-[0-9a-f-]{36}$/;

/**
 * Walks a folder and yields its files with the metadata that Data Packages give them (D20). Names that begin with a dot
 * and unfinished copies are left out; a symbolic link counts only when it leads to a file within the folder.
 * Throws when `root` itself cannot be read.
 */
export async function* scanFolder(root: string, options: ScanOptions): AsyncGenerator<ScanPart> {
  const realRoot = await fs.realpath(root);
  const start = options.under ?? '';
  const pending: PendingFolder[] = [{ path: start, scopes: await scopesAbove(realRoot, start) }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    try {
      yield* scanOne(realRoot, folder, pending);
    } catch (error) {
      if (folder.path === '') throw error;
      options.onSkipped(folder.path, error);
    }
  }
}

async function* scanOne(realRoot: string, folder: PendingFolder, pending: PendingFolder[]): AsyncGenerator<ScanPart> {
  const scopes = await withOwnPackage(realRoot, folder);
  const prefix = folder.path === '' ? '' : `${folder.path}/`;
  let entries: Dirent[] = [];
  for await (const entry of await fs.opendir(nodePath.join(realRoot, folder.path), { bufferSize: partSize })) {
    if (isHidden(entry.name)) continue;
    if (entry.isDirectory()) pending.push({ path: prefix + entry.name, scopes });
    else entries.push(entry);
    if (entries.length < partSize) continue;
    yield { folder: folder.path, files: await foundFiles(realRoot, prefix, entries, scopes) };
    entries = [];
  }
  yield { folder: folder.path, files: await foundFiles(realRoot, prefix, entries, scopes) };
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || partFile.test(name);
}

async function foundFiles(
  realRoot: string,
  prefix: string,
  entries: readonly Dirent[],
  scopes: readonly PackageScope[],
): Promise<FoundFile[]> {
  const found = await Promise.all(entries.map(async (entry) => await foundFile(realRoot, prefix, entry, scopes)));
  return found.filter((file) => file !== undefined);
}

async function foundFile(
  realRoot: string,
  prefix: string,
  entry: Dirent,
  scopes: readonly PackageScope[],
): Promise<FoundFile | undefined> {
  const path = prefix + entry.name;
  const absolute = nodePath.join(realRoot, path);
  try {
    if (entry.isSymbolicLink() && !isInside(realRoot, await fs.realpath(absolute))) return undefined;
    const stats = await fs.stat(absolute);
    if (!stats.isFile()) return undefined;
    const metadata = metadataFor(path, scopes);
    const found = { path, bytes: stats.size, modifiedMs: stats.mtimeMs };
    return metadata === undefined ? found : { ...found, metadata };
  } catch {
    // Gone since the folder was read, a link to nowhere, or a name that is no Unicode: there is nothing to serve.
    return undefined;
  }
}

/** Whether an absolute path, links resolved, lies within a folder, links resolved. */
export function isInside(realFolder: string, realPath: string): boolean {
  const relative = nodePath.relative(realFolder, realPath);
  return relative !== '..' && !relative.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(relative);
}

function metadataFor(path: string, scopes: readonly PackageScope[]): FoundFile['metadata'] {
  for (const scope of scopes) {
    const metadata = scope.metadata.get(path.slice(scope.prefix.length));
    if (metadata !== undefined) return metadata;
  }
  return undefined;
}

async function scopesAbove(realRoot: string, path: string): Promise<PackageScope[]> {
  if (path === '') return [];
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return await withOwnPackage(realRoot, { path: parent, scopes: await scopesAbove(realRoot, parent) });
}

/** The scopes for files of a folder: its own package before those above. What a transfer landed is described by its manifest. */
async function withOwnPackage(realRoot: string, folder: PendingFolder): Promise<PackageScope[]> {
  const isLanding = landingFolder.test(folder.path.slice(folder.path.lastIndexOf('/') + 1));
  const prefix = folder.path === '' ? '' : `${folder.path}/`;
  const own: PackageScope[] = [];
  for (const name of isLanding ? [packageName, 'manifest.json'] : [packageName]) {
    const metadata = await readPackage(nodePath.join(realRoot, folder.path, name));
    if (metadata !== undefined) own.push({ prefix, metadata });
  }
  return [...own, ...folder.scopes];
}

async function readPackage(file: string): Promise<PackageMetadata | undefined> {
  try {
    const stats = await fs.lstat(file);
    if (!stats.isFile() || stats.size > maxPackageBytes) return undefined;
    return parseDataPackage(await fs.readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
