import { settlesWithin, type Clock } from '../../core/util/clock.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { leftOutKinds, type LeftOutCounts, type LeftOutKind } from '../../core/util/leftOut.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { sqliteErrorCode } from '../sqlite.ts';
import type { StoreListingState } from '../wire/apiSchemas.ts';
import {
  findHiddenPath,
  getParentFolder,
  isUncounted,
  type CatalogFile,
  type HashedFile,
  type HashUpdate,
} from './catalogFile.ts';
import {
  QueryTurns,
  RepairableStore,
  type CatalogPage,
  type CatalogStore,
  type openCatalogFile,
} from './catalogStore.ts';
import {
  createScanningError,
  DatabaseUnavailableError,
  describeFolderFailure,
  lookupWaitMs,
  scanWaitMs,
} from './databaseUnavailableError.ts';
import { ReadingDelayedError, walkAhead, type AsyncFolderReader, type WalkBatch } from './folderReader.ts';
import {
  Freshness,
  getFolderState,
  getMaxWatches,
  isQuickScan,
  TreeWatcher,
  type TreeChanges,
} from './folderChanges.ts';
import { FolderFields, type DescribedFolder } from './folderFields.ts';
import type { LeftOutListing } from './leftOutTable.ts';
import { isDescriptionFile } from './packageScopes.ts';
import type { CatalogSearch } from './searchSql.ts';

const maxLogged = 20;

/** Log texts about names that a scan leaves out. Hidden names are usual. */
const logTexts: Readonly<Partial<Record<LeftOutKind, string>>> = {
  unreadable: 'unreadable folders',
  missingContent: 'links to nothing',
  outsideLinks: 'links to places outside the folder',
  folderLinks: 'ignored links to folders',
  invalidNames: "files and folders skipped because their names aren't valid Unicode",
  specialFiles: 'special files',
};

class ScanSummary {
  readonly folders = new Set<string>();
  readonly described: DescribedFolder[] = [];
  readonly leftOut: LeftOutListing;
  private readonly warnings: string[] = [];

  constructor(leftOut: LeftOutListing) {
    this.leftOut = leftOut;
  }

  add(batch: WalkBatch): void {
    for (const folder of batch.folders) this.folders.add(folder);
    this.leftOut.add(batch.leftOut);
    if (this.warnings.length < maxLogged) this.warnings.push(...batch.warnings);
    this.described.push(...batch.described);
  }

  describe(): readonly string[] {
    const lines = leftOutKinds.flatMap((kind) => this.leftOut.describe(kind, logTexts[kind]));
    return [...this.warnings.slice(0, maxLogged), ...lines];
  }
}

/** The scans that a query waits for, in addition to those without which it can't run, and the maximum time. */
interface ScanWait {
  /** True to wait also for a routine scan that is expected to be quick. */
  readonly needsScan: boolean;
  /** Maximum time to wait for a scan without which there are no files. */
  readonly limitMs: number;
}

const searchWait: ScanWait = { needsScan: true, limitMs: scanWaitMs };

/**
 * Time after which the progress of a scan is reported, so that rows don't flicker for folders that are scanned fast.
 */
const progressDelayMs = 1_000;

/** Delay before a scan that is due, but that no query waits for. */
const laterScanMs = 1_000;

/** Options for a folder's catalog. All values must be cloneable, because they are sent to the catalog thread. */
export interface FolderCatalogConfig {
  /** Name of the database, for messages. */
  readonly name: string;
  readonly folder: string;
  readonly file: string;
}

interface FolderCatalogDependencies {
  readonly reader: AsyncFolderReader;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shared by all catalogs of the thread. */
  readonly turns?: QueryTurns;
  readonly getState?: typeof getFolderState;
  readonly maxFolders?: number;
  readonly openFile?: typeof openCatalogFile;
}

/** Catalogs the files in one folder and tracks changes to them (D20: folders as databases). */
export class FolderCatalog {
  private readonly config: FolderCatalogConfig;
  private readonly dependencies: FolderCatalogDependencies;
  private readonly getState: typeof getFolderState;
  private readonly turns: QueryTurns;
  private readonly watcher: TreeWatcher;
  private readonly repairableStore: RepairableStore;
  private readonly folderFields = new FolderFields();
  /** The last queued task. Scans and path inspections run one at a time. */
  private lastTask: Promise<void> = Promise.resolve();
  private unfinishedTasks = 0;
  private refreshing: Promise<void> | undefined;
  /** A queued scan of the whole folder that has not started yet; later requests share it. */
  private pendingScan: Promise<void> | undefined;
  /** Timer for a scan that is due, but that no query waits for. */
  private laterScan: Disposable | undefined;
  private readonly freshness: Freshness;
  /** The reason the database is unavailable, as a phrase about the folder, such as `doesn't exist`. */
  private failureReason: string | undefined;
  private isClosed = false;
  private readonly pausedFolders = new Set<string>();
  /** The running rescan of a folder whose tracking was resumed; searches wait for it. Never rejects. */
  private resuming: Promise<void> | undefined;
  /** Number of files that the running scan, or the last one, has found. */
  private foundCount = 0;
  /** Number of files in the catalog when the last scan that searches wait for started. */
  private fileCount = 0;
  private loggedLines: readonly string[] = [];

