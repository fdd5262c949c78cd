import { getBackoffMs, type Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { DatabaseLocation, ServedDatabases } from '../catalog/servedDatabases.ts';
import type { ClusterChoice } from '../cluster/cluster.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { discardInStore, type Removal } from './storeRoute.ts';
import { formatTransferMessage, type Leftovers, type TransferJournal, type TransferRecord } from './journal.ts';
import { chooseManifestName, discardTransfer } from './manifest.ts';

interface UnservedTransfersOptions {
  readonly journal: TransferJournal;
  readonly databases: ServedDatabases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly daemon: RcloneDaemon;
  readonly cluster?: ClusterChoice | undefined;
}

/** Milliseconds between the end of a transfer and the first removal of late objects. Each further delay is doubled. */
const firstDelayMs = 10_000;
const maxDelayMs = 3_600_000;
/** Number of complete removals, in at least ten minutes, after which a store isn't expected to create more objects. */
const neededRemovals = 6;
/**
 * The same number after a restart or a failure. A removal can make an object appear by closing its connection, so that
 * only the next one removes it.
 */
const minRemovals = 2;

/** Manages transfers without their databases, and leftovers of ended ones (D25: durable transfers). */
export class UnservedTransfers {
  private readonly options: UnservedTransfersOptions;
  private removal: Promise<void> = Promise.resolve();
  /** IDs of transfers for which a failure to remove the leftovers has been logged. */
  private readonly reported = new Set<string>();
  /** Timers for the next removals of late objects, by transfer ID. */
  private readonly timers = new Map<string, Disposable>();
  private isClosed = false;

  constructor(options: UnservedTransfersOptions) {
    this.options = options;
  }

  /**
   * Suspends a transfer unless it is paused, or ends it if a cancel request was accepted. If the
   * journal can't be written, logs the error and returns false; the write is retried when the
   * databases change, and for a cancellation by the queue.
   */
  suspend(record: TransferRecord): boolean {
    try {
      if (record.isCancelRequested) this.cancel(record);
      else if (!record.isPaused) this.writeSuspension(record);
      return true;
    } catch (error) {
      this.options.logger.error(`The journal cannot be written: ${String(error)}`);
      return false;
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

  /** Starts removing leftovers from before the start of the service. */
  start(): void {
    for (const { transferId } of this.options.journal.listLeftovers()) this.removeLateObjects(transferId, minRemovals);
    this.removeLeftoversInBackground();
  }

  /** Removes the leftovers at all available destinations in the background. */
  removeLeftoversInBackground(): void {
    this.runInBackground(async () => {
      for (const leftovers of this.options.journal.listLeftovers()) await this.removeLeftovers(leftovers);
    });
  }

  /**
   * Removes the leftovers of an ended transfer repeatedly, because a store may still create objects whose uploads were
   * interrupted. Forgets them after `needed` complete removals.
   */
  removeLateObjects(transferId: string, needed = neededRemovals, tries = 1): void {
    if (this.isClosed) return;
    const remove = async (): Promise<void> => {
      let rest = Math.max(needed, minRemovals);
      try {
        rest = await this.removeAgain(transferId, needed);
      } finally {
        if (rest > 0) this.removeLateObjects(transferId, rest, tries + 1);
      }
    };
    const delayMs = getBackoffMs(tries, firstDelayMs, maxDelayMs);
    const timer = this.options.clock.after(delayMs, () => this.runInBackground(remove));
    this.timers.set(transferId, timer);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const timer of this.timers.values()) timer.dispose();
    await this.removal;
  }

  private runInBackground(work: () => Promise<void>): void {
    const { logger } = this.options;
    this.removal = this.removal.then(work).catch((error: unknown) => {
      logger.error(`The journal cannot be read or written: ${String(error)}`);
    });
  }

  /**
   * Removes the leftovers of a transfer once more, and forgets them if one complete removal was needed. Returns the
   * number of complete removals that are still needed.
   */
  private async removeAgain(transferId: string, needed: number): Promise<number> {
    const { journal } = this.options;
    const leftovers = journal.listLeftovers().find((one) => one.transferId === transferId);
    if (leftovers === undefined) return 0;
    if (!(await this.removeLeftovers(leftovers))) return Math.max(needed, minRemovals);
    if (needed === 1) journal.forgetLeftovers(transferId);
    return needed - 1;
  }

  /**
   * Ends the transfer's tasks on a cluster, and removes its leftovers if their destination is served. Forgets them if
   * they were in a folder, in which nothing can reappear. Returns true if the removal is complete.
   */
  private async removeLeftovers(leftovers: Leftovers): Promise<boolean> {
    const { transferId, destinationId } = leftovers;
    const { journal, databases, cluster } = this.options;
    if (this.isClosed || (await cluster?.endTasks(transferId)) === false) return false;
    const location = databases.findById(destinationId)?.location;
    if (location === undefined) return false;
    const removal = await this.removeAt(location, leftovers);
    this.reportRemoval(transferId, removal !== 'failed');
    if (removal === 'complete' && location.remote === undefined) journal.forgetLeftovers(transferId);
    return removal === 'complete';
  }

  private async removeAt({ folder, remote }: DatabaseLocation, leftovers: Leftovers): Promise<Removal> {
    const { transferId, folderName, manifestName: manifest } = leftovers;
    if (remote !== undefined)
      return await discardInStore(this.options.daemon, { remote, transferId, folderName, manifest });
    return (await discardTransfer(folder, transferId, manifest, folderName)) ? 'complete' : 'failed';
  }

  /** Logs a failed removal of leftovers unless the previous attempt also failed. */
  private reportRemoval(transferId: string, isRemoved: boolean): void {
    if (isRemoved) this.reported.delete(transferId);
    if (isRemoved || this.isClosed || this.reported.has(transferId)) return;
    this.reported.add(transferId);
    const problem = 'unfinished files could not be removed from the destination; will try again';
    this.options.logger.warn(formatTransferMessage(transferId, problem));
  }
}
