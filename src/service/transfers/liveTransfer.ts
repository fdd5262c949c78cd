import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { TransferJournal } from './journal.ts';
import { messageOf, type TransferFile, type TransferRecord, type TransferStatusWord } from './transferRecord.ts';
import { TransferRun, type RunOptions, type RunProgress } from './transferRun.ts';

const flushFiles = 1_000;
const flushAfterMs = 500;

/** What a live transfer works with. */
interface LiveTransferOptions {
  readonly journal: TransferJournal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A transfer that has not ended: its record, kept in step with the journal. How far files have come reaches the journal
 * in lots: one that a crash keeps from it is found at the destination again, or read once more (D25).
 */
export class LiveTransfer implements RunProgress {
  readonly run: TransferRun;
  /** Present while the transfer waits for a folder to come back. */
  retry: Disposable | undefined;
  /** Present while it keeps its databases from going. */
  kept: Disposable | undefined;
  private readonly options: LiveTransferOptions;
  private readonly abort = new AbortController();
  private current: TransferRecord;
  private unwritten: TransferFile[] = [];
  private writtenAtMs: number;

  constructor(record: TransferRecord, files: readonly TransferFile[], options: LiveTransferOptions, run: RunOptions) {
    this.current = record;
    this.options = options;
    this.writtenAtMs = options.clock.now();
    this.run = new TransferRun(run, this, files);
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  record(): TransferRecord {
    return { ...this.current, movedCount: this.current.movedCount + this.run.movingCount };
  }

  enter(status: TransferStatusWord, text: string): void {
    const message = messageOf(this.current.id, text);
    if (this.current.status === status && this.current.message === message) return;
    this.current = { ...this.current, status, message };
    this.persist();
    this.options.logger.info(message);
  }

  advanced(files: readonly TransferFile[]): void {
    const landed = files.filter((file) => file.isLanded).length;
    this.current = { ...this.current, movedCount: this.current.movedCount + landed };
    this.unwritten.push(...files);
    const isTime = this.options.clock.now() - this.writtenAtMs >= flushAfterMs;
    if (isTime || this.unwritten.length >= flushFiles) this.persist();
  }

  lost(files: readonly TransferFile[]): void {
    if (files.length === 0) return;
    this.current = { ...this.current, movedCount: this.current.movedCount - files.length };
    this.unwritten.push(...files);
    this.persist();
  }

  /** Writes down that the transfer is to be cancelled, and stops what runs. Throws when it cannot be written. */
  requestCancel(): void {
    const cancelled = { ...this.current, isCancelRequested: true };
    this.options.journal.update(cancelled);
    this.current = cancelled;
    this.stop();
  }

  /** Stops what runs, and saves how far it has come: what hangs in the system may never report again (D42). */
  stop(): void {
    this.retry?.dispose();
    this.abort.abort();
    this.persist();
  }

  /** Enters an ended state. False when the journal could not be told. */
  end(status: 'succeeded' | 'failed', text: string): boolean {
    const message = messageOf(this.current.id, text);
    this.current = { ...this.current, status, message, endedAtMs: this.options.clock.now() };
    this.options.logger.info(message);
    return this.persist();
  }

  /** Brings the journal up to date. What cannot be written now is tried again with the next step. */
  persist(): boolean {
    try {
      if (this.unwritten.length > 0) this.options.journal.updateFiles(this.current, this.unwritten);
      this.unwritten = [];
      this.options.journal.update(this.current);
      this.writtenAtMs = this.options.clock.now();
      return true;
    } catch (error) {
      this.options.logger.error(`The journal cannot be written: ${String(error)}`);
      return false;
    }
  }
}
