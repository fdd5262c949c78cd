import { getBackoffMs, type Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import {
  formatTransferMessage,
  hasEnded,
  toPausedRecord,
  toResumedRecord,
  type ByteCounts,
  type TransferJournal,
  type TransferRecord,
  type TransferRecordFile,
  type TransferStatusWord,
} from './journal.ts';
import type { TransferSuspension } from './transferErrors.ts';
import { TransferRun, type TransferRunOptions, type RunProgress } from './transferRun.ts';

const flushFiles = 1_000;
const flushAfterMs = 500;
/** Number of suspensions without progress after which the delay before the next check doubles each time. */
const suspensionsBeforeBackoff = 4;
const maxRetryMs = 600_000;

interface LiveTransferOptions {
  readonly journal: TransferJournal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An unfinished transfer and its record. Writes file progress to the journal in batches (D25: durable transfers). */
export class LiveTransfer implements RunProgress {
  readonly run: TransferRun;
  /** Timer for the next check of a suspended transfer; undefined before its first suspension. */
  retry: Disposable | undefined;
  /** Present while the transfer keeps its databases open. */
  retainedDatabases: Disposable | undefined;
  private readonly options: LiveTransferOptions;
  private abort = new AbortController();
  private current: TransferRecord;
  private unwritten: TransferRecordFile[] = [];
  private writtenAtMs: number;
  private isDetached = false;
  private isEndingNow = false;
  /** Number of suspensions since a file was last staged or transferred, not counting those with their own delay. */
  private suspensionCount = 0;

  constructor(
    record: TransferRecord,
    files: readonly TransferRecordFile[],
    options: LiveTransferOptions,
    run: TransferRunOptions,
  ) {
    this.current = record;
    this.options = options;
    this.writtenAtMs = options.clock.now();
    this.run = new TransferRun(run, this, files);
  }

  /** True once nothing but a cancel request can change how the transfer ends. */
  get isEnding(): boolean {
    return this.isEndingNow;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  getRecord(): TransferRecord {
    const { message, movedCount } = this.current;
    const { movingCount, activity } = this.run;
    const details = activity === undefined || this.current.isPaused ? '' : `; ${activity}`;
    return { ...this.current, movedCount: movedCount + movingCount, message: message + details };
  }

  /** Returns the bytes so far; undefined if they are unknown, or if the transfer has ended. */
  getBytes(): ByteCounts | undefined {
    return hasEnded(this.current.status) ? undefined : this.run.bytes;
  }

  enterStatus(status: TransferStatusWord, text: string): void {
    const message = formatTransferMessage(this.current.id, text);
    // A paused transfer remains so, whatever its run does until it has stopped.
    if (this.isDetached || this.current.isPaused) return;
    if (this.current.status === status && this.current.message === message) return;
    this.current = { ...this.current, status, message };
    this.persist();
    this.options.logger.info(message);
  }

  /** Suspends the transfer. A suspension with its own delay, such as a restore's, doesn't lengthen later delays. */
  suspend({ message, retryMs }: TransferSuspension): void {
    if (retryMs === undefined) this.suspensionCount += 1;
    this.enterStatus('inactive', message);
  }

  /**
   * Returns the delay in milliseconds before a suspended transfer's next check. It is `firstMs` after each of the first
   * four suspensions without progress. Each further suspension doubles the delay, up to ten minutes, because every run
   * may upload the same file again.
   */
  getRetryMs(firstMs: number): number {
    return getBackoffMs(1 + Math.max(0, this.suspensionCount - suspensionsBeforeBackoff), firstMs, maxRetryMs);
  }

  reportAdvanced(files: readonly TransferRecordFile[]): void {
    if (files.length > 0) this.suspensionCount = 0;
    const transferredCount = files.filter((file) => file.isTransferred).length;
    this.current = { ...this.current, movedCount: this.current.movedCount + transferredCount };
    this.unwritten.push(...files);
    const isDue = this.options.clock.now() - this.writtenAtMs >= flushAfterMs;
    if (isDue || this.unwritten.length >= flushFiles) this.persist();
  }

  reportLost(files: readonly TransferRecordFile[]): void {
    if (files.length === 0) return;
    this.current = { ...this.current, movedCount: this.current.movedCount - files.length };
    this.unwritten.push(...files);
    this.persist();
  }

  reportProblem(file: TransferRecordFile): void {
    this.unwritten.push(file);
  }

  /** Records the cancel request and stops the run. Throws if the journal cannot be written. */
  requestCancel(): void {
    this.replaceRecord({ ...this.current, isCancelRequested: true, isPaused: false });
    this.stop();
  }

  /** Pauses the transfer (D70: paused transfers). Throws if the journal cannot be written. */
  pause(): void {
    this.replaceRecord(toPausedRecord(this.current));
    this.options.logger.info(this.current.message);
    this.stop();
  }

  /** Records that the transfer is to continue. Throws if the journal cannot be written. */
  resume(): void {
    this.replaceRecord(toResumedRecord(this.current));
    this.options.logger.info(this.current.message);
    this.suspensionCount = 0;
  }

  /** Decides that the transfer ends, before its leftovers are removed. */
  beginEnd(): void {
    this.isEndingNow = true;
  }

  /** Prepares the next run, and returns the signal that stops it. */
  beginRun(): AbortSignal {
    if (this.signal.aborted) this.abort = new AbortController();
    return this.signal;
  }

  /** Stops the run and saves at once, because a system call may never return (D42: hanging disks). */
  stop(): void {
    this.retry?.dispose();
    this.abort.abort();
    this.persist();
  }

  /** Stops saving the run's progress and returns the record, which other code updates from then on. */
  detach(): TransferRecord {
    this.isDetached = true;
    return this.getRecord();
  }

  /** Ends the transfer in a final state. Returns false if that could not be written to the journal. */
  finish(status: 'succeeded' | 'failed', text: string): boolean {
    const message = formatTransferMessage(this.current.id, text);
    const endedAtMs = this.options.clock.now();
    this.current = { ...this.current, isPaused: false, status, message, endedAtMs };
    this.options.logger.info(message);
    if (this.run.leftoverManifest !== undefined)
      this.options.logger.warn(
        `Transfer ${this.current.id}: its destination may have unfinished files, to be removed later`,
      );
    return this.persist();
  }

  private replaceRecord(record: TransferRecord): void {
    // Written first, because the caller acknowledges the change.
    this.options.journal.update(record);
    this.current = record;
  }

  /**
   * Writes all pending changes to the journal. Returns false if the transfer is detached or if writing fails; after a
   * failure, the next call writes the changes.
   */
  persist(): boolean {
    if (this.isDetached) return false;
    try {
      if (this.unwritten.length > 0) this.options.journal.updateFiles(this.current, this.unwritten);
      this.unwritten = [];
      const manifest = hasEnded(this.current.status) ? this.run.leftoverManifest : undefined;
      if (manifest === undefined) this.options.journal.update(this.current);
      else this.options.journal.endWithLeftovers(this.current, manifest);
      this.writtenAtMs = this.options.clock.now();
      return true;
    } catch (error) {
      this.options.logger.error(`The journal cannot be written: ${String(error)}`);
      return false;
    }
  }
}
