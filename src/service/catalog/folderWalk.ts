import * as fs from 'node:fs';
import { isMissing } from '../../core/util/errorFacts.ts';
import type { ScannedFile } from './catalogFile.ts';
import { toAbsolutePath, toScannedFile, isPlainFolder, getServedStats } from './pathInspection.ts';
import type { PackageCache, PackageScopes } from './packageScopes.ts';
import { getParentFolder, sortPaths } from './pathOrder.ts';
import { isHidden } from './servedNames.ts';

/** A batch of files from a walk. Across all batches, the files are in the order of `comparePaths`. */
export interface WalkBatch {
  readonly files: readonly ScannedFile[];
  /** Folders that were entered, in no particular order. */
  readonly folders: readonly string[];
  /** Folders that cannot be read; their contents are unknown. */
  readonly unreadable: readonly string[];
  /** Number of files and folders skipped because their names are not valid Unicode. */
  readonly unnamable: number;
  /** Problems in Data Packages, each with the path of the package. */
  readonly warnings: readonly string[];
}

interface OpenFolder {
  readonly path: string;
  readonly prefix: string;
  /** Sorted names; folder names end with `/`. */
  readonly names: readonly string[];
  next: number;
  readonly scopes: PackageScopes | undefined;
}

interface BatchBuilder {
  readonly files: ScannedFile[];
  readonly folders: string[];
  readonly unreadable: string[];
  unnamable: number;
}

const batchSize = 1_000;
/** The character that Node.js substitutes for invalid Unicode in a name. */
const replacementCharacter = '\uFFFD';

/**
 * Walks a folder tree and returns its files in batches, with metadata from Data Packages (D20: folders as databases).
 * Skips hidden names, and links that do not lead to a file within the folder.
 */
export class FolderWalk {
  private readonly root: string;
  private readonly packages: PackageCache;
  private readonly open: OpenFolder[] = [];
  private batch: BatchBuilder = createBatch();

  /**
   * Starts at the folder `under`, a path relative to the root of `packages`. If `under` is empty, starts at the root,
   * and throws if the root is unreadable.
   */
  constructor(packages: PackageCache, under: string) {
    this.root = packages.root;
    this.packages = packages;
    const outer = under === '' ? undefined : this.packages.getScopes(getParentFolder(under));
    const names = under === '' ? this.listNames('') : undefined;
    this.enter(under, outer, names);
  }

  /** Returns the next batch; undefined after the last one. */
  next(): WalkBatch | undefined {
    this.closeReplacedFolders();
    while (this.batch.files.length < batchSize) {
      const folder = this.open.at(-1);
      if (folder === undefined) return this.takeLastBatch();
      const name = folder.names[folder.next++];
      if (name === undefined) this.open.pop();
      else if (name.endsWith('/')) this.enter(folder.prefix + name.slice(0, -1), folder.scopes);
      else this.visit(folder, name);
    }
    return this.takeBatch();
  }

  private enter(path: string, outer: PackageScopes | undefined, knownNames?: readonly string[]): void {
    try {
      const names = knownNames ?? this.listNames(path);
      this.batch.folders.push(path);
      const scopes = this.packages.getScopesWithin(path, outer);
      this.open.push({ path, prefix: path === '' ? '' : `${path}/`, names, next: 0, scopes });
    } catch (error) {
      this.skipPath(path, error);
    }
  }

  private skipPath(path: string, error: unknown): void {
    if (!isMissing(error)) this.batch.unreadable.push(path);
    else if (path.includes(replacementCharacter)) this.batch.unnamable += 1;
  }

  /**
   * Closes open folders that were removed or replaced by a link since the previous batch, and reports them as
   * unreadable.
   */
  private closeReplacedFolders(): void {
    for (let folder = this.open.at(-1); folder && !isPlainFolder(this.root, folder.path); folder = this.open.at(-1)) {
      this.batch.unreadable.push(folder.path);
      this.open.pop();
    }
  }

  private listNames(path: string): readonly string[] {
    const folder = fs.opendirSync(toAbsolutePath(this.root, path), { bufferSize: 1_024 });
    const names: string[] = [];
    try {
      // A link may have replaced the folder since its name was read.
      if (!isPlainFolder(this.root, path)) throw new Error('The path of the folder contains a link.');
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        const { name } = entry;
        if (isHidden(name)) continue;
        names.push(entry.isDirectory() ? `${name}/` : name);
      }
    } finally {
      folder.closeSync();
    }
    return this.removeRepeats(sortPaths(names));
  }

  /** Removes duplicate names and counts them as unnamable. Replacing invalid Unicode can make names identical. */
  private removeRepeats(names: readonly string[]): readonly string[] {
    const unique = names.filter((name, at) => name !== names[at - 1]);
    this.batch.unnamable += names.length - unique.length;
    return unique;
  }

  private visit(folder: OpenFolder, name: string): void {
    const path = folder.prefix + name;
    const stats = getServedStats(this.root, path);
    if (stats?.isFile() === true) this.batch.files.push(toScannedFile(path, stats, folder.scopes));
    else if (stats === undefined && name.includes(replacementCharacter)) this.batch.unnamable += 1;
  }

  private takeLastBatch(): WalkBatch | undefined {
    const { files, folders, unreadable, unnamable } = this.batch;
    return files.length + folders.length + unreadable.length + unnamable === 0 ? undefined : this.takeBatch();
  }

  private takeBatch(): WalkBatch {
    const { batch } = this;
    this.batch = createBatch();
    return { ...batch, warnings: this.packages.takeWarnings() };
  }
}

function createBatch(): BatchBuilder {
  return { files: [], folders: [], unreadable: [], unnamable: 0 };
}
