import type { FileState } from '../../core/util/fileStates.ts';
import type { Clock } from '../../core/util/clock.ts';
import { parseDeclaredHash } from '../../core/util/declaredHash.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import type { HashedFile } from '../catalog/catalogFile.ts';
import type { ServedDatabase } from '../catalog/servedDatabases.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterSummary } from '../cluster/clusterConfig.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { findKnownTime } from '../stores/storeFeatures.ts';
import { ArchivedFiles } from './archivedFiles.ts';
import { createLossError, FileAttempts, type FileProblem } from './transferErrors.ts';
import {
  createJobSignal,
  getByteCounts,
  getDoneCount,
  getFileMark,
  requestStop,
  type FileToMove,
  type JobResult,
  type JobSignal,
} from './fileJobs.ts';
import { getFileState, pickFiles, type FilePage, type FileQuery } from './filePages.ts';
import type { FileThreads } from './fileThreads.ts';
import type { RouteCapabilities, TransferRoute } from './folderRoute.ts';
import {
  describeAmount,
  hasEnded as isFinal,
  type ByteCounts,
  type TransferRecord,
  type TransferRecordFile,
  type TransferStatusWord,
} from './journal.ts';
import { chooseManifestName } from './manifest.ts';
import { createRoute } from './storeRoute.ts';

/** Receives the progress of a run. */
export interface RunProgress {
  getRecord(): TransferRecord;
  enterStatus(status: TransferStatusWord, text: string): void;
  /** Reports files that were staged or transferred. */
  reportAdvanced(files: readonly TransferRecordFile[]): void;
  /** Reports transferred files that are missing or have the wrong size. */
  reportLost(files: readonly TransferRecordFile[]): void;
  /** Reports a file whose attempt failed. */
  reportProblem(file: TransferRecordFile): void;
}

/** The databases of a transfer, and what its run uses. */
export interface TransferRunOptions {
  readonly source: ServedDatabase;
  readonly destination: ServedDatabase;
  readonly threads: FileThreads;
  readonly daemon: RcloneDaemon;
  /** The cluster that large transfers between folders use, if there is one. */
  readonly cluster?: Cluster | undefined;
  /** The cluster on which the transfer runs already, whatever its size. */
  readonly keptCluster?: Cluster | undefined;
  readonly clock: Clock;
  readonly throttleBytesPerSecond: number | undefined;
  readonly isResumed: boolean;
}

/** Maximum number of files that are flushed individually; for more, the whole file system is flushed. */
const maxFlushedFiles = 100;
/** Number of cached hashes to look up at a time, so that searches needn't wait long. */
const lookupLimit = { files: 1_000, bytes: Infinity } as const;
/** Largest difference between two times of a file system, that of FAT. */
const timeStepMs = 2_000;

/** Runs one transfer through its states, without repeating completed files (D23: transfer states). */
export class TransferRun {
  private readonly options: TransferRunOptions;
  private readonly progress: RunProgress;
  /** Indexed by position. */
  private readonly files: TransferRecordFile[];
  /** Signals of the jobs that are staging files. */
  private readonly staging = new Set<JobSignal>();
  /** Signals of the jobs that are copying files. */
  private readonly moving = new Set<JobSignal>();
  /** The files of these jobs by position, with their indexes in their jobs. */
  private readonly movingFiles = new Map<number, { readonly signal: JobSignal; readonly index: number }>();
  private readonly abandonment = new AbortController();
  private readonly attempts = new FileAttempts();
  /** Sizes of all files, and of those that are staged and transferred. */
  private readonly totals = { all: 0, staged: 0, transferred: 0 };
  /** Present if the source is a store whose archived objects may be restored. */
  private readonly archivedFiles: ArchivedFiles | undefined;
  private openRoute: TransferRoute | undefined;
  private choice: { readonly cluster: Cluster | undefined } | undefined;
  private manifestName = '';
  private hasLeftovers = false;
  /** True if small files are hashed while they are moved, so that their hashes are known only afterwards. */
  private hashesWhileMoving = false;
  /** True if a run was, or may have been, interrupted, or if a batch was incomplete. */
  private wasInterrupted: boolean;
  /** Methods, such as `md5`, that have verified files to or from stores since the service started. */
  private readonly methods = new Set<string>();

