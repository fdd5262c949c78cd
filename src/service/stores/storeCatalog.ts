import { isRecent, settlesWithin, type Clock } from '../../core/util/clock.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import type { LeftOutCounts } from '../../core/util/leftOut.ts';
import type { Logger } from '../../core/util/logger.ts';
import { findRclonePath } from '../../core/util/remote.ts';
import type { CatalogFile, HashedFile, HashUpdate } from '../catalog/catalogFile.ts';
import { QueryTurns, RepairableStore, type CatalogPage, type CatalogStore } from '../catalog/catalogStore.ts';
import { createScanningError, DatabaseUnavailableError, scanWaitMs } from '../catalog/databaseUnavailableError.ts';
import type { CatalogSearch } from '../catalog/searchSql.ts';
import type { StoreListingState } from '../wire/apiSchemas.ts';
import { collectOutput, startRclone } from './rcloneProgram.ts';
import { readableCondition } from './storeListing.ts';
import { StoreScan, type ScannedStore, type ScanResult } from './storeScan.ts';

interface WaitingScan {
  readonly folders: Set<string>;
  readonly ended: Promise<void>;
}

/** Runs one scan at a time. Requests that are made during a scan share the next one. */
export class ScanQueue {
  private readonly run: (folders: ReadonlySet<string>) => Promise<void>;
  private waiting: WaitingScan | undefined;
  private last: Promise<void> = Promise.resolve();
  private unfinishedCount = 0;

  /** Creates a queue. `run` must scan the given folders and never reject. */
  constructor(run: (folders: ReadonlySet<string>) => Promise<void>) {
    this.run = run;
  }

  /** Resolves when all scans requested so far have ended. */
  get ended(): Promise<void> {
    return this.last;
  }

  /** True from the request of a scan until the last requested one has ended. */
  get isBusy(): boolean {
    return this.unfinishedCount > 0;
  }

  /** Requests a scan of a folder. Resolves when the scan has ended. */
  async request(folder: string): Promise<void> {
    this.waiting ??= this.append();
    this.waiting.folders.add(folder);
    await this.waiting.ended;
  }

  private append(): WaitingScan {
    const folders = new Set<string>();
    const ended = this.last.then(async () => {
      this.waiting = undefined;
      await this.run(folders);
      this.unfinishedCount--;
    });
    this.unfinishedCount++;
    this.last = ended;
    return { folders, ended };
  }
}

/** Settings that can change while a store is served. */
export interface StoreSettings {
  /** Age of the listing, in milliseconds, at which a search starts a rescan. */
  readonly rescanMs: number;
  /** True if the configuration permits transfers to restore archived objects (D67: archived objects). */
  readonly hasRestore: boolean;
}

/** Options for a store's catalog. All values can be cloned, because they are sent to the catalog thread. */
export interface StoreCatalogConfig extends ScannedStore, StoreSettings {
  /** Name of the database, for messages. */
  readonly name: string;
  readonly file: string;
}

interface StoreCatalogDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shared by all catalogs of the thread. */
  readonly turns?: QueryTurns;
}

/** Maximum time that a completed scan waits for the free space to be read. */
const spaceLimitMs = 1_000;
/** Approximate number of files that a store lists in the time it takes to start a scan. */
const filesPerScan = 1_000;
/** Minimum interval between scans that searches start, including retries of a failed scan. */
const retryMs = 15_000;

const restoreNote = '"restore" has no effect: rclone can\'t restore objects in this kind of store.';

/**
 * Catalogs the objects in a store. A scan updates the files only when its listing is complete. Until then, and if the
 * scan fails, the files from the previous scan are served. A first scan that fails partway provides the files listed so
 * far (D62: stores through rclone).
 */
export class StoreCatalog {
  /** False, because the free space and the problem of the last scan are known only here. */
  readonly canReopen = false;
  private config: StoreCatalogConfig;
  private readonly dependencies: StoreCatalogDependencies;
  private readonly repairableStore: RepairableStore;
  private readonly turns: QueryTurns;
  private readonly abort = new AbortController();
  private readonly scans = new ScanQueue(async (folders) => await this.scanAll(folders));
  private current: StoreScan | undefined;
  private listedAtMs: number | undefined;
  private attemptedAtMs: number | undefined;
  private fileCount: number;
  private freeBytes: number | undefined;
  private problem: string | undefined;
  /** False if a scan found that rclone can't restore objects in this kind of store. */
  private canRestore = true;
  private readonly loggedNotes = new Set<string>();

  constructor(config: StoreCatalogConfig, dependencies: StoreCatalogDependencies) {
    this.config = config;
    this.dependencies = dependencies;
    this.turns = dependencies.turns ?? new QueryTurns();
    this.repairableStore = new RepairableStore({ ...config, ...dependencies });
    if (this.store.openListingRecord().isOfOther(config.remote)) this.repairableStore.reset();
    this.listedAtMs = this.store.openListingRecord().getListedAt(config.remote);
    this.fileCount = this.store.count();
  }

