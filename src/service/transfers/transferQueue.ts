import { randomUUID } from 'node:crypto';
import type { TransferRequest, TransferStatusDocument } from '../../contract/contract.ts';
import type { Clock } from '../../core/util/clock.ts';
import { formatErrorStack } from '../../core/util/errorFacts.ts';
import { thenField } from '../../core/util/followUp.ts';
import { omit } from '../../core/util/json.ts';
import { Emitter, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { ClusterChoice } from '../cluster/cluster.ts';
import type { DatabaseRegistry } from '../databases/databaseRegistry.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { AcknowledgementGate } from './acknowledgementGate.ts';
import { listJournaledFiles, type FilePage, type FileQuery } from './filePages.ts';
import { EndedTransfers } from './endedTransfers.ts';
import { FileThreads } from './fileThreads.ts';
import type { FollowUps } from './followUps.ts';
import { parallelJobs } from './folderRoute.ts';
import {
  describeAmount,
  hasEnded,
  toPausedRecord,
  toResumedRecord,
  toStatusDocument,
  type Leftovers,
  type TransferJournal,
  type TransferRecord,
} from './journal.ts';
import { LiveTransfer } from './liveTransfer.ts';
import {
  checkWritable,
  findServedPair,
  prepareSubmission,
  refuseUsedFolder,
  writeSubmission,
  type PreparedSubmission,
} from './prepareSubmission.ts';
import { canResume } from './storeRoute.ts';
import { TransferFailure, TransferSuspension } from './transferErrors.ts';
import { UnservedTransfers } from './unservedTransfers.ts';

interface TransferQueueOptions {
  readonly journal: TransferJournal;
  readonly databases: DatabaseRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Retention time for ended transfers (D25: durable transfers). */
  readonly retentionMs: number;
  /** Delay before the first checks of a suspended transfer, unless its suspension specifies its own. */
  readonly retryDelayMs: number;
  /** Runs the rclone process that reads and writes stores (D62: stores through rclone). */
  readonly daemon: RcloneDaemon;
  /** The cluster that large transfers between folders use, if there is one. */
  readonly cluster?: ClusterChoice | undefined;
  readonly followUps: FollowUps;
  readonly throttleBytesPerSecond?: number | undefined;
}

type CancelResult = 'accepted' | 'unknown' | 'notOwner' | 'ended';

/** The result of a request to pause or resume. `unchanged`: it already is paused, or isn't. */
type PauseResult = CancelResult | 'canceling' | 'ending' | 'unchanged';

/** Maximum number of transfers at a time, not counting those that wait for a cluster. */
const maxRunning = 3;
/** Time allowed for a canceled transfer's threads to stop. A slower thread presumably hangs in a system call. */
const stopMs = 500;
/** Time allowed for ending the tasks of a canceled transfer on a cluster while Slurm responds. */
const taskStopMs = 15_000;

/** Runs transfers and reports the status of all stored ones (D23: transfer states, D25: durable transfers). */
export class TransferQueue {
  private readonly options: TransferQueueOptions;
  /** Submissions that may not be stored yet, by ID. A change to the databases must not start their transfers. */
  private readonly submitting = new Map<string, TransferRecord>();
  private readonly live = new Map<string, LiveTransfer>();
  private readonly waiting = new Set<LiveTransfer>();
  private readonly running = new Map<LiveTransfer, Promise<void>>();
  private readonly unserved: UnservedTransfers;
  private readonly ended: EndedTransfers;
  private readonly threads: FileThreads;
  private readonly acknowledgementGate: AcknowledgementGate;
  private readonly activity = new Emitter<void>();
  private databaseListener: Disposable | undefined;
  private isClosed = false;

  /** Fires when {@link activeCount} may have changed. */
  readonly onDidChangeActivity = this.activity.event;

  constructor(options: TransferQueueOptions) {
    this.options = options;
    this.unserved = new UnservedTransfers(options);
    this.ended = new EndedTransfers(options);
    this.threads = new FileThreads(options.clock);
    this.acknowledgementGate = new AcknowledgementGate(options.clock);
  }

  /** Number of running and queued transfers, not counting suspended and paused ones. */
  get activeCount(): number {
    return this.waiting.size + this.running.size;
  }

  /** Resumes every unfinished transfer as soon as its databases are served. */
  start(): void {
    this.unserved.start();
    this.ended.start();
    this.resumeUnfinished();
    this.databaseListener = this.options.databases.onDidChange(() => this.watchDatabases());
  }

  /** Accepts a transfer and returns its ID once it is stored (D25: durable transfers). Throws {@link HttpProblem}. */
  async submit(request: TransferRequest): Promise<string> {
    const { databases, daemon, cluster, clock, journal, logger } = this.options;
    const accept = async (): Promise<string> => {
      // The threads start while the submission is checked and written; a cluster may make them unnecessary.
      if (cluster?.current === undefined) this.threads.ensureThreads(parallelJobs);
      const prepared = await prepareSubmission(databases, daemon, request, randomUUID(), clock.now());
      const submission = await this.addFollowUp(prepared, request);
      const { record, files } = submission;
      refuseUsedFolder(record, this.listUsedFolders());
      this.submitting.set(record.id, record);
      try {
        await writeSubmission(journal, submission, logger);
        const live = this.createLiveTransfer(record, files);
        if (live !== undefined) this.enqueue(live);
      } finally {
        this.submitting.delete(record.id);
      }
      return record.id;
    };
    return await this.acknowledgementGate.run(accept, () => this.pump());
  }

  private *listUsedFolders(): Generator<TransferRecord | Leftovers> {
    yield* this.submitting.values();
    yield* this.options.journal.listUnfinished();
    yield* this.options.journal.listLeftovers();
  }

  private async addFollowUp(prepared: PreparedSubmission, request: TransferRequest): Promise<PreparedSubmission> {
    const followUp = await this.options.followUps.readRequest(request);
    if (followUp === undefined) return prepared;
    // The manifest, which may be published, doesn't name files of this machine.
    const others = omit(request.instructions ?? {}, thenField);
    const instructions = Object.keys(others).length > 0 ? others : undefined;
    return { ...prepared, record: { ...prepared.record, instructions, followUp } };
  }

  /** Returns the record of a transfer; undefined if it is unknown or expired. */
  get(id: string): TransferRecord | undefined {
    return this.live.get(id)?.getRecord() ?? this.ended.get(id);
  }

  /** Returns the status of a transfer (§2.4); undefined if it is unknown or expired. */
  getStatus(id: string): TransferStatusDocument | undefined {
    const record = this.get(id);
    const live = this.live.get(id);
    const document = record && toStatusDocument(record, live?.getBytes(), live?.run.clusterSummary);
    return document && this.options.followUps.describe(document, record);
  }

  /**
   * Returns a page of a transfer's files with their states. Of an ended transfer, only those that weren't transferred
   * are listed. Returns undefined if the transfer is unknown or expired, or ended under a version that forgot its files.
   */
  listFiles(id: string, query: FileQuery): FilePage | undefined {
    const live = this.live.get(id);
    if (live !== undefined) return live.run.listFiles(query);
    const record = this.ended.get(id);
    return record && listJournaledFiles(this.options.journal, record, query);
  }

  /** Cancels a transfer if `orcid` belongs to its submitter (§4.7). Also accepts repeated requests. */
  cancel(id: string, orcid: string): CancelResult | 'starting' {
    const record = this.get(id);
    if (record === undefined) return 'unknown';
    if (record.orcid !== orcid) return 'notOwner';
    if (record.isCancelRequested) return 'accepted';
    if (hasEnded(record.status)) return this.cancelFollowUp(record);
    const live = this.live.get(id);
    if (live === undefined) this.unserved.cancel(record);
    else this.cancelLive(live);
    return 'accepted';
  }

  private cancelFollowUp({ id, status, followUp }: TransferRecord): CancelResult | 'starting' {
    const live = this.live.get(id);
    if (live !== undefined) this.settle(live, live.persist());
    // What follows would start once the end is stored.
    const isDue = this.live.has(id) && status === 'succeeded' && followUp !== undefined;
    if (isDue) throw new Error(`The end of transfer ${id} is not stored yet`);
    return this.options.followUps.cancel(id);
  }

  /** Pauses a transfer if `orcid` submitted it (D70: paused transfers). Throws if it can't be recorded. */
  pause(id: string, orcid: string): PauseResult {
    const result = this.checkPause(id, orcid, true);
    if (typeof result === 'string') return result;
    const live = this.live.get(id);
    if (live === undefined) this.options.journal.update(toPausedRecord(result));
    else this.pauseLive(live);
    return 'accepted';
  }

  /** Resumes a paused transfer if `orcid` submitted it. Throws if that can't be recorded. */
  resume(id: string, orcid: string): PauseResult {
    const result = this.checkPause(id, orcid, false);
    if (typeof result === 'string') return result;
    const known = this.live.get(id);
    const resumed = toResumedRecord(result);
    if (known === undefined) this.options.journal.update(resumed);
    else known.resume();
    const live = known ?? this.createLiveTransfer(resumed);
    // A run that hasn't stopped yet is followed by another one.
    if (live !== undefined && !this.running.has(live)) this.enqueue(live);
    return 'accepted';
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.ended.dispose();
    this.databaseListener?.dispose();
    this.activity.dispose();
    for (const live of this.live.values()) live.stop();
    this.options.cluster?.close();
    // Closing the daemon also ends requests to a store that does not respond.
    await Promise.all([...this.running.values(), this.unserved.close(), this.options.daemon.close()]);
    await this.threads.end();
    this.options.daemon.removeStaging();
  }

  private resumeUnfinished(): void {
    for (const record of this.options.journal.listUnfinished()) {
      const isKnown = this.live.has(record.id) || this.submitting.has(record.id);
      const live = isKnown ? undefined : this.createLiveTransfer(record);
      if (live?.getRecord().isPaused === true) this.endTasks(live);
      if (live === undefined || live.getRecord().isPaused) continue;
      // The previous reason for waiting may no longer apply.
      if (record.status === 'inactive') live.enterStatus('staging', `waiting to stage ${describeAmount(record)}`);
      this.enqueue(live);
    }
  }

  private watchDatabases(): void {
    if (this.isClosed) return;
    for (const live of [...this.live.values()]) {
      if (!this.running.has(live) && !this.waiting.has(live)) this.deferIfUnserved(live);
    }
    try {
      this.resumeUnfinished();
    } catch (error) {
      this.options.logger.error(`The journal cannot be read: ${String(error)}`);
    }
    this.unserved.removeLeftoversInBackground();
  }

  /** Moves a suspended transfer to the unserved transfers if one of its databases is no longer served. */
  private deferIfUnserved(live: LiveTransfer): void {
    const record = live.getRecord();
    if (findServedPair(this.options.databases, record) || hasEnded(record.status) || !live.persist()) return;
    live.stop();
    live.detach();
    this.live.delete(record.id);
    this.options.cluster?.keep(record.id, live.run.cluster);
    this.unserved.suspend(record);
  }

  private checkPause(id: string, orcid: string, isToBePaused: boolean): TransferRecord | PauseResult {
    const record = this.get(id);
    if (record === undefined) return 'unknown';
    if (record.orcid !== orcid) return 'notOwner';
    if (hasEnded(record.status)) return 'ended';
    if (record.isCancelRequested) return 'canceling';
    // It would be acknowledged, and the transfer would end all the same.
    if (this.live.get(id)?.isEnding === true) return 'ending';
    return (record.isPaused ?? false) === isToBePaused ? 'unchanged' : record;
  }

  private pauseLive(live: LiveTransfer): void {
    live.pause();
    if (this.waiting.delete(live)) this.releaseTransfer(live);
    this.endTasks(live);
  }

  private endTasks(live: LiveTransfer): void {
    // They may be of an earlier run of the service, which ended before it could end them.
    if (live.run.isOnCluster && !this.running.has(live)) this.startTransfer(live);
  }

  private cancelLive(live: LiveTransfer): void {
    live.requestCancel();
    this.waiting.delete(live);
    if (!this.running.has(live)) this.startTransfer(live);
    this.activity.fire();
    this.limitEnd(live, this.options.clock.now() + taskStopMs);
  }

  private limitEnd(live: LiveTransfer, taskEndMs: number): void {
    const { clock } = this.options;
    clock.after(stopMs, () => {
      const areTasksEnding = live.run.cluster?.slurm.isResponding === true && clock.now() < taskEndMs;
      if (areTasksEnding && !this.isClosed && this.running.has(live)) this.limitEnd(live, taskEndMs);
      else this.endHanging(live);
    });
  }

  /**
   * Ends a canceled transfer whose file operations haven't returned (D42: hanging disks). When the operations return,
   * the transfer's leftovers are removed again.
   */
  private endHanging(live: LiveTransfer): void {
    if (this.isClosed || !this.running.has(live)) return;
    live.run.abandon();
    if (!live.persist() || !this.unserved.suspend(live.getRecord())) {
      this.options.clock.after(this.options.retryDelayMs, () => this.endHanging(live));
      return;
    }
    this.live.delete(live.detach().id);
    this.releaseTransfer(live);
  }

  /** Loads a transfer from `newFiles` or the journal. Suspends it and returns undefined if a database isn't served. */
  private createLiveTransfer(record: TransferRecord, newFiles?: PreparedSubmission['files']): LiveTransfer | undefined {
    const { journal, clock, logger, daemon, cluster, throttleBytesPerSecond } = this.options;
    const databases = findServedPair(this.options.databases, record);
    if (databases === undefined) {
      this.unserved.suspend(record);
      return undefined;
    }
    const files = newFiles ?? journal.listFiles(record.id);
    const limits = { throttleBytesPerSecond, isResumed: !newFiles };
    const clusters = { cluster: cluster?.current, keptCluster: cluster?.take(record.id) };
    const run = { ...databases, threads: this.threads, daemon, ...clusters, clock, ...limits };
    const movedCount = files.filter((file) => file.isTransferred).length;
    const live = new LiveTransfer({ ...record, movedCount }, files, { journal, clock, logger }, run);
    this.live.set(record.id, live);
    return live;
  }

  private enqueue(live: LiveTransfer): void {
    this.waiting.add(live);
    this.retainDatabases(live);
    this.pump();
    this.activity.fire();
  }

  /** Keeps the databases of a queued or running transfer open until it ends or is suspended. */
  private retainDatabases(live: LiveTransfer): void {
    const { sourceId, destinationId } = live.getRecord();
    live.retainedDatabases ??= this.options.databases.retain([sourceId, destinationId]);
  }

  private pump(): void {
    for (const next of this.waiting) {
      if (this.isClosed || this.acknowledgementGate.isClosed) return;
      const mustWait = !next.run.isOnCluster && this.isBusy;
      if (mustWait && this.options.cluster?.latest === undefined) return;
      if (mustWait) continue;
      this.waiting.delete(next);
      this.startTransfer(next);
    }
  }

  private get isBusy(): boolean {
    return [...this.running.keys()].filter(({ run }) => !run.isOnCluster).length >= maxRunning;
  }

  private startTransfer(live: LiveTransfer): void {
    this.retainDatabases(live);
    const work = this.drive(live).finally(() => this.releaseTransfer(live));
    this.running.set(live, work);
  }

  private releaseTransfer(live: LiveTransfer): void {
    this.running.delete(live);
    if (this.isClosed) return;
    live.retainedDatabases?.dispose();
    live.retainedDatabases = undefined;
    if (live.getRecord().isPaused) this.deferIfUnserved(live);
    if (this.mustRunAgain(live)) this.enqueue(live);
    this.pump();
    this.activity.fire();
  }

  private mustRunAgain(live: LiveTransfer): boolean {
    // True if the transfer was paused, and resumed before its run had stopped.
    const { id, isPaused, isCancelRequested, status } = live.getRecord();
    const isUnfinished = !isPaused && !isCancelRequested && !hasEnded(status);
    return live.signal.aborted && isUnfinished && this.live.get(id) === live;
  }

  private async drive(live: LiveTransfer): Promise<void> {
    if (live.getRecord().isPaused) {
      live.stop();
      await this.finishPause(live);
      return;
    }
    const signal = live.beginRun();
    try {
      if (!live.getRecord().isCancelRequested) {
        checkWritable(this.options.databases, live.getRecord());
        await live.run.run(signal);
      }
    } catch (error) {
      if (!live.getRecord().isCancelRequested) {
        await this.handleFailure(live, error);
        return;
      }
    }
    if (live.getRecord().isCancelRequested) await this.endUnfinished(live, 'canceled');
    else this.end(live, 'succeeded', live.run.describeSuccess());
  }

  private async handleFailure(live: LiveTransfer, error: unknown): Promise<void> {
    const isStopped = this.isClosed || live.signal.aborted;
    const isExpected = error instanceof TransferSuspension || error instanceof TransferFailure;
    if (!isStopped && isExpected && error.problem !== undefined) live.run.recordProblem(error.problem);
    // A stopped run may fail for any reason. A later one decides.
    if (isStopped) {
      live.persist();
      if (live.getRecord().isPaused && !this.isClosed) await this.finishPause(live);
    } else if (error instanceof TransferSuspension) {
      live.suspend(error);
      this.retryLater(live, error);
    } else if (error instanceof TransferFailure) {
      await this.endUnfinished(live, `failed (${error.message})`);
    } else {
      this.options.logger.error(`Unexpected error: ${formatErrorStack(error)}`);
      await this.endUnfinished(live, "failed (unexpected error, see the service's log)");
    }
  }

  private async finishPause(live: LiveTransfer): Promise<void> {
    await live.run.endTasks();
    // A cancel request in the meantime has been acknowledged.
    if (live.getRecord().isCancelRequested) await this.endUnfinished(live, 'canceled');
  }

  private async endUnfinished(live: LiveTransfer, text: string): Promise<void> {
    live.beginEnd();
    await live.run.discard();
    // A cancel request during the removal of leftovers has been acknowledged and takes precedence.
    this.end(live, 'failed', live.getRecord().isCancelRequested ? 'canceled' : text);
  }

  private end(live: LiveTransfer, status: 'succeeded' | 'failed', text: string): void {
    // A canceled transfer may have ended before its file operations did.
    if (this.live.get(live.getRecord().id) !== live) return;
    // If the journal cannot be written, the record stays in memory, so that its status remains correct.
    this.settle(live, live.finish(status, text));
  }

  private settle(live: LiveTransfer, isWritten: boolean): void {
    const { id } = live.getRecord();
    live.retry?.dispose();
    if (isWritten) {
      this.live.delete(id);
      this.options.followUps.begin(id);
      if (live.run.leftoverManifest !== undefined) this.unserved.removeLateObjects(id);
    } else if (!this.isClosed) {
      live.retry = this.options.clock.after(this.options.retryDelayMs, () => this.settle(live, live.persist()));
    }
  }

  private retryLater(live: LiveTransfer, suspension: TransferSuspension): void {
    if (this.isClosed) return;
    const delayMs = suspension.retryMs ?? live.getRetryMs(this.options.retryDelayMs);
    live.retry = this.options.clock.after(delayMs, () => void this.retry(live, suspension));
  }

  private async retry(live: LiveTransfer, suspension: TransferSuspension): Promise<void> {
    const { id } = live.getRecord();
    const databases = findServedPair(this.options.databases, live.getRecord());
    const isReady = databases && (await canResume(this.options.daemon, databases, suspension, id));
    const isCurrent = this.live.get(id) === live;
    const isBusy = this.waiting.has(live) || this.running.has(live);
    const { isCancelRequested, isPaused } = live.getRecord();
    if (this.isClosed || !isCurrent || isBusy || isCancelRequested || isPaused) return;
    if (isReady === true) this.enqueue(live);
    else this.retryLater(live, suspension);
  }
}
