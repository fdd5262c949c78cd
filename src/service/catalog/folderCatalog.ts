import type { Clock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { CatalogFile, HashedFile, ReadFile } from './catalogFile.ts';
import { sqliteErrorCode } from '../sqlite.ts';
import type { CatalogStore } from './catalogStore.ts';
import type { openCatalogFile, TextMode } from './catalogTables.ts';
import { walkAhead, type AskedReader } from './folderReader.ts';
import { Freshness, isQuickScan } from './freshness.ts';
import { folderState, watchBound, type FolderState } from './folderState.ts';
import { FolderTrouble } from './folderTrouble.ts';
import { KeptStore } from './keptStore.ts';
import { isDescription } from './packageScopes.ts';
import { folderOfPath } from './pathOrder.ts';
import type { SearchPage } from './searchPage.ts';
import type { CatalogSearch } from './searchSql.ts';
import { hasHiddenPart } from './servedNames.ts';
import { TreeWatcher, type TreeChanges } from './treeWatcher.ts';

/** What the catalogue of a folder is made of; plain values. */
export interface FolderCatalogPlan {
  /** The name of the database, for what a person reads. */
  readonly name: string;
  readonly folder: string;
  /** The file that it is kept in. */
  readonly file: string;
  readonly textMode?: TextMode;
}

/** What works for it. */
export interface FolderCatalogParts {
  readonly reader: AskedReader;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is known of folders, and how many of them may be watched; left out, the system is asked. */
  readonly stateOf?: typeof folderState;
  readonly mostFolders?: number;
  /** What opens the file that it is kept in. */
  readonly openFile?: typeof openCatalogFile;
}

interface ScanSums {
  readonly folders: Set<string>;
  readonly unreadable: string[];
  unnamable: number;
  readonly troubles: string[];
}

/** The files of one folder, kept in step with it (D20). Never answers as if empty while the folder is away. */
export class FolderCatalog {
  private readonly plan: FolderCatalogPlan;
  private readonly parts: FolderCatalogParts;
  private readonly stateOf: typeof folderState;
  private readonly watcher: TreeWatcher;
  private readonly kept: KeptStore;
  /** The last of the scans and looks, which go one after another. */
  private working: Promise<void> = Promise.resolve();
  private refreshing: Promise<void> | undefined;
  private looking: Promise<FolderState | undefined> | undefined;
  /** A scan of all that has not begun: it sees whatever another one asked for now would see. */
  private waiting: Promise<void> | undefined;
  private readonly freshness: Freshness;
  /** Why the last scan did not come to its end: the end of a sentence about the folder. */
  private trouble: string | undefined;
  private isClosed = false;
  private readonly unsettled = new Set<string>();
  /** Looks at what was settled, which searches wait for. Never rejected. */
  private settling: Promise<unknown> | undefined;

  constructor(plan: FolderCatalogPlan, parts: FolderCatalogParts) {
    this.plan = plan;
    this.parts = parts;
    this.freshness = new Freshness(parts.clock);
    this.stateOf = parts.stateOf ?? folderState;
    const { name, file, textMode } = plan;
    this.kept = new KeptStore({ name, file, textMode, logger: parts.logger, openFile: parts.openFile });
    this.watcher = new TreeWatcher({
      root: plan.folder,
      clock: parts.clock,
      mostFolders: parts.mostFolders ?? watchBound(),
      onChange: (changes) => void this.follow(changes),
    });
  }

  /** Begins the first scan; searches wait for it. */
  start(): void {
    void this.refreshNow();
  }

  /** One page of a search. Rejects with {@link FolderTrouble} while the folder is not there or cannot be read. */
  async search(wanted: CatalogSearch): Promise<SearchPage> {
    return await this.ask((store) => store.search(wanted));
  }

  /** The file of each id, undefined where there is none. Rejects as {@link search} does. */
  async filesByIds(ids: readonly string[]): Promise<(CatalogFile | undefined)[]> {
    return await this.ask((store) => store.filesByIds(ids));
  }

  /** What is held of the files at these paths: their hash, and what they were when it was taken (D22). */
  heldHashes(paths: readonly string[]): (HashedFile | undefined)[] {
    return this.store.isOpen ? this.store.heldHashes(paths) : [];
  }

  /** Keeps the hashes of files that were read whole (D22). */
  holdHashes(files: readonly ReadFile[]): void {
    this.store.holdHashes(files);
  }

  /** What changes at this folder and below it is not looked at, until it is settled: a transfer writes there. */
  unsettle(under: string): void {
    this.unsettled.add(under);
  }

  /** Looks at a folder as it is now, and from now on at what changes there again; searches wait for it. */
  settle(under: string): void {
    this.unsettled.delete(under);
    // Scans go one after another: the last to be asked for ends last.
    this.settling = this.rescan(under);
  }

  /** Looks at the folder again, or only at what is in it at `under` and below. Never rejects. */
  async rescan(under = ''): Promise<void> {
    if (under !== '') {
      await this.work(async () => await this.scan(under));
      return;
    }
    this.waiting ??= this.work(async () => {
      this.waiting = undefined;
      await this.scan('');
    });
    await this.waiting;
  }

  /** Ends the watching, waits for a scan to stop, and closes the file. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.watcher.dispose();
    await this.working;
    this.kept.close();
  }

  private get store(): CatalogStore {
    return this.kept.store;
  }

  /** Asks the catalogue as it is now; when it turns out to be broken, once more after it was made anew. */
  private async ask<T>(question: (store: CatalogStore) => T): Promise<T> {
    await this.refresh();
    const { store } = this;
    try {
      return question(store);
    } catch (error) {
      if (!store.isBrokenBy(error)) throw error;
      await this.work(async () => {
        if (this.store === store) this.lose(error);
      });
      await this.refresh();
      return question(this.store);
    }
  }

  private async work(task: () => Promise<void>): Promise<void> {
    this.working = this.working.then(async () => (this.isClosed ? undefined : await task()));
    await this.working;
  }

  private async refresh(): Promise<void> {
    await this.settling;
    const state = await this.lookAtFolder();
    if (this.trouble !== undefined || !this.freshness.isOf(state)) await this.refreshNow();
    else if (this.freshness.isOld(this.watcher.isComplete)) {
      const renewing = this.refreshNow();
      if (this.freshness.isQuick) await renewing;
    }
    if (this.trouble === undefined) return;
    throw new FolderTrouble(`The folder of the database ${this.plan.name} ${this.trouble}.`);
  }

  /** Searches that come at the same moment look once. */
  private lookAtFolder(): Promise<FolderState | undefined> {
    this.looking ??= this.stateOf(this.plan.folder).finally(() => (this.looking = undefined));
    return this.looking;
  }

  private refreshNow(): Promise<void> {
    this.refreshing ??= this.rescan().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async scan(under: string): Promise<void> {
    try {
      await this.parts.reader.ready();
      if (!this.kept.ensureOpen()) return;
      const startedAt = this.parts.clock.now();
      const state = await this.stateOf(this.plan.folder);
      const sums = await this.readFolder(under);
      if (this.isClosed) return;
      this.warn(sums);
      const tookMs = this.parts.clock.now() - startedAt;
      if (under === '' && !this.freshness.isOf(state)) this.watcher.dispose();
      if (state?.isRemote !== true) this.watch(under, sums.folders, tookMs);
      // A look at a part does not tell what else has changed while the folder was away.
      if (under !== '' || state === undefined) return;
      this.trouble = undefined;
      this.freshness.note(tookMs, state);
    } catch (error) {
      this.lose(error);
    }
  }

  private watch(under: string, folders: ReadonlySet<string>, tookMs: number): void {
    const isNew = this.watcher.watchBelow(under, folders) > 0;
    // Nobody told what happened between the reading of a folder and the watching. A quick scan is made again anyway.
    if (isNew && (under !== '' || !isQuickScan(tookMs))) void this.rescan(under);
  }

  private async readFolder(under: string): Promise<ScanSums> {
    const sums: ScanSums = { folders: new Set(), unreadable: [], unnamable: 0, troubles: [] };
    const merge = this.store.merge(under);
    try {
      for await (const batch of walkAhead(this.parts.reader, this.plan.folder, under)) {
        if (this.isClosed) break;
        merge.take(batch.files);
        for (const folder of batch.folders) sums.folders.add(folder);
        sums.unreadable.push(...batch.unreadable);
        sums.unnamable += batch.unnamable;
        sums.troubles.push(...batch.troubles);
      }
      if (this.isClosed) merge.stop();
      else merge.finish();
      return sums;
    } catch (error) {
      merge.abandon();
      throw error;
    }
  }

  private warn({ unreadable, unnamable, troubles }: ScanSums): void {
    const { name } = this.plan;
    const { logger } = this.parts;
    for (const trouble of troubles.slice(0, 20)) logger.warn(`${name}: ${trouble}`);
    if (unreadable.length > 0) {
      const shown = unreadable.slice(0, 20).join(', ');
      logger.warn(`${name}: ${unreadable.length} folders cannot be read: ${shown}`);
    }
    if (unnamable > 0)
      logger.warn(`${name}: ${unnamable} files and folders are left out: their names are no Unicode text`);
  }

  private lose(error: unknown): void {
    const { folder, name } = this.plan;
    const { logger } = this.parts;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === sqliteErrorCode) {
      logger.warn(`The catalogue of ${name} cannot be written: ${String(error)}`);
      this.trouble = 'cannot be searched: its catalogue cannot be written';
      this.kept.mend(error);
    } else {
      if (this.trouble === undefined) logger.warn(`The folder ${folder} cannot be read: ${String(error)}`);
      this.trouble = code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there' : 'cannot be read';
    }
    // They would go on watching a folder that was moved away, and not the one that takes its place.
    this.watcher.dispose();
  }

  /** Looks at what the system told of. */
  private async follow(changes: TreeChanges): Promise<void> {
    if (changes === 'all') await this.rescan();
    else await this.work(async () => await this.lookAt([...changes].filter((path) => this.isSettled(path))));
  }

  private isSettled(path: string): boolean {
    if (hasHiddenPart(path)) return false;
    for (const under of this.unsettled) if (path === under || path.startsWith(`${under}/`)) return false;
    return true;
  }

  private async lookAt(changed: readonly string[]): Promise<void> {
    const paths = changed.filter((path) => !path.endsWith('/'));
    const whole = changed.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
    const described = paths.filter(isDescription).map(folderOfPath);
    try {
      if (paths.length + whole.length === 0) return;
      const sights = await this.parts.reader.look(this.plan.folder, paths);
      const gone = sights.flatMap(({ kind, path }) => (kind === 'gone' ? [path] : []));
      this.store.put(sights.flatMap((sight) => (sight.kind === 'file' ? [sight.file] : [])));
      this.store.forget(gone);
      this.store.forgetFiles(sights.flatMap(({ kind, path }) => (kind === 'folder' ? [path] : [])));
      for (const path of gone) if (this.watcher.has(path)) this.watcher.watchBelow(path, new Set());
      const entered = sights.flatMap(({ kind, path }) => (kind === 'folder' && !this.watcher.has(path) ? [path] : []));
      for (const path of new Set([...entered, ...described, ...whole])) await this.scan(path);
    } catch (error) {
      this.lose(error);
    }
  }
}