  constructor(config: FolderCatalogConfig, dependencies: FolderCatalogDependencies) {
    const { clock } = dependencies;
    this.config = config;
    this.dependencies = dependencies;
    this.freshness = new Freshness(clock);
    this.turns = dependencies.turns ?? new QueryTurns();
    this.getState = dependencies.getState ?? getFolderState;
    this.repairableStore = new RepairableStore({ ...config, ...dependencies, folderFields: this.folderFields });
    this.watcher = new TreeWatcher({
      root: config.folder,
      clock,
      maxFolders: dependencies.maxFolders ?? getMaxWatches(),
      onChange: (changes) => void this.applyChanges(changes),
    });
  }

  /** True while a scan is running or due, or a transfer's folder is ignored. */
  get isBusy(): boolean {
    return this.unfinishedTasks > 0 || this.laterScan !== undefined || this.pausedFolders.size > 0;
  }

  /**
   * True if opening the catalog again takes no more than a quick scan, which the next search would start anyway, and
   * logs nothing again. A scan of a remote folder may be slow the next time.
   */
  get canReopen(): boolean {
    const isServed = this.failureReason === undefined && this.freshness.hasRecord;
    const isQuickAgain = this.freshness.isQuick && !this.freshness.isRemote;
    return isServed && isQuickAgain && this.loggedLines.length === 0;
  }

  /** Releases the memory of the catalog file's cache. */
  shrink(): void {
    this.store.shrink();
  }

  /** Starts the first scan; searches wait for it. */
  start(): void {
    void this.refreshNow();
  }

  /** Rejects with {@link DatabaseUnavailableError} while the folder, or a scan that it needs, is unavailable. */
  async search(search: CatalogSearch): Promise<CatalogPage> {
    return await this.query((store) => store.search(search));
  }

  /**
   * Returns the file for each ID, or undefined for an unknown ID. Rejects with the same errors as {@link search}. If
   * the system reports all changes and every ID is known, does not wait for a routine rescan.
   */
  async filesByIds(ids: readonly string[]): Promise<(CatalogFile | undefined)[]> {
    const needsScan = !this.watcher.isComplete;
    const wait = { needsScan, limitMs: lookupWaitMs };
    const files = await this.query((store) => store.filesByIds(ids), wait);
    if (needsScan || !files.includes(undefined)) return files;
    return await this.query((store) => store.filesByIds(ids), { ...wait, needsScan: true });
  }

  getCachedHashes(paths: readonly string[]): (HashedFile | undefined)[] {
    return this.store.isOpen ? this.store.getCachedHashes(paths) : [];
  }

  cacheHashes(files: readonly HashUpdate[]): void {
    this.store.cacheHashes(files);
  }

  /** Ignores changes below a folder until {@link resumeTracking} is called. */
  pauseTracking(under: string): void {
    this.pausedFolders.add(under);
  }

  /** Tracks changes in a folder again, and queues a scan of it that searches wait for. */
  resumeTracking(under: string): void {
    this.pausedFolders.delete(under);
    // Scans run in the order of their requests, so waiting for this one includes waiting for earlier ones.
    const resuming = this.rescan(under).finally(() => {
      if (this.resuming === resuming) this.resuming = undefined;
    });
    this.resuming = resuming;
  }

  /** Scans the whole folder, or only `under`. Never rejects. */
  async rescan(under = ''): Promise<void> {
    if (under !== '') {
      await this.enqueue(async () => await this.scan(under));
      return;
    }
    this.pendingScan ??= this.enqueue(async () => {
      this.pendingScan = undefined;
      await this.scan('');
    });
    await this.pendingScan;
  }