  constructor(options: TransferRunOptions, progress: RunProgress, files: readonly TransferRecordFile[]) {
    this.options = options;
    this.progress = progress;
    this.files = [...files];
    for (const file of files) this.count(file, 1);
    this.wasInterrupted = options.isResumed;
    if (options.keptCluster !== undefined) this.choice = { cluster: options.keptCluster };
    const { location, restore } = options.source;
    if (restore !== undefined && location.remote !== undefined)
      this.archivedFiles = new ArchivedFiles({ ...options, remote: location.remote, restore });
  }

  /** Returns the status text of a successful transfer, with the verification methods that this process has used. */
  describeSuccess(): string {
    const methods = [...this.methods].sort().join(' and ');
    const note = this.hasLeftovers ? '; unfinished objects will be removed later' : '';
    return `completed successfully${methods === '' ? '' : `, verified by ${methods}`}${note}`;
  }

  /**
   * Name of the manifest to remove later, together with any unfinished files at the destination; empty if the manifest
   * must be kept. Undefined if no unfinished files remain and none can appear later.
   */
  get leftoverManifest(): string | undefined {
    // A store may still create an object from an interrupted upload or copy, such as one of a killed rclone.
    const mayGetLateObjects = this.wasInterrupted && this.route.capabilities.mayWriteLate;
    return this.hasLeftovers || mayGetLateObjects ? this.manifestName : undefined;
  }

  /** The cluster that does the work; undefined if none does. */
  get cluster(): Cluster | undefined {
    // The sizes that the cluster takes can change meanwhile.
    this.choice ??= { cluster: this.chooseCluster() };
    return this.choice.cluster;
  }

  /** True if a cluster does the work. */
  get isOnCluster(): boolean {
    return this.cluster !== undefined;
  }

  /** The cluster that does the work, as the status describes it; undefined if none does. */
  get clusterSummary(): ClusterSummary | undefined {
    return this.cluster?.summary;
  }

  /** The work of a cluster on the files at the moment, as a clause; undefined if nothing is known. */
  get activity(): string | undefined {
    return this.openRoute?.activity;
  }

  /** Number of files transferred so far by unfinished jobs. */
  get movingCount(): number {
    return [...this.moving].reduce((sum, jobSignal) => sum + getDoneCount(jobSignal), 0);
  }

  /** The bytes so far, including those of unfinished jobs; undefined if they are unknown. */
  get bytes(): ByteCounts | undefined {
    const { all, staged, transferred } = this.totals;
    const capabilities = this.openRoute?.capabilities;
    if (capabilities?.canCountBytes === false) return undefined;
    const [reading, moving] = [sumBytes(this.staging), sumBytes(this.moving)];
    return {
      total: all,
      ...(capabilities?.isHashedFirst === true && { staged: staged + reading.read }),
      copied: transferred + moving.copied,
      verified: transferred + moving.read,
    };
  }

  /** Returns a page of the files, with their states, and the number of files in each state. */
  listFiles(query: FileQuery): FilePage {
    const hasEnded = isFinal(this.progress.getRecord().status);
    const getState = (file: TransferRecordFile): FileState =>
      this.getMovingState(file.position) ?? getFileState(file, hasEnded);
    return pickFiles(this.files, getState, query);
  }

  private getMovingState(position: number): FileState | undefined {
    const file = this.movingFiles.get(position);
    if (file === undefined) return undefined;
    return this.openRoute?.getTaskState ? this.openRoute.getTaskState(position) : getFileMark(file.signal, file.index);
  }

  /** Records why the transfer of a file failed. */
  recordProblem({ operation, path, text }: FileProblem): void {
    const file = this.files.find((one) => one.path === path);
    if (file === undefined) return;
    const change = { failedAttempts: (file.failedAttempts ?? 0) + 1, problem: `could not ${operation} it: ${text}` };
    this.progress.reportProblem(this.updateFile(file.position, change));
  }

