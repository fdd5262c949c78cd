import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { TransferJournal } from './journal.ts';
import type { TransferRecord } from './transferRecord.ts';

interface EndedTransfersOptions {
  readonly journal: TransferJournal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Retention of ended transfers (D25). */
  readonly retentionMs: number;
}

const pruneEveryMs = 3_600_000;

/** Forgets ended transfers when their time has passed (D25). */
export class EndedTransfers implements Disposable {
  private readonly options: EndedTransfersOptions;
  private pruning: Disposable | undefined;

  constructor(options: EndedTransfersOptions) {
    this.options = options;
  }

  /** Prunes now and every hour, each time followed by `afterwards`. */
  start(afterwards: () => void): void {
    this.prune();
    afterwards();
    this.pruning = this.options.clock.after(pruneEveryMs, () => this.start(afterwards));
  }

  /** Returns the record of a transfer in the journal; undefined when it is unknown or its time has passed. */
  get(id: string): TransferRecord | undefined {
    const record = this.options.journal.get(id);
    if (!this.isPast(record)) return record;
    // The clock may have jumped since the last look: pruning takes that into account.
    this.prune();
    const kept = this.options.journal.get(id);
    return this.isPast(kept) ? undefined : kept;
  }

  dispose(): void {
    this.pruning?.dispose();
  }

  private isPast(record: TransferRecord | undefined): boolean {
    const { clock, retentionMs } = this.options;
    return record?.endedAtMs !== undefined && record.endedAtMs < clock.now() - retentionMs;
  }

  private prune(): void {
    const { journal, clock, logger, retentionMs } = this.options;
    try {
      journal.prune(clock.now(), retentionMs);
    } catch (error) {
      // They are answered for as forgotten all the same, and tried again with the next.
      logger.error(`The journal cannot be written: ${String(error)}`);
    }
  }
}
