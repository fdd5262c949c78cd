import type { Worker } from 'node:worker_threads';
import { settlesWithin, systemClock, type Clock } from '../../core/util/clock.ts';
import { shareCalls } from '../../core/util/concurrentCalls.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import type { LeftOutCounts } from '../../core/util/leftOut.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import type { StoreSettings } from '../stores/storeCatalog.ts';
import { collectGarbage } from '../threads/collectGarbage.ts';
import { startThread, ThreadCalls, type LoggedLine } from '../threads/threadCalls.ts';
import type { StoreListingState } from '../wire/apiSchemas.ts';
import type { CatalogFile, HashedFile, HashUpdate } from './catalogFile.ts';
import type { CatalogConfig, CatalogHandlers, CatalogMethod, CatalogMethods } from './catalogHandlers.ts';
import type { CatalogPage } from './catalogStore.ts';
import {
  databaseClosingCode,
  databaseScanningCode,
  databaseUnavailableCode,
  DatabaseUnavailableError,
} from './databaseUnavailableError.ts';
import type { CatalogSearch } from './searchSql.ts';

type CatalogOptions = CatalogConfig & {
  readonly thread: CatalogThread;
  readonly logger: Logger;
};

type Result<M extends CatalogMethod> = Awaited<ReturnType<CatalogMethods[M]>>;

const unavailableCodes: ReadonlySet<string> = new Set([databaseScanningCode, databaseUnavailableCode]);

/**
 * Maximum time to wait for the state of a listing while a long search keeps the catalog thread busy. Longer for a
 * store, of which a missing listing would look like the end of its scan.
 */
const listingWaitMs = { folder: 2_000, store: 60_000 };

/** Forwards calls to a database's catalog on the catalog thread (D20: folders as databases). */
export class Catalog {
  private options: CatalogOptions;
  private isClosed = false;
  private opening: { readonly run: CatalogRun; readonly whenDone: Promise<void> } | undefined;
  private rescanCount = 0;
  private readonly requestListing = shareCalls(async () => await this.callWithoutThrowing('getListing'));

  constructor(options: CatalogOptions) {
    this.options = options;
  }

  /** Opens the catalog, and starts a scan if one is due. Rejects if the catalog can't be opened. */
  async start(): Promise<void> {
    await this.ensureOpen();
  }

  /**
   * Returns one page of search results. Rejects with {@link HttpProblem} 500 while the folder is unavailable, or if a
   * scan that the search needs takes longer than it waits, and with 503 if the catalog is closed. The problem's cause
   * has the code of the {@link DatabaseUnavailableError}.
   */
  async search(search: CatalogSearch): Promise<CatalogPage> {
    return await this.call('search', search);
  }

  /** Counts what a search for all files of a folder, or of the database, leaves out. Rejects as {@link search} does. */
  async getLeftOut(folder: string): Promise<LeftOutCounts | undefined> {
    return await this.call('getLeftOut', folder);
  }

  /** Returns each known file by its ID, in the given order. Rejects as {@link search} does. */
  async filesByIds(ids: Iterable<string>): Promise<Map<string, CatalogFile>> {
    const requestedIds = [...ids];
    const files = await this.call('filesByIds', requestedIds);
    const found = new Map<string, CatalogFile>();
    for (const [index, id] of requestedIds.entries()) {
      const file = files[index];
      if (file !== undefined) found.set(id, { ...file, id });
    }
    return found;
  }

  /**
   * Returns, for each path, the file with its cached hash, or undefined if none is cached (D22: staged means hashed).
   * Never rejects. Returns an empty list if the catalog can't be read, because files without a cached hash are read
   * again.
   */
  async getCachedHashes(paths: readonly string[]): Promise<readonly (HashedFile | undefined)[]> {
    return (await this.callWithoutThrowing('getCachedHashes', paths)) ?? [];
  }

  /**
   * Caches the hashes of files that were read completely, and removes cached hashes that turned out to be wrong. Logs
   * failures instead of rejecting, because files without a cached hash are read again.
   */
  async cacheHashes(files: readonly HashUpdate[]): Promise<void> {
    await this.callWithoutThrowing('cacheHashes', files);
  }

  /** Ignores changes in a folder until {@link resumeTracking} is called; nothing for a store. Never rejects. */
  async pauseTracking(under: string): Promise<void> {
    await this.callWithoutThrowing('pauseTracking', under);
  }

  /**
   * Resumes tracking changes in a folder of the database, and requests a scan of the folder without waiting for it.
   * Searches wait for the scan unless the database is a store. Never rejects.
   */
  async resumeTracking(under: string): Promise<void> {
    await this.callWithoutThrowing('resumeTracking', under);
  }

  /** Requests a new scan without waiting for it. Rejects if the catalog can't be opened. */
  async requestRescan(): Promise<void> {
    const run = await this.ensureOpen();
    // An earlier request for the listing must not answer a later one.
    this.rescanCount += 1;
    void run.calls.call('call', this.options.file, 'rescan', []).catch(() => undefined);
  }

  /**
   * Returns the state of a store's listing, or of a folder's scan that searches wait for, or what is left out of a
   * folder; undefined for other folders, or if the call fails or takes longer than two seconds, for a store a minute.
   * Never rejects.
   */
  async getListing(): Promise<StoreListingState | undefined> {
    const listing = this.requestListing(String(this.rescanCount));
    const waitMs = 'remote' in this.options ? listingWaitMs.store : listingWaitMs.folder;
    return (await settlesWithin(systemClock, waitMs, listing)) ? await listing : undefined;
  }