  /** Runs the transfer until its manifest is written. Rejects with any error, such as a failure or a suspension. */
  async run(signal: AbortSignal): Promise<void> {
    await this.stage(signal);
    await this.restore(signal);
    const { catalog } = this.options.destination;
    const { id, folderName: chosen } = this.progress.getRecord();
    const folderName = getTransferFolderName(id, chosen);
    await catalog.pauseTracking(folderName);
    try {
      await this.move(signal);
      signal.throwIfAborted();
      this.progress.enterStatus('finalizing', 'finalizing');
      // Throws a suspension or, after too many attempts, a failure if a file was lost during the run.
      const requireFiles = async (): Promise<void> => {
        await this.findLost(signal);
        const lost = this.files.find((file) => !file.isTransferred);
        if (lost !== undefined) throw createLossError(lost.path, this.attempts);
      };
      const transferred = { record: this.progress.getRecord(), files: this.files, requireFiles };
      this.hasLeftovers = !(await this.route.finish(transferred, signal));
    } catch (error) {
      this.wasInterrupted = true;
      throw error;
    } finally {
      await catalog.resumeTracking(folderName);
    }
    signal.throwIfAborted();
  }

  /** Abandons threads that are still hanging in system calls after the run was stopped (D42: hanging disks). */
  abandon(): void {
    this.abandonment.abort();
  }

  /** Ends what continues on a cluster after the run was stopped. Never rejects. */
  async endTasks(): Promise<void> {
    await this.route.endTasks?.();
    await this.findArrived();
  }

  /** Removes unfinished files and the manifest from the destination; transferred files remain. Never rejects. */
  async discard(): Promise<void> {
    const { id } = this.progress.getRecord();
    this.manifestName = chooseManifestName(id, this.files);
    this.hasLeftovers = !(await this.route.discard(this.manifestName));
    await this.findArrived();
  }

  private get route(): TransferRoute {
    const { id: transferId, folderName, destinationPlace } = this.progress.getRecord();
    const isFlushed = this.files.length <= maxFlushedFiles;
    const abandonment = this.abandonment.signal;
    const options = { ...this.options, transferId, folderName, destinationPlace };
    this.openRoute ??= createRoute({ ...options, isFlushed, abandonment, cluster: this.cluster });
    return this.openRoute;
  }

  private chooseCluster(): Cluster | undefined {
    const { source, destination, cluster } = this.options;
    const isBetweenFolders = source.location.folder !== undefined && destination.location.folder !== undefined;
    return isBetweenFolders && cluster?.isWorthwhile(this.progress.getRecord()) === true ? cluster : undefined;
  }

  private async stage(signal: AbortSignal): Promise<void> {
    const { source, threads } = this.options;
    if (!this.route.capabilities.isHashedFirst) return;
    threads.ensureThreads(this.route.capabilities.parallelJobs);
    const unstaged = await this.listToStage(signal);
    if (unstaged.length === 0) return;
    this.progress.enterStatus('staging', `staging ${describeAmount(this.progress.getRecord())}`);
    await this.runInBatches(unstaged, signal, async (batch, jobSignal) => {
      const cached = await source.catalog.getCachedHashes(batch.map(({ path }) => path));
      const files = batch.map(({ position, path, bytes, resource }, index) => {
        return { position, path, bytes, declared: parseDeclaredHash(resource.hash), cachedHash: cached[index] };
      });
      const result = await countIn(this.staging, jobSignal, this.route.stage(files, jobSignal));
      const hashes = new Map(cached.map((file) => [file?.path, file?.sha256]));
      const staged = result.done.map(({ position, bytes, sha256, modifiedMs }) =>
        this.updateFile(position, { bytes, sha256, modifiedMs, problem: undefined }),
      );
      this.progress.reportAdvanced(staged);
      await this.cacheHashes(staged.filter(({ path, sha256 }) => hashes.get(path) !== sha256));
      return result;
    });
  }

