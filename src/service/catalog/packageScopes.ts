import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { parseDataPackage } from './dataPackage.ts';
import { folderOfPath, nameOfPath } from './pathOrder.ts';

/** The metadata of files as text, by their path within the package's folder. */
type DescribedFiles = ReadonlyMap<string, string>;

/** The Data Packages that describe the files of a folder: its own, and those of the folders around it. */
export interface PackageScopes {
  /** The folder of the package with a closing `/`, or empty. */
  readonly prefix: string;
  readonly described: DescribedFiles;
  /** What holds where this one is silent. */
  readonly outer: PackageScopes | undefined;
}

interface KnownPackage {
  readonly stamp: string;
  readonly described: DescribedFiles | undefined;
}

const packageName = 'datapackage.json';
const manifestName = 'manifest.json';
const landingFolder = /^dts-[0-9a-f-]{36}$/;
const maxPackageBytes = 64 * 1024 * 1024;
const maxKnown = 64;
/** It may be another one than was looked at: neither is a link followed, nor is a pipe waited for. */
const openFlags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/** Whether a change of this file changes what is known of others: a description, at a place where one counts. */
export function isDescription(path: string): boolean {
  const name = nameOfPath(path);
  return name === packageName || (name === manifestName && isLanding(folderOfPath(path)));
}

/** What transfers landed is described by the manifest beside it. */
function isLanding(folder: string): boolean {
  return landingFolder.test(nameOfPath(folder));
}

/** Reads the Data Packages of a folder tree, and keeps the last ones it has read (D20). */
export class Packages {
  /** Absolute, without links. */
  readonly root: string;
  private readonly known = new Map<string, KnownPackage>();

  constructor(root: string) {
    this.root = root;
  }

  /** What describes the files of a folder; undefined when nothing does. */
  scopesOf(folder: string): PackageScopes | undefined {
    return this.within(folder, folder === '' ? undefined : this.scopesOf(folderOfPath(folder)));
  }

  /** The same, where what describes the folder around it is known: the folder's own package goes before that. */
  within(folder: string, outer: PackageScopes | undefined): PackageScopes | undefined {
    const prefix = folder === '' ? '' : `${folder}/`;
    let scopes = outer;
    for (const name of isLanding(folder) ? [manifestName, packageName] : [packageName]) {
      const described = this.read(prefix + name);
      if (described !== undefined) scopes = { prefix, described, outer: scopes };
    }
    return scopes;
  }

  private read(path: string): DescribedFiles | undefined {
    const file = nodePath.join(this.root, path);
    try {
      const stats = fs.lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined || !isUsable(stats)) return undefined;
      const known = this.known.get(path);
      return known?.stamp === stampOf(stats) ? known.described : this.readAnew(path, file);
    } catch {
      return undefined;
    }
  }

  private readAnew(path: string, file: string): DescribedFiles | undefined {
    const opened = fs.openSync(file, openFlags);
    try {
      const stats = fs.fstatSync(opened);
      if (!isUsable(stats)) return undefined;
      const described = describedFiles(fs.readFileSync(opened, 'utf8'));
      this.keep(path, { stamp: stampOf(stats), described });
      return described;
    } finally {
      fs.closeSync(opened);
    }
  }

  private keep(path: string, entry: KnownPackage): void {
    this.known.delete(path);
    this.known.set(path, entry);
    const [oldest] = this.known.keys();
    if (this.known.size > maxKnown && oldest !== undefined) this.known.delete(oldest);
  }
}

function isUsable(stats: fs.Stats): boolean {
  return stats.isFile() && stats.size <= maxPackageBytes;
}

/** The time of the last change of any kind is in it: the other one can be set by anyone. */
function stampOf({ mtimeMs, ctimeMs, size, ino }: fs.Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(' ');
}

function describedFiles(text: string): DescribedFiles | undefined {
  const metadata = parseDataPackage(text);
  if (metadata === undefined) return undefined;
  return new Map([...metadata].map(([path, fields]) => [path, JSON.stringify(fields)]));
}

/** The metadata that the nearest package has for a file; undefined when none names it. */
export function describedBy(scopes: PackageScopes | undefined, path: string): string | undefined {
  for (let scope = scopes; scope !== undefined; scope = scope.outer) {
    const metadata = scope.described.get(path.slice(scope.prefix.length));
    if (metadata !== undefined) return metadata;
  }
  return undefined;
}