  /**
   * Returns the progress of a scan that searches need, unless it ends within a second; otherwise, what the last scan
   * left out, and undefined if it left nothing out.
   */
  async getListing(): Promise<StoreListingState | undefined> {
    const needed = this.getNeededScan();
    if (needed !== undefined && !(await settlesWithin(this.dependencies.clock, progressDelayMs, needed)))
      return { state: 'scanning', files: this.fileCount, scanned: this.foundCount };
    if (this.failureReason !== undefined || !this.store.isOpen) return undefined;
    const leftOut = this.store.leftOut.count('') ?? {};
    return Object.keys(leftOut).length === 0 ? undefined : { state: 'listed', files: this.store.count(), leftOut };
  }

  /**
   * Counts what the search for all files of a folder that has just ended left out, without waiting for other queries.
   */
  getLeftOut(folder: string): LeftOutCounts | undefined {
    return this.store.isOpen ? this.store.leftOut.count(folder) : undefined;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.laterScan?.dispose();
    this.watcher.dispose();
    await this.lastTask;
    this.repairableStore.close();
  }

  private get store(): CatalogStore {
    return this.repairableStore.store;
  }

  /** If the catalog turns out to be corrupt, recreates it and retries the query once. */
  private async query<T>(query: (store: CatalogStore) => T, wait: ScanWait = searchWait): Promise<T> {
    await this.refresh(wait);
    await this.turns.next();
    const { store } = this;
    try {
      return query(store);
    } catch (error) {
      if (!store.isBrokenBy(error)) throw error;
      await this.enqueue(async () => {
        if (this.store === store) this.handleFailure(error);
      });
      await this.refresh(wait);
      return query(this.store);
    }
  }

  private async enqueue(task: () => Promise<void>): Promise<void> {
    this.unfinishedTasks += 1;
    const run = async (): Promise<void> => (this.isClosed ? undefined : await task());
    this.lastTask = this.lastTask.then(run).finally(() => (this.unfinishedTasks -= 1));
    await this.lastTask;
  }

  /** Returns the running scan that searches wait for, if any: the first one, or that of a transfer's folder. */
  private getNeededScan(): Promise<unknown> | undefined {
    const hasFiles = this.freshness.hasRecord && this.failureReason === undefined;
    return hasFiles ? this.resuming : this.refreshing;
  }

  /**
   * Starts a scan if one is due. Waits for the scan if the folder was unavailable or has not been scanned before. With
   * `needsScan`, also waits if the scan is expected to be quick; otherwise, a repeated scan starts a little later. Throws {@link DatabaseUnavailableError} if the folder
   * is unavailable, or if a scan that it needs takes longer than queries wait.
   */
  private async refresh({ needsScan, limitMs }: ScanWait): Promise<void> {
    const state = await this.getState(this.config.folder).catch((error: unknown) => {
      throw this.createUnavailableError(describeFolderFailure(getErrorCode(error)));
    });
    await this.waitForScan(this.resuming, limitMs);
    if (this.failureReason !== undefined || !this.freshness.hasScanned(state))
      await this.waitForScan(this.refreshNow(), limitMs);
    else if (this.freshness.isStale(this.watcher.isComplete)) await this.repeatScan(needsScan);
    if (this.failureReason !== undefined) throw this.createUnavailableError(this.failureReason);
  }

  private async repeatScan(needsScan: boolean): Promise<void> {
    const { clock } = this.dependencies;
    if (!needsScan) {
      // Lookups come in bursts, such as many submissions at a time, and the scan would compete with them.
      this.laterScan ??= clock.after(laterScanMs, () => {
        this.laterScan = undefined;
        if (this.freshness.isStale(this.watcher.isComplete)) void this.refreshNow();
      });
      return;
    }
    const refreshed = this.refreshNow();
    // If it isn't quick after all, the files of the last scan are still there.
    if (this.freshness.isQuick) await settlesWithin(clock, scanWaitMs, refreshed);
  }

  private async waitForScan(scan: Promise<void> | undefined, limitMs: number): Promise<void> {
    if (scan === undefined || (await settlesWithin(this.dependencies.clock, limitMs, scan))) return;
    throw createScanningError(`The folder of the database ${this.config.name}`, this.foundCount);
  }

  private createUnavailableError(reason: string): DatabaseUnavailableError {
    return new DatabaseUnavailableError(`The folder of the database ${this.config.name} ${reason}.`);
  }