  get isBusy(): boolean {
    return this.scans.isBusy;
  }

  /** Releases the memory of the catalog file's cache. */
  shrink(): void {
    this.store.shrink();
  }

  /** Starts a scan, unless the listing is recent. */
  start(): void {
    this.scanIfDue();
  }

  /**
   * Returns one page of search results. Waits a few seconds for the first scan. Rejects with
   * {@link DatabaseUnavailableError} if there are still no files to search.
   */
  async search(search: CatalogSearch): Promise<CatalogPage> {
    return await this.query((store) => {
      const page = store.search({ ...search, stagedCondition: readableCondition });
      return { ...page, listing: this.getListing() };
    });
  }

  /** Returns the file for each ID, or undefined for an unknown ID. Rejects with the same errors as {@link search}. */
  async filesByIds(ids: readonly string[]): Promise<(CatalogFile | undefined)[]> {
    return await this.query((store) => store.filesByIds(ids));
  }

  getCachedHashes(paths: readonly string[]): (HashedFile | undefined)[] {
    return this.store.isOpen ? this.store.getCachedHashes(paths) : [];
  }

  cacheHashes(files: readonly HashUpdate[]): void {
    this.store.cacheHashes(files);
  }

  /** Does nothing, because a store doesn't report changes. */
  pauseTracking(): void {
    // A transfer into the store ends with a scan of its folder.
  }

  /** Requests a scan of an ended transfer's folder. Does nothing until there are files to search. */
  resumeTracking(under: string): void {
    if (this.hasFiles) void this.scans.request(under);
  }

  /** Scans the whole store. Resolves when the scan has ended; never rejects. */
  async rescan(): Promise<void> {
    await this.scans.request('');
  }

  /** Applies changed settings, even while a scan is running. */
  configure(settings: StoreSettings): void {
    this.config = { ...this.config, ...settings };
    this.logNotes();
  }

  /**
   * Counts what the search for all files of a folder that has just ended left out, without waiting for other queries;
   * undefined unless the last scan was complete and has counted.
   */
  getLeftOut(folder: string): LeftOutCounts | undefined {
    const isComplete = this.listedAtMs !== undefined && this.problem === undefined;
    return isComplete && this.store.isOpen ? this.store.leftOut.count(folder) : undefined;
  }

  getListing(): StoreListingState {
    const { listedAtMs, problem, current, freeBytes } = this;
    const leftOut = this.store.isOpen ? (this.store.leftOut.count('') ?? {}) : {};
    const lastState = problem === undefined ? 'listed' : 'failed';
    return {
      state: this.scans.isBusy ? 'scanning' : lastState,
      files: this.fileCount,
      ...(current !== undefined && { scanned: current.count }),
      ...(listedAtMs !== undefined && { asOf: new Date(listedAtMs).toISOString() }),
      ...(freeBytes !== undefined && { freeBytes }),
      ...(Object.keys(leftOut).length > 0 && { leftOut }),
      ...(problem !== undefined && { problem }),
    };
  }

  /** Aborts a running scan by killing its rclone process, and closes the catalog file. */
  async close(): Promise<void> {
    this.abort.abort();
    await this.scans.ended;
    this.repairableStore.close();
  }

  private get store(): CatalogStore {
    return this.repairableStore.store;
  }

  /** True once there is something to search: a complete listing, or files from a first scan that failed partway. */
  private get hasFiles(): boolean {
    return this.listedAtMs !== undefined || this.fileCount > 0;
  }

  private async query<T>(query: (store: CatalogStore) => T): Promise<T> {
    this.scanIfDue();
    if (!this.hasFiles) await settlesWithin(this.dependencies.clock, scanWaitMs, this.scans.ended);
    if (!this.hasFiles) throw this.createError();
    await this.turns.next();
    try {
      return query(this.store);
    } catch (error) {
      this.repair(error);
      throw error;
    }
  }

  private createError(): DatabaseUnavailableError {
    const store = `The store of the database ${this.config.name}`;
    if (this.problem !== undefined) return new DatabaseUnavailableError(`${store} can't be searched: ${this.problem}.`);
    return createScanningError(store, this.current?.count ?? 0);
  }

  private scanIfDue(): void {
    const { clock } = this.dependencies;
    const hasRecentListing = this.listedAtMs !== undefined && isRecent(clock, this.listedAtMs, this.config.rescanMs);
    const hasRecentAttempt = this.attemptedAtMs !== undefined && isRecent(clock, this.attemptedAtMs, retryMs);
    if (this.current === undefined && !hasRecentListing && !hasRecentAttempt) void this.rescan();
  }