  /** Returns the files to hash before they are moved: those that are large, or have a hash to compare with. */
  private async listToStage(signal: AbortSignal): Promise<readonly TransferRecordFile[]> {
    const { minStagedBytes } = this.route.capabilities;
    const unstaged = this.files.filter((file) => file.sha256 === undefined);
    const isSmall = ({ bytes, resource }: TransferRecordFile): boolean =>
      bytes < minStagedBytes && parseDeclaredHash(resource.hash) === undefined;
    const small = unstaged.filter(isSmall);
    const later = new Set<number>();
    for (const batch of splitIntoBatches(small, lookupLimit)) {
      signal.throwIfAborted();
      const cached = await this.options.source.catalog.getCachedHashes(batch.map(({ path }) => path));
      for (const [index, { position }] of batch.entries()) if (cached[index] === undefined) later.add(position);
    }
    this.hashesWhileMoving = later.size > 0;
    return unstaged.filter(({ position }) => !later.has(position));
  }

  private selectHashedNow(
    batch: readonly TransferRecordFile[],
    moved: readonly TransferRecordFile[],
  ): readonly TransferRecordFile[] {
    const unstaged = new Set(batch.flatMap(({ position, sha256 }) => (sha256 === undefined ? position : [])));
    // Where times are coarse, a file that has just changed can change again within its time. It isn't read again.
    const latestMs = this.options.clock.now() - timeStepMs;
    return moved.filter(({ position, modifiedMs = 0 }) => unstaged.has(position) && modifiedMs <= latestMs);
  }

  private async cacheHashes(files: readonly TransferRecordFile[]): Promise<void> {
    const hashed = files.flatMap(({ path, bytes, modifiedMs, sha256 }): HashedFile[] =>
      modifiedMs === undefined || sha256 === undefined ? [] : [{ path, bytes, modifiedMs, sha256 }],
    );
    await this.options.source.catalog.cacheHashes(hashed);
  }

  /**
   * Requests that archived files be restored, and throws a suspension if any of them can't be read yet. During later
   * checks, the status still says that the files are being restored.
   */
  private async restore(signal: AbortSignal): Promise<void> {
    if (this.archivedFiles === undefined) return;
    const record = this.progress.getRecord();
    if (record.status === 'staging') this.progress.enterStatus('staging', `staging ${describeAmount(record)}`);
    await this.archivedFiles.requireReadable(this.files, signal);
  }

  private async move(signal: AbortSignal): Promise<void> {
    this.progress.enterStatus('active', `transferring ${describeAmount(this.progress.getRecord())}`);
    await this.route.prepare();
    await this.findLost(signal);
    const remaining = this.files.filter((file) => !file.isTransferred);
    await this.runInBatches(remaining, signal, async (batch, jobSignal) => {
      for (const [index, { position }] of batch.entries()) this.movingFiles.set(position, { signal: jobSignal, index });
      const move = this.route.move(batch.map(toFileToMove), jobSignal);
      const result = await countIn(this.moving, jobSignal, move).finally(() => {
        for (const { position } of batch) this.movingFiles.delete(position);
      });
      const moved = result.done.map(({ position, bytes, sha256, storeHash, modifiedMs }) =>
        this.updateFile(position, { isTransferred: true, bytes, sha256, storeHash, modifiedMs, problem: undefined }),
      );
      for (const { verifiedBy } of result.done) if (verifiedBy !== undefined) this.methods.add(verifiedBy);
      this.progress.reportAdvanced(moved);
      if (this.hashesWhileMoving) await this.cacheHashes(this.selectHashedNow(batch, moved));
      if (result.isBatchIncomplete === true) this.wasInterrupted = true;
      if (result.failure?.operation === 'copy') await this.forgetHash(this.getFile(result.failure.position).path);
      return result;
    });
  }

  /** Forgets the cached hash of a file whose copy has a different hash, so that the file is read again. */
  private async forgetHash(path: string): Promise<void> {
    const { catalog } = this.options.source;
    const cached = await catalog.getCachedHashes([path]);
    await catalog.cacheHashes(cached.flatMap((file) => (file === undefined ? [] : [{ ...file, sha256: null }])));
  }

  /**
   * Finds transferred files that are missing or have a different size: the disk may have been replaced, unwritten data
   * may have been lost, or files may have been removed.
   */
  private async findLost(signal: AbortSignal): Promise<void> {
    const transferred = this.files.filter((file) => file.isTransferred);
    await this.runInBatches(transferred, signal, async (batch, jobSignal) => {
      const result = await this.route.findLost(batch.map(toFileToMove), jobSignal);
      this.progress.reportLost(
        (result.lost ?? []).map((position) => this.updateFile(position, { isTransferred: false })),
      );
      return result;
    });
  }