  private refreshNow(): Promise<void> {
    this.refreshing ??= this.rescan().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async scan(under: string): Promise<void> {
    try {
      await this.dependencies.reader.ready();
      if (!this.repairableStore.ensureOpen()) return;
      const startedAt = this.dependencies.clock.now();
      const state = await this.getState(this.config.folder);
      const summary = await this.readFolder(under);
      if (this.isClosed) return;
      this.store.leftOut.replace(under, summary.leftOut);
      this.logScan(summary.describe());
      this.folderFields.replaceBelow(under, summary.described);
      const tookMs = this.dependencies.clock.now() - startedAt;
      if (under === '' && !this.freshness.hasScanned(state)) this.watcher.dispose();
      if (state?.isRemote !== true) this.watch(under, summary.folders, tookMs);
      // A partial scan misses changes made elsewhere in the folder while it was unavailable.
      if (under !== '' || state === undefined) return;
      this.failureReason = undefined;
      this.freshness.recordScan(tookMs, state);
    } catch (error) {
      if (!(error instanceof ReadingDelayedError)) this.handleFailure(error);
      else if (!this.isClosed) await this.scan(under);
    }
  }

  /** Logs what the previous scan didn't log, because small folders are scanned every few seconds. */
  private logScan(lines: readonly string[]): void {
    const { logger } = this.dependencies;
    for (const line of lines) if (!this.loggedLines.includes(line)) logger.warn(`${this.config.name}: ${line}`);
    this.loggedLines = lines;
  }

  private watch(under: string, folders: ReadonlySet<string>, tookMs: number): void {
    const isNew = this.watcher.watchBelow(under, folders) > 0;
    // Changes between the scan of a folder and the start of its watch go unnoticed. Quick scans are repeated regularly
    // anyway.
    if (isNew && (under !== '' || !isQuickScan(tookMs))) void this.rescan(under);
  }

  private async readFolder(under: string): Promise<ScanSummary> {
    const summary = new ScanSummary(this.store.leftOut.startListing());
    this.foundCount = 0;
    if (this.getNeededScan() !== undefined) this.fileCount = this.store.count();
    const merge = this.store.startMerge(under);
    try {
      for await (const batch of walkAhead(this.dependencies.reader, this.config.folder, under)) {
        if (this.isClosed) break;
        merge.take(batch.files);
        summary.add(batch);
        this.foundCount += batch.files.length;
      }
      if (this.isClosed) merge.stop();
      else merge.finish();
      return summary;
    } catch (error) {
      merge.abandon();
      throw error;
    }
  }

  private handleFailure(error: unknown): void {
    const { folder, name } = this.config;
    const { logger } = this.dependencies;
    const code = getErrorCode(error);
    const isFirst = this.failureReason === undefined;
    this.failureReason = describeFolderFailure(code);
    if (code === sqliteErrorCode) {
      logger.warn(`The catalog of ${name} failed: ${String(error)}`);
      this.repairableStore.repair(error);
    } else if (isFirst) logger.warn(`The folder ${folder} cannot be read: ${String(error)}`);
    // Watches follow a folder that is moved, and report nothing about the folder that replaces it.
    this.watcher.dispose();
  }

  private async applyChanges(changes: TreeChanges): Promise<void> {
    if (changes === 'all') await this.rescan();
    else
      await this.enqueue(async () => await this.applyChangedPaths([...changes].filter((path) => this.isTracked(path))));
  }

  private isTracked(path: string): boolean {
    const hidden = findHiddenPath(path);
    // Hidden names are counted, but nothing below them is.
    if (isUncounted(path) || (hidden !== undefined && hidden !== path)) return false;
    for (const under of this.pausedFolders) if (path === under || path.startsWith(`${under}/`)) return false;
    return true;
  }

  private async applyChangedPaths(changed: readonly string[]): Promise<void> {
    const paths = changed.filter((path) => !path.endsWith('/'));
    const whole = changed.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
    const described = paths.filter(isDescriptionFile).map(getParentFolder);
    try {
      if (paths.length + whole.length === 0) return;
      const inspected = await this.dependencies.reader.inspectPaths(this.config.folder, paths);
      const gone = inspected.flatMap(({ kind, path }) => (kind === 'gone' ? [path] : []));
      this.store.put(inspected.flatMap((entry) => (entry.kind === 'file' ? [entry.file] : [])));
      this.store.removePaths(gone);
      this.store.leftOut.update(inspected);
      this.store.removeFiles(inspected.flatMap(({ kind, path }) => (kind === 'folder' ? [path] : [])));
      for (const path of gone) if (this.watcher.has(path)) this.watcher.watchBelow(path, new Set());
      const entered = inspected.flatMap(({ kind, path }) =>
        kind === 'folder' && !this.watcher.has(path) ? [path] : [],
      );
      for (const path of new Set([...entered, ...described, ...whole])) await this.scan(path);
    } catch (error) {
      if (!(error instanceof ReadingDelayedError)) this.handleFailure(error);
      else if (!this.isClosed) await this.applyChangedPaths(changed);
    }
  }
}
