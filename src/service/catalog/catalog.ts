import * as fs from 'node:fs/promises';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import type { CatalogFile, FoundFile } from './catalogFile.ts';
import { CatalogStore } from './catalogStore.ts';
import { pathOfFileId } from './fileId.ts';
import { scanFolder } from './folderScan.ts';
import type { CatalogSearch, TextMode } from './searchSql.ts';
import { TreeWatcher } from './treeWatcher.ts';

/** What a catalogue needs to know and have. */
interface CatalogOptions {
  /** The name of the database, for what a person reads. */
  readonly name: string;
  readonly folder: string;
  /** The file that it is kept in. */
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly textMode?: TextMode;
}

const maxWatchedFolders = 1_000;
const maxFreshFiles = 5_000;
const freshForMs = 5_000;

/** The files of one database, kept in step with its folder (D20). Never answers as if empty while the folder is away. */
export class Catalog implements Disposable {
  private readonly options: CatalogOptions;
  private readonly store: CatalogStore;
  private readonly watcher: TreeWatcher;
  private scanning: Promise<void> = Promise.resolve();
  private scannedAtMs = Number.NEGATIVE_INFINITY;
  private refreshing: Promise<void> | undefined;
  /** Why the folder could not be read when it was last tried: the end of a sentence about it. */
  private trouble: 'is not there' | 'cannot be read' | undefined;
  private isClosed = false;

  constructor(options: CatalogOptions) {
    this.options = options;
    this.store = new CatalogStore(options.file, options.textMode);
    this.watcher = new TreeWatcher(options.folder, options.clock, () => void this.rescan());
  }

  /** Begins the first scan; searches wait for it. */
  start(): void {
    void this.rescan();
  }

  /** One page of a search. Throws {@link HttpProblem} 500 while the folder is not there or cannot be read. */
  async search(wanted: CatalogSearch): Promise<CatalogFile[]> {
    await this.refresh();
    return this.store.search(wanted);
  }

  /** The files that have these ids, in the order asked; unknown ids are left out. Throws as {@link search} does. */
  async filesByIds(ids: Iterable<string>): Promise<Map<string, CatalogFile>> {
    await this.refresh();
    const found = new Map<string, CatalogFile>();
    for (const id of ids) {
      const path = pathOfFileId(id);
      const file = path === undefined ? undefined : this.store.get(path);
      if (file !== undefined) found.set(id, file);
    }
    return found;
  }

  /** The hash that is held of a file as it was when it was described; undefined when there is none, or it has changed. */
  heldHash(file: FoundFile): string | undefined {
    const known = this.store.get(file.path);
    return known?.bytes === file.bytes && known.modifiedMs === file.modifiedMs ? known.sha256 : undefined;
  }

  /** Keeps the hash of a file that was read whole (D22). Never throws: without it the file is only read once more. */
  holdHash(file: FoundFile, sha256: string): void {
    if (this.isClosed) return;
    try {
      this.store.holdHash(file, sha256);
    } catch (error) {
      this.options.logger.warn(`The catalogue cannot be written: ${String(error)}`);
    }
  }

  /** Looks at the folder again, or only at one folder in it. Scans go one after another. Never rejects. */
  async rescan(under = ''): Promise<void> {
    this.scanning = this.scanning.then(async () => await this.scan(under));
    await this.scanning;
  }

  /** Ends the watching, waits for a scan to stop, and closes the file. */
  async close(): Promise<void> {
    this.dispose();
    await this.scanning;
    this.store.close();
  }

  dispose(): void {
    this.isClosed = true;
    this.watcher.dispose();
  }

  private async refresh(): Promise<void> {
    await this.scanning;
    if (!(await this.isFresh())) {
      this.refreshing ??= this.rescan().finally(() => (this.refreshing = undefined));
      await this.refreshing;
    }
    if (this.trouble === undefined) return;
    throw new HttpProblem(500, `The folder of the database ${this.options.name} ${this.trouble}.`);
  }

  private async isFresh(): Promise<boolean> {
    if (this.trouble !== undefined || !(await canBeRead(this.options.folder))) return false;
    const isOld = this.options.clock.now() - this.scannedAtMs >= freshForMs;
    return !isOld || this.store.count() >= maxFreshFiles;
  }

  private async scan(under: string): Promise<void> {
    if (this.isClosed) return;
    try {
      await this.readFolder(under);
      // A look at a part does not tell what else has changed while the folder was away.
      if (under === '') this.trouble = undefined;
    } catch (error) {
      this.lose(error);
    }
    if (under === '') this.scannedAtMs = this.options.clock.now();
  }

  private lose(error: unknown): void {
    const { folder, logger } = this.options;
    if (this.trouble === undefined) logger.warn(`The folder ${folder} cannot be read: ${String(error)}`);
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    this.trouble = code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there' : 'cannot be read';
    // They would go on watching a folder that was moved away, and not the one that takes its place.
    this.watcher.watchOnly(new Set());
  }

  private async readFolder(under: string): Promise<void> {
    const seen = new Set<number>();
    const folders = new Set<string>();
    const skipped: string[] = [];
    const onSkipped = (path: string): number => skipped.push(path);
    for await (const part of scanFolder(this.options.folder, { under, onSkipped })) {
      if (this.isClosed) return;
      this.store.put(part.files, seen);
      folders.add(part.folder);
    }
    this.store.forgetUnseen(under, seen);
    if (under === '') this.watcher.watchOnly(folders.size < maxWatchedFolders ? folders : new Set());
    if (skipped.length > 0) this.options.logger.warn(`Folders that cannot be read: ${skipped.join(', ')}`);
  }
}

async function canBeRead(folder: string): Promise<boolean> {
  try {
    await (await fs.opendir(folder)).close();
    return true;
  } catch {
    return false;
  }
}
