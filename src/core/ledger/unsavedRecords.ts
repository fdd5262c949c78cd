import type { Transfer } from '../model/transfer.ts';
import type { Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import type { TransferLedger } from './transferLedger.ts';
import { mergeTransfers } from './transferMerge.ts';

const firstWaitMs = 2_000;
const longestWaitMs = 300_000;

/** What could not be written to the ledger, on a full disk say: it is kept in memory and tried again, and never lost silently. */
export class UnsavedRecords implements Disposable {
  private readonly ledger: TransferLedger;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly unsaved = new Map<string, Transfer>();
  private readonly trouble = new Emitter<unknown>();
  private waitMs = firstWaitMs;
  private waiting: Disposable | undefined;
  private isTroubled = false;

  /** Carries why it could not be written, once until everything is on disk again. */
  readonly onDidFail = this.trouble.event;

  constructor(ledger: TransferLedger, clock: Clock, log: Logger) {
    this.ledger = ledger;
    this.clock = clock;
    this.log = log;
  }

  /** Writes to the ledger, now or later; never rejects. Resolves with what is known of the transfer, other windows included. */
  async keep(transfer: Transfer): Promise<Transfer> {
    const waiting = this.unsaved.get(transfer.key);
    const latest = waiting ? mergeTransfers(waiting, transfer) : transfer;
    const known = await this.save(latest);
    if (known && this.unsaved.size > 0) void this.saveAll();
    return known ?? latest;
  }

  has(key: string): boolean {
    return this.unsaved.has(key);
  }

  /** Gives up what is not wanted any longer. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.unsaved.delete(key);
    this.settle();
  }

  dispose(): void {
    this.waiting?.dispose();
    this.trouble.dispose();
  }

  private async save(transfer: Transfer): Promise<Transfer | undefined> {
    const before = this.unsaved.get(transfer.key);
    try {
      const known = await this.ledger.write(transfer);
      if (this.unsaved.get(transfer.key) === before) this.unsaved.delete(transfer.key);
      this.settle();
      return known;
    } catch (error) {
      this.fail(transfer, error);
      return undefined;
    }
  }

  private fail(transfer: Transfer, error: unknown): void {
    const other = this.unsaved.get(transfer.key);
    this.unsaved.set(transfer.key, other ? mergeTransfers(other, transfer) : transfer);
    this.waiting ??= this.clock.after(this.waitMs, () => void this.tryAgain());
    if (this.isTroubled) return;
    this.isTroubled = true;
    this.log.error(`The record of a transfer could not be written, and is kept until it can be: ${String(error)}`);
    this.trouble.fire(error);
  }

  private async tryAgain(): Promise<void> {
    this.waiting = undefined;
    this.waitMs = Math.min(this.waitMs * 2, longestWaitMs);
    await this.saveAll();
  }

  /** One after the other, and no further than the first that cannot be written. */
  private async saveAll(): Promise<void> {
    for (const transfer of [...this.unsaved.values()]) if (!(await this.save(transfer))) return;
  }

  private settle(): void {
    if (this.unsaved.size > 0 || !this.isTroubled) return;
    this.waiting?.dispose();
    this.waiting = undefined;
    this.waitMs = firstWaitMs;
    this.isTroubled = false;
    this.log.info('All records of transfers are written again');
  }
}
