import type { Transfer } from '../model/transferModel.ts';
import type { Clock } from '../util/clock.ts';
import { Emitter, type Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { mergeTransfers, type TransferLedger } from './transferLedger.ts';

const minWaitMs = 2_000;
const maxWaitMs = 300_000;

/** Writes transfers to the ledger. If a write fails, keeps the transfer in memory and retries. */
export class UnsavedRecords implements Disposable {
  private readonly ledger: TransferLedger;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly unsaved = new Map<string, Transfer>();
  private readonly failed = new Emitter<unknown>();
  private waitMs = minWaitMs;
  private retryTimer: Disposable | undefined;
  private isFailing = false;

  /**
   * Fires with the error of the first failed write. Doesn't fire for another failure until all records have been saved.
   */
  readonly onDidFail = this.failed.event;

  constructor(ledger: TransferLedger, clock: Clock, log: Logger) {
    this.ledger = ledger;
    this.clock = clock;
    this.log = log;
  }

  /**
   * Writes a transfer, and retries later if writing fails. Resolves to the merged record, even if it has not been
   * written yet. Never rejects.
   */
  async save(transfer: Transfer): Promise<Transfer> {
    const unsaved = this.unsaved.get(transfer.key);
    const latest = unsaved ? mergeTransfers(unsaved, transfer) : transfer;
    const saved = await this.tryToSave(latest);
    if (saved && this.unsaved.size > 0) void this.saveAll();
    return saved ?? latest;
  }

  has(key: string): boolean {
    return this.unsaved.has(key);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.unsaved.delete(key);
    this.resetIfSaved();
  }

  dispose(): void {
    this.retryTimer?.dispose();
    this.failed.dispose();
  }

  private async tryToSave(transfer: Transfer): Promise<Transfer | undefined> {
    const before = this.unsaved.get(transfer.key);
    try {
      const saved = await this.ledger.write(transfer);
      if (this.unsaved.get(transfer.key) === before) this.unsaved.delete(transfer.key);
      this.resetIfSaved();
      return saved;
    } catch (error) {
      this.fail(transfer, error);
      return undefined;
    }
  }

  private fail(transfer: Transfer, error: unknown): void {
    const other = this.unsaved.get(transfer.key);
    this.unsaved.set(transfer.key, other ? mergeTransfers(other, transfer) : transfer);
    this.retryTimer ??= this.clock.after(this.waitMs, () => void this.retry());
    if (this.isFailing) return;
    this.isFailing = true;
    this.log.error(`The record of a transfer could not be written; writing will be retried: ${String(error)}`);
    this.failed.fire(error);
  }

  private async retry(): Promise<void> {
    this.retryTimer = undefined;
    this.waitMs = Math.min(this.waitMs * 2, maxWaitMs);
    await this.saveAll();
  }

  /** Saves the records one at a time until one cannot be written. */
  private async saveAll(): Promise<void> {
    for (const transfer of [...this.unsaved.values()]) if (!(await this.tryToSave(transfer))) return;
  }

  private resetIfSaved(): void {
    if (this.unsaved.size > 0 || !this.isFailing) return;
    this.retryTimer?.dispose();
    this.retryTimer = undefined;
    this.waitMs = minWaitMs;
    this.isFailing = false;
    this.log.info('No transfer records are waiting to be written');
  }
}
