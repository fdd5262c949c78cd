import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isMissing } from '../../core/util/errorFacts.ts';
import type { ScannedFile } from './catalogFile.ts';
import { getParentFolder, isHidden, sortPaths } from './catalogPaths.ts';
import { PackageCache, type PackageScopes } from './packageScopes.ts';
import {
  getServedStats,
  inspectPaths,
  isPlainFolder,
  toAbsolutePath,
  toScannedFile,
  type InspectedPath,
} from './pathInspection.ts';

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
class FolderWalk {
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

/** Reads folders synchronously, on its own thread. */
export class FolderReader {
  private readonly packagesByFolder = new Map<string, PackageCache>();
  private readonly walks = new Map<number, FolderWalk>();
  private lastWalk = 0;

  /**
   * Does nothing. Callers wait for the thread to respond, so that its startup does not count toward the duration of a
   * scan.
   */
  ready(): void {
    // Callers only need the response.
  }

  /**
   * Starts walking a folder or, if `under` is not empty, only that subfolder. Returns an ID for {@link next}. Throws if
   * the folder does not exist. If `under` is empty, also throws if the folder is unreadable.
   */
  walk(folder: string, under: string): number {
    const walk = new FolderWalk(this.getPackages(folder), under);
    this.walks.set(++this.lastWalk, walk);
    return this.lastWalk;
  }

  /** Returns the next batch of a walk; undefined after the last one or after {@link stop}. */
  next(walk: number): WalkBatch | undefined {
    const batch = this.walks.get(walk)?.next();
    if (batch === undefined) this.walks.delete(walk);
    return batch;
  }

  stop(walk: number): void {
    this.walks.delete(walk);
  }

  /** Inspects paths in a folder. Throws if the folder does not exist or cannot be reached. */
  inspectPaths(folder: string, paths: readonly string[]): readonly InspectedPath[] {
    return inspectPaths(this.getPackages(folder), paths);
  }

  private getPackages(folder: string): PackageCache {
    // Must match `isPlainFolder`, which also uses the native variant, because the default one doesn't resolve mapped
    // drives.
    const root = fs.realpathSync.native(folder);
    const known = this.packagesByFolder.get(folder);
    if (known?.root === root) return known;
    const packages = new PackageCache(root);
    this.packagesByFolder.set(folder, packages);
    return packages;
  }
}

/** The interface of a {@link FolderReader} as seen from another thread. */
export type AsyncFolderReader = {
  readonly [K in 'ready' | 'walk' | 'next' | 'stop' | 'inspectPaths']: (
    ...args: Parameters<FolderReader[K]>
  ) => Promise<ReturnType<FolderReader[K]>>;
};

/** Number of batches requested in advance, so that reading and writing overlap. */
const batchesAhead = 4;

/** Yields the batches of a walk. Throws the same errors as {@link FolderReader.walk}. */
export async function* walkAhead(reader: AsyncFolderReader, folder: string, under: string): AsyncGenerator<WalkBatch> {
  const walk = await reader.walk(folder, under);
  const requestBatch = (): Promise<WalkBatch | undefined> => {
    const batch = reader.next(walk);
    // A batch requested in advance may fail before it is awaited.
    batch.catch(() => undefined);
    return batch;
  };
  const requested = Array.from({ length: batchesAhead }, requestBatch);
  try {
    for (let next = requested.shift(); next !== undefined; next = requested.shift()) {
      const batch = await next;
      if (batch === undefined) continue;
      requested.push(requestBatch());
      // The request is sent in the next turn of the event loop. Without waiting for it, batches that have already
      // arrived would be written first, and the reader would be idle meanwhile.
      await setImmediate();
      yield batch;
    }
  } finally {
    await Promise.allSettled([reader.stop(walk), ...requested]);
  }
}
