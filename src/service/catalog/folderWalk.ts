import * as fs from 'node:fs';
import type { FoundFile } from './catalogFile.ts';
import { absoluteOf, foundFile, isPlainFolder, servedStats } from './fileSight.ts';
import type { Packages, PackageScopes } from './packageScopes.ts';
import { folderOfPath, sortPaths } from './pathOrder.ts';
import { isHidden } from './servedNames.ts';

/** Some of the files of a tree. All batches together go in the order of `comparePaths`. */
export interface WalkBatch {
  readonly files: readonly FoundFile[];
  /** The folders that were entered, in any order. */
  readonly folders: readonly string[];
  /** Folders that cannot be read: nothing is known of what they hold. */
  readonly unreadable: readonly string[];
  /** How many files and folders were passed over because their name is no Unicode text. */
  readonly unnamable: number;
  /** What is wrong with Data Packages, each in a sentence. */
  readonly troubles: readonly string[];
}

interface OpenFolder {
  readonly path: string;
  readonly prefix: string;
  /** Names in order; those of folders end in `/`. */
  readonly names: readonly string[];
  next: number;
  readonly scopes: PackageScopes | undefined;
}

interface GrowingBatch {
  readonly files: FoundFile[];
  readonly folders: string[];
  readonly unreadable: string[];
  unnamable: number;
}

const batchSize = 1_000;
/** Stands in a name for what is no Unicode text. */
const noText = '\uFFFD';

/**
 * Walks a folder and yields its files with the metadata that Data Packages give them (D20). Hidden names are left out;
 * a symbolic link counts only when it leads to a file within the folder. Folders within are entered only as themselves,
 * never through a link, so that no loop can be made. Works without pause between two batches: for a thread of its own.
 */
export class FolderWalk {
  private readonly root: string;
  private readonly packages: Packages;
  private readonly open: OpenFolder[] = [];
  private batch: GrowingBatch = emptyBatch();

  /** Begins at `under`, a folder within the packages' root; empty is all. Throws when the root itself cannot be read. */
  constructor(packages: Packages, under: string) {
    this.root = packages.root;
    this.packages = packages;
    const outer = under === '' ? undefined : this.packages.scopesOf(folderOfPath(under));
    const names = under === '' ? this.namesIn('') : undefined;
    this.enter(under, outer, names);
  }

  /** The next batch; undefined after the last. */
  next(): WalkBatch | undefined {
    this.leaveReplaced();
    while (this.batch.files.length < batchSize) {
      const folder = this.open.at(-1);
      if (folder === undefined) return this.last();
      const name = folder.names[folder.next++];
      if (name === undefined) this.open.pop();
      else if (name.endsWith('/')) this.enter(folder.prefix + name.slice(0, -1), folder.scopes);
      else this.see(folder, name);
    }
    return this.cut();
  }

  private enter(path: string, outer: PackageScopes | undefined, given?: readonly string[]): void {
    try {
      const names = given ?? this.namesIn(path);
      this.batch.folders.push(path);
      const scopes = this.packages.within(path, outer);
      this.open.push({ path, prefix: path === '' ? '' : `${path}/`, names, next: 0, scopes });
    } catch (error) {
      this.passOver(path, error);
    }
  }

  private passOver(path: string, error: unknown): void {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') this.batch.unreadable.push(path);
    else if (path.includes(noText)) this.batch.unnamable += 1;
  }

  /** Time passes between two batches: what is behind a link by now was not listed. */
  private leaveReplaced(): void {
    for (let folder = this.open.at(-1); folder && !isPlainFolder(this.root, folder.path); folder = this.open.at(-1)) {
      this.batch.unreadable.push(folder.path);
      this.open.pop();
    }
  }

  private namesIn(path: string): readonly string[] {
    const folder = fs.opendirSync(absoluteOf(this.root, path), { bufferSize: 1_024 });
    const names: string[] = [];
    try {
      // It may have been replaced by a link since its name was read.
      if (!isPlainFolder(this.root, path)) throw new Error('It is reached through a link.');
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        const { name } = entry;
        if (isHidden(name)) continue;
        names.push(entry.isDirectory() ? `${name}/` : name);
      }
    } finally {
      folder.closeSync();
    }
    return this.withoutRepeats(sortPaths(names));
  }

  /** Several names that are no text look like one, and may look like one that is. */
  private withoutRepeats(names: readonly string[]): readonly string[] {
    const different = names.filter((name, at) => name !== names[at - 1]);
    this.batch.unnamable += names.length - different.length;
    return different;
  }

  private see(folder: OpenFolder, name: string): void {
    const path = folder.prefix + name;
    const stats = servedStats(this.root, path);
    if (stats?.isFile() === true) this.batch.files.push(foundFile(path, stats, folder.scopes));
    else if (stats === undefined && name.includes(noText)) this.batch.unnamable += 1;
  }

  private last(): WalkBatch | undefined {
    const { files, folders, unreadable, unnamable } = this.batch;
    return files.length + folders.length + unreadable.length + unnamable === 0 ? undefined : this.cut();
  }

  private cut(): WalkBatch {
    const { batch } = this;
    this.batch = emptyBatch();
    return { ...batch, troubles: this.packages.takeTroubles() };
  }
}

function emptyBatch(): GrowingBatch {
  return { files: [], folders: [], unreadable: [], unnamable: 0 };
}