  private async findArrived(): Promise<void> {
    // Only tasks on a cluster that were ended have moved files without a result.
    if (!this.isOnCluster) return;
    // A different file may have the name of one that failed.
    const unreported = this.files.filter((file) => !file.isTransferred && file.sha256 !== undefined && !file.problem);
    const search = this.route.findLost(unreported.map(toFileToMove), createJobSignal());
    const { done, lost = [] } = await search.catch((): JobResult => ({ done: [] }));
    const missing = new Set(lost);
    const arrived = done.filter(({ position }) => !missing.has(position));
    this.progress.reportAdvanced(arrived.map(({ position }) => this.updateFile(position, { isTransferred: true })));
  }

  /** Runs batches as large and as parallel as suits the route. The first failure stops all, and is thrown. */
  private async runInBatches(
    files: readonly TransferRecordFile[],
    signal: AbortSignal,
    runJob: (batch: readonly TransferRecordFile[], jobSignal: JobSignal) => Promise<JobResult>,
  ): Promise<void> {
    const signals = new Set<JobSignal>();
    const stopAll = (): void => signals.forEach(requestStop);
    const { parallelJobs, jobLimit } = this.route.capabilities;
    const batches = splitIntoBatches(files, jobLimit);
    const errors: unknown[] = [];
    const runBatches = async (): Promise<void> => {
      for (let batch = batches.next(); batch.done !== true && errors.length === 0; batch = batches.next()) {
        signal.throwIfAborted();
        const jobSignal = createJobSignal(batch.value.length);
        signals.add(jobSignal);
        const { failure } = await runJob(batch.value, jobSignal);
        signals.delete(jobSignal);
        if (failure !== undefined) throw await this.route.toTransferError(failure, this.getFile(failure.position));
        signal.throwIfAborted();
      }
    };
    signal.addEventListener('abort', stopAll);
    const work = Array.from({ length: parallelJobs }, async () => {
      await runBatches().catch((error: unknown) => {
        errors.push(error);
        stopAll();
      });
    });
    await Promise.all(work);
    signal.removeEventListener('abort', stopAll);
    if (errors.length > 0) throw errors[0];
  }

  private getFile(position: number): TransferRecordFile {
    const file = this.files[position];
    if (file === undefined) throw new RangeError(`There is no file at position ${position}`);
    return file;
  }

  private updateFile(position: number, change: Partial<TransferRecordFile>): TransferRecordFile {
    const before = this.getFile(position);
    const file = { ...before, ...change };
    this.files[position] = file;
    this.count(before, -1);
    this.count(file, 1);
    return file;
  }

  private count({ bytes, sha256, isTransferred }: TransferRecordFile, sign: 1 | -1): void {
    this.totals.all += sign * bytes;
    if (sha256 !== undefined) this.totals.staged += sign * bytes;
    if (isTransferred) this.totals.transferred += sign * bytes;
  }
}

async function countIn(signals: Set<JobSignal>, signal: JobSignal, job: Promise<JobResult>): Promise<JobResult> {
  signals.add(signal);
  return await job.finally(() => signals.delete(signal));
}

function sumBytes(signals: ReadonlySet<JobSignal>): { readonly copied: number; readonly read: number } {
  let [copied, read] = [0, 0];
  for (const signal of signals) {
    const counts = getByteCounts(signal);
    copied += counts.copied;
    read += counts.read;
  }
  return { copied, read };
}

function toFileToMove({ position, path, bytes, sha256 = '', modifiedMs, resource }: TransferRecordFile): FileToMove {
  const listedMs = findKnownTime(Date.parse(String(resource['modified'])));
  return { position, path, bytes, sha256, modifiedMs, listedMs, declared: parseDeclaredHash(resource.hash) };
}

function* splitIntoBatches(
  files: readonly TransferRecordFile[],
  limit: RouteCapabilities['jobLimit'],
): Generator<readonly TransferRecordFile[], undefined> {
  let batch: TransferRecordFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && (batch.length === limit.files || bytes + file.bytes > limit.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.bytes;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
