import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import type { JsonObject } from '../../core/util/json.ts';
import type { PackageMetadata } from './dataPackage.ts';
import { readPackage } from './packageReader.ts';
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
const maxKnown = 64;
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
  private readonly troubles: string[] = [];

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

  /** What was found wrong with packages since this was last asked, each in a sentence. */
  takeTroubles(): readonly string[] {
    return this.troubles.splice(0);
  }

  private read(path: string): DescribedFiles | undefined {
    const file = nodePath.join(this.root, path);
    try {
      const stats = fs.lstatSync(file, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) return undefined;
      const known = this.known.get(path);
      return known?.stamp === stampOf(stats) ? known.described : this.readAnew(path, file, stampOf(stats));
    } catch {
      return undefined;
    }
  }

  private readAnew(path: string, file: string, stamp: string): DescribedFiles | undefined {
    const { metadata, troubles } = readPackage(nodePath.dirname(file), nodePath.basename(file));
    const described = metadata && describedFiles(metadata);
    for (const trouble of troubles) this.troubles.push(`${path}: ${trouble}`);
    this.keep(path, { stamp, described });
    return described;
  }

  private keep(path: string, entry: KnownPackage): void {
    this.known.delete(path);
    this.known.set(path, entry);
    const [oldest] = this.known.keys();
    if (this.known.size > maxKnown && oldest !== undefined) this.known.delete(oldest);
  }
}

/** The time of the last change of any kind is in it: the other one can be set by anyone. */
function stampOf({ mtimeMs, ctimeMs, size, ino }: fs.Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(' ');
}

/** Files of one resource share one text: it can be long, and they very many. */
function describedFiles(metadata: PackageMetadata): DescribedFiles {
  const texts = new Map<JsonObject, string>();
  for (const fields of new Set(metadata.values())) texts.set(fields, JSON.stringify(fields));
  return new Map([...metadata].map(([path, fields]) => [path, texts.get(fields) ?? '{}']));
}

/** The metadata that the nearest package has for a file; undefined when none names it. */
export function describedBy(scopes: PackageScopes | undefined, path: string): string | undefined {
  for (let scope = scopes; scope !== undefined; scope = scope.outer) {
    const metadata = scope.described.get(path.slice(scope.prefix.length));
    if (metadata !== undefined) return metadata;
  }
  return undefined;
}
