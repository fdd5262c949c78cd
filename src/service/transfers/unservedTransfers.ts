import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { DatabaseLocation, ServedDatabases } from '../catalog/servedDatabases.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { discardInStore } from './storeAccess.ts';
import type { TransferJournal } from './journal.ts';
import { discardTransfer } from './destinationFolders.ts';
import { chooseManifestName } from './manifest.ts';
import { formatTransferMessage, type TransferRecord } from './journalRecord.ts';

interface UnservedTransfersOptions {
  readonly journal: TransferJournal;
  readonly databases: ServedDatabases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly daemon: RcloneDaemon;
}

/** Milliseconds to wait before assuming that a store has finished creating objects from interrupted uploads. */
const lateObjectsMs = 10_000;

/**
 * Manages transfers that are waiting for their databases to be served, and the leftovers of ended transfers (D25:
 * durable transfers).
 */
export class UnservedTransfers {
  private readonly options: UnservedTransfersOptions;
  private removal: Promise<void> = Promise.resolve();
  /**
   * IDs of canceled transfers whose leftovers in a store are removed twice. The store may finish a copy after the
   * cancellation (D66: copies within a store).
   */
  private readonly canceled = new Set<string>();
  /** IDs of transfers for which a failure to remove the leftovers has been logged. */
  private readonly reported = new Set<string>();
  /** Timers for the removal of late objects, by transfer ID. */
  private readonly timers = new Map<string, Disposable>();
  private isClosed = false;

  constructor(options: UnservedTransfersOptions) {
    this.options = options;
  }

  /**
   * Suspends a transfer, or ends it if a cancel request was accepted. If the journal can't be written, logs the error
   * without throwing it; the write is retried when the databases change.
   */
  suspend(record: TransferRecord): void {
    try {
      if (record.isCancelRequested) this.cancel(record);
      else this.writeSuspension(record);
    } catch (error) {
      this.options.logger.error(`The journal cannot be written: ${String(error)}`);
    }
  }

  private writeSuspension(record: TransferRecord): void {
    const { id, sourceId, destinationId } = record;
    const missing = this.options.databases.findById(sourceId) === undefined ? sourceId : destinationId;
    const message = formatTransferMessage(id, `waiting: the database ${missing} is not served`);
    if (record.status === 'inactive' && record.message === message) return;
    const movedCount = this.options.journal.countTransferred(id);
    this.options.journal.update({ ...record, status: 'inactive', message, movedCount });
    this.options.logger.warn(message);
  }

  /** Ends a suspended transfer as canceled. Throws if the journal cannot be written. */
  cancel(record: TransferRecord): void {
    const { journal, clock, logger } = this.options;
    const message = formatTransferMessage(record.id, 'canceled');
    const manifestName = chooseManifestName(record.id, journal.listFiles(record.id));
    journal.endWithLeftovers(
      { ...record, status: 'failed', message, isCancelRequested: true, endedAtMs: clock.now() },
      manifestName,
    );
    logger.info(message);
    this.canceled.add(record.id);
    this.removeLeftoversInBackground();
  }

  /** Removes the leftovers at all available destinations in the background. */
  removeLeftoversInBackground(): void {
    this.removal = this.removal.then(async () => await this.removeLeftovers());
  }

  /**
   * Removes the leftovers of an ended transfer once its store has presumably created all objects whose uploads were
   * interrupted. The leftovers are removed again together with those of other transfers, in case the store takes
   * longer.
   */
  removeLateObjects(transferId: string): void {
    const timer = this.options.clock.after(lateObjectsMs, () => {
      this.timers.delete(transferId);
      this.removal = this.removal.then(async () => await this.removeLeftovers(transferId));
    });
    this.timers.set(transferId, timer);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const timer of this.timers.values()) timer.dispose();
    await this.removal;
  }

  /** Removes the leftovers of a transfer at a destination. Returns false if the removal must be tried again later. */
  private async removeAt({ folder, remote }: DatabaseLocation, transferId: string, manifest: string): Promise<boolean> {
    if (remote !== undefined) return await discardInStore(this.options.daemon, { remote, transferId, manifest });
    return await discardTransfer(folder, transferId, manifest);
  }

  /** Removes all leftovers, or only those of one transfer, in which case its entry remains in the journal. */
  private async removeLeftovers(only?: string): Promise<void> {
    const { journal, databases, logger } = this.options;
    if (this.isClosed) return;
    try {
      const found = journal.listLeftovers().filter(({ transferId }) => only === undefined || only === transferId);
      for (const { transferId, destinationId, manifestName } of found) {
        const location = databases.findById(destinationId)?.location;
        if (location === undefined) continue;
        const isRemoved = await this.removeAt(location, transferId, manifestName);
        this.reportRemoval(transferId, isRemoved);
        if (isRemoved && only === undefined && !this.mayReappear(transferId, location))
          journal.forgetLeftovers(transferId);
      }
    } catch (error) {
      logger.error(`The journal cannot be read or written: ${String(error)}`);
    }
  }

  /** Logs a failed removal of leftovers unless the previous attempt also failed. */
  private reportRemoval(transferId: string, isRemoved: boolean): void {
    if (isRemoved) this.reported.delete(transferId);
    if (isRemoved || this.isClosed || this.reported.has(transferId)) return;
    this.reported.add(transferId);
    const problem = 'unfinished files could not be removed from the destination; will try again';
    this.options.logger.warn(formatTransferMessage(transferId, problem));
  }

  /** Returns true if the leftovers of a transfer must be removed again, because its store may still create more. */
  private mayReappear(transferId: string, { remote }: DatabaseLocation): boolean {
    return this.timers.has(transferId) || (this.canceled.delete(transferId) && remote !== undefined);
  }
}