  /** Applies a store's changed settings. Does nothing for a folder. Never rejects. */
  async configure(settings: StoreSettings): Promise<void> {
    const { options } = this;
    if (!('remote' in options)) return;
    if (options.rescanMs === settings.rescanMs && options.hasRestore === settings.hasRestore) return;
    this.options = { ...options, ...settings };
    await this.callWithoutThrowing('configure', settings);
  }

  /** Stops tracking and scanning, and closes the file. Searches that haven't started, and later ones, reject. */
  async close(): Promise<void> {
    const { opening } = this;
    this.isClosed = true;
    this.opening = undefined;
    await opening?.run.calls.call('close', this.options.file).catch(() => undefined);
  }

  private async call<M extends CatalogMethod>(method: M, ...args: Parameters<CatalogMethods[M]>): Promise<Result<M>> {
    try {
      const run = await this.ensureOpen();
      return (await run.calls.call('call', this.options.file, method, args)) as Result<M>;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const code = getErrorCode(error);
      if (code === databaseClosingCode) throw this.createClosingProblem(error);
      throw unavailableCodes.has(code) ? new HttpProblem(500, error.message, { cause: error }) : error;
    }
  }

  private checkOpen(): void {
    if (this.isClosed) throw this.createClosingProblem();
  }

  private createClosingProblem(cause?: unknown): HttpProblem {
    return new HttpProblem(503, `The database ${this.options.name} is closing. Try again later.`, { cause });
  }

  private async callWithoutThrowing<M extends CatalogMethod>(
    method: M,
    ...args: Parameters<CatalogMethods[M]>
  ): Promise<Result<M> | undefined> {
    try {
      return await this.call(method, ...args);
    } catch (error) {
      this.options.logger.warn(`An operation on the catalog of ${this.options.name} failed: ${String(error)}`);
      return undefined;
    }
  }

  private async ensureOpen(): Promise<CatalogRun> {
    const { thread, logger, ...config } = this.options;
    this.checkOpen();
    const run = await thread.ensureRunning();
    this.checkOpen();
    if (this.opening?.run !== run) this.opening = { run, whenDone: run.calls.call('open', config.file, config) };
    const { opening } = this;
    try {
      await opening.whenDone;
      return run;
    } catch (error) {
      if (this.opening === opening) this.opening = undefined;
      throw error;
    }
  }
}

/** For example, memory ran out, or an update replaced the program of a thread that starts again. */
const endedMessage = 'The thread that searches has ended. Try again; if it ends again, restart the service.';

interface CatalogRun {
  readonly worker: Worker;
  readonly calls: ThreadCalls<CatalogHandlers>;
}

/** Time without calls after which memory is returned to the system. */
const idleMs = 60_000;

/**
 * Runs all catalogs on a single separate thread, so that a long search does not block the main thread. The thread
 * starts on demand. After an idle minute, it returns memory to the system, and ends unless a catalog has to stay open.
 */
export class CatalogThread {
  private readonly logger: Logger;
  private readonly clock: Clock;
  private current: CatalogRun | undefined;
  private idle: Disposable | undefined;
  /** Calls wait for it, because they could otherwise reach a thread that ends. */
  private resting: Promise<void> | undefined;

  constructor(logger: Logger, clock = systemClock) {
    this.logger = logger;
    this.clock = clock;
  }

  /**
   * Resolves to the running thread. If there is none, for example after a crash, starts one with no open catalogs. Send
   * calls before other events are handled, because the thread may end in one of them.
   */
  async ensureRunning(): Promise<CatalogRun> {
    if (this.resting) await this.resting;
    this.current ??= this.start();
    this.waitUntilIdle(this.current);
    return this.current;
  }

  /** Terminates the thread. Close its catalogs first. */
  async end(): Promise<void> {
    const run = this.current;
    this.current = undefined;
    this.idle?.dispose();
    run?.calls.fail(new DatabaseUnavailableError('The catalogs are closed.', databaseClosingCode));
    await run?.worker.terminate();
  }

  private start(): CatalogRun {
    const worker = startThread('catalogs');
    const run: CatalogRun = { worker, calls: new ThreadCalls<CatalogHandlers>(worker) };
    worker.on('message', (message: object) => {
      if (isLoggedLine(message)) this.logger[message.level](message.line);
    });
    worker.on('error', (error: unknown) => this.logger.error(`The catalog thread crashed: ${String(error)}`));
    worker.once('exit', () => {
      run.calls.fail(new DatabaseUnavailableError(endedMessage));
      if (this.current !== run) return;
      this.current = undefined;
      this.idle?.dispose();
    });
    return run;
  }

  private waitUntilIdle(run: CatalogRun): void {
    this.idle?.dispose();
    this.idle = this.clock.after(idleMs, () => {
      if (run.calls.isBusy) this.waitUntilIdle(run);
      else this.resting = this.rest(run).finally(() => (this.resting = undefined));
    });
  }

  private async rest(run: CatalogRun): Promise<void> {
    const state = await run.calls.call('rest').catch(() => 'busy' as const);
    if (this.current !== run) return;
    if (state === 'busy') {
      this.waitUntilIdle(run);
      return;
    }
    if (state === 'closed') {
      this.current = undefined;
      // Nobody waits for the thread's end, which a disk that hangs delays (D42: hanging disks).
      run.calls.fail(new DatabaseUnavailableError(endedMessage));
      void run.worker.terminate().then(collectGarbage);
      return;
    }
    collectGarbage();
  }
}

function isLoggedLine(message: object): message is LoggedLine {
  return 'level' in message;
}
