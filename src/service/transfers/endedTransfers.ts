import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { TransferJournal, TransferRecord } from './journal.ts';

interface EndedTransfersOptions {
  readonly journal: TransferJournal;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly retentionMs: number;
}

const pruneEveryMs = 3_600_000;

/** Removes the records of ended transfers after their retention period (D25: durable transfers). */
export class EndedTransfers implements Disposable {
  private readonly options: EndedTransfersOptions;
  private pruning: Disposable | undefined;

  constructor(options: EndedTransfersOptions) {
    this.options = options;
  }

  /** Removes expired records immediately and then every hour. */
  start(): void {
    this.prune();
    this.pruning = this.options.clock.after(pruneEveryMs, () => this.start());
  }

  /** Returns a transfer's record from the journal; undefined if it is unknown or expired. */
  get(id: string): TransferRecord | undefined {
    const record = this.options.journal.get(id);
    if (!this.isExpired(record)) return record;
    // The clock may have jumped since the last check; pruning corrects the end times.
    this.prune();
    const corrected = this.options.journal.get(id);
    return this.isExpired(corrected) ? undefined : corrected;
  }

  dispose(): void {
    this.pruning?.dispose();
  }

  private isExpired(record: TransferRecord | undefined): boolean {
    const { clock, retentionMs } = this.options;
    return record?.endedAtMs !== undefined && record.endedAtMs < clock.now() - retentionMs;
  }

  private prune(): void {
    const { journal, clock, logger, retentionMs } = this.options;
    try {
      journal.prune(clock.now(), retentionMs);
    } catch (error) {
      // Expired transfers are reported as unknown anyway; the next pruning retries.
      logger.error(`The journal cannot be written: ${String(error)}`);
    }
  }
}
