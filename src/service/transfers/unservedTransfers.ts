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

/** Milliseconds before the first removal of late objects; each further delay is twice as long. */
const firstLateObjectsMs = 10_000;
/** The longest delay between two removals of late objects, in milliseconds. After it, ten minutes have passed. */
const lastLateObjectsMs = 320_000;

/**
 * Manages transfers that are waiting for their databases to be served, and the leftovers of ended transfers (D25:
 * durable transfers).
 */
export class UnservedTransfers {
  private readonly options: UnservedTransfersOptions;
  private removal: Promise<void> = Promise.resolve();
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
    // The store may finish a copy after the cancellation (D66: copies within a store).
    this.removeLateObjects(record.id);
    this.removeLeftoversInBackground();
  }

  /** Schedules the removal of late objects for all leftovers from before the start of the service. */
  start(): void {
    for (const { transferId } of this.options.journal.listLeftovers()) this.removeLateObjects(transferId);
  }

  /** Removes the leftovers at all available destinations in the background. */
  removeLeftoversInBackground(): void {
    this.removal = this.removal.then(async () => await this.removeLeftovers());
  }

  /**
   * Removes the leftovers of an ended transfer several times during the next ten minutes, because its store may still
   * create objects whose uploads were interrupted. Afterwards, they are removed once more together with those of other
   * transfers.
   */
  removeLateObjects(transferId: string, delayMs = firstLateObjectsMs): void {
    const timer = this.options.clock.after(delayMs, () => {
      this.timers.delete(transferId);
      this.removal = this.removal.then(async () => await this.removeLeftovers(transferId));
      if (delayMs < lastLateObjectsMs) this.removeLateObjects(transferId, 2 * delayMs);
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
        if (isRemoved && only === undefined && !this.timers.has(transferId)) journal.forgetLeftovers(transferId);
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
    const problem = 'unfinished files may remain at the destination; will try again to remove them';
    this.options.logger.warn(formatTransferMessage(transferId, problem));
  }
}