  /** Scans folders, or the whole store if that is requested or probably faster. */
  private async scanAll(folders: ReadonlySet<string>): Promise<void> {
    const isSmall = folders.size > 1 && this.fileCount <= folders.size * filesPerScan;
    const scanned = folders.has('') || isSmall ? [''] : folders;
    for (const under of scanned) if (!this.abort.signal.aborted) await this.scan(under);
  }

  private async scan(under: string): Promise<void> {
    const { clock } = this.dependencies;
    this.attemptedAtMs = clock.now();
    try {
      if (!this.repairableStore.ensureOpen()) throw new DatabaseUnavailableError("its catalog can't be used");
      // A search right after a long scan must not start the next one.
      await this.runScan(under).finally(() => (this.attemptedAtMs = clock.now()));
    } catch (error) {
      if (!this.abort.signal.aborted) this.handleFailure(error);
    } finally {
      this.current = undefined;
    }
  }

  private async runScan(under: string): Promise<void> {
    const { clock } = this.dependencies;
    const startedAtMs = clock.now();
    this.current = new StoreScan(this.config, this.store, this.abort.signal, !this.hasFiles);
    const space = this.readSpace();
    const result = await this.current.run(under);
    await settlesWithin(clock, spaceLimitMs, space);
    this.fileCount = this.store.count();
    if (under === '') this.recordListing(startedAtMs);
    this.problem = undefined;
    this.logScan(clock.now() - startedAtMs, result);
  }

  /** Updates the recorded free space, or clears it if the free space cannot be determined. Never rejects. */
  private async readSpace(): Promise<void> {
    this.freeBytes = await readFreeBytes(this.config, this.abort.signal);
  }

  /** Records the start of a scan as the time of its listing, because changes during the scan may be missing. */
  private recordListing(startedAtMs: number): void {
    this.store.openListingRecord().record(this.config.remote, startedAtMs);
    this.listedAtMs = startedAtMs;
  }

  private logScan(tookMs: number, { leftOut, canRestore, notes }: ScanResult): void {
    const { logger } = this.dependencies;
    const { name } = this.config;
    logger.info(`${name}: scanned in ${(tookMs / 1_000).toFixed(1)} s, files: ${this.fileCount}`);
    for (const line of leftOut.describe('unreadable', 'unreadable folders')) logger.warn(`${name}: ${line}`);
    const [unnamable, unsized] = [leftOut.getCount('invalidNames'), leftOut.getCount('unknownSizes')];
    if (unnamable > 0) logger.warn(`${name}: objects skipped because their names aren't valid for files: ${unnamable}`);
    if (unsized > 0) logger.warn(`${name}: objects skipped because their size is unknown: ${unsized}`);
    this.canRestore = canRestore;
    this.logNotes(notes);
  }

  /** Logs the given notes, and a warning if the `restore` setting has no effect. Logs each message only once. */
  private logNotes(notes: readonly string[] = []): void {
    const { config, canRestore, loggedNotes, dependencies } = this;
    for (const one of [...notes, config.hasRestore && !canRestore ? restoreNote : undefined]) {
      if (one === undefined || loggedNotes.has(one)) continue;
      loggedNotes.add(one);
      dependencies.logger.warn(`${config.name}: ${one}`);
    }
  }

  private handleFailure(error: unknown): void {
    const { logger } = this.dependencies;
    const isKnown = error instanceof DatabaseUnavailableError;
    const problem = isKnown ? error.message : "its catalog can't be used";
    if (!isKnown) logger.error(`The catalog of ${this.config.name} failed: ${String(error)}`);
    if (this.problem !== problem)
      logger.warn(`The store of the database ${this.config.name} could not be scanned: ${problem}.`);
    this.problem = problem;
    this.repair(error);
    if (this.store.isOpen) this.fileCount = this.store.count();
  }

  /** Empties the catalog if an error indicates that it is corrupt. The next scan fills it again. */
  private repair(error: unknown): void {
    if (!this.store.isBrokenBy(error)) return;
    this.repairableStore.repair(error);
    this.listedAtMs = undefined;
    this.fileCount = 0;
    this.attemptedAtMs = undefined;
  }
}

/** Returns a store's free space in bytes; undefined if it cannot be determined. Never rejects. */
async function readFreeBytes({ remote, rclone }: ScannedStore, signal: AbortSignal): Promise<number | undefined> {
  const program = findRclonePath(rclone);
  if (program === undefined) return undefined;
  const free = await runAbout(program, remote, signal).catch(() => undefined);
  return typeof free === 'number' && Number.isSafeInteger(free) && free >= 0 ? free : undefined;
}

async function runAbout(program: string, remote: string, signal: AbortSignal): Promise<unknown> {
  const { code, text } = await collectOutput(startRclone(program, ['about', '--json', '--', remote]), signal);
  return code === 0 ? parseJsonObject(text)?.['free'] : undefined;
}
