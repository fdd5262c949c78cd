import type { Clock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { ServedDatabases } from '../catalog/databases.ts';
import type { TransferJournal } from './journal.ts';
import { discardLanding } from './landing.ts';
import { manifestNameOf } from './manifest.ts';
import { isFolder } from './outcomes.ts';
import { messageOf, type TransferFile, type TransferRecord } from './transferRecord.ts';

/** What is needed to look after them. */
interface UnservedTransfersOptions {
  readonly journal: TransferJournal;
  readonly databases: ServedDatabases;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Transfers that cannot go on because one of their databases is not served now. They wait in the journal until both
 * are (D25); what a cancelled one left unfinished goes once its destination can be reached.
 */
export class UnservedTransfers {
  private readonly options: UnservedTransfersOptions;
  private sweeping: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(options: UnservedTransfersOptions) {
    this.options = options;
  }

  /**
   * Suspends a transfer until both its databases are served; one whose cancel was accepted before ends. Never throws:
   * what cannot be written now is tried again when databases come or go.
   */
  suspend(record: TransferRecord, files: readonly TransferFile[]): void {
    try {
      this.writeSuspension(record, files);
    } catch (error) {
      this.options.logger.error(`The journal cannot be written: ${String(error)}`);
    }
  }

  private writeSuspension(record: TransferRecord, files: readonly TransferFile[]): void {
    if (record.isCancelRequested) {
      this.cancel(record);
      return;
    }
    const message = messageOf(record.id, `waiting: the database ${this.missingOf(record)} is not served`);
    if (record.status === 'inactive' && record.message === message) return;
    const movedCount = files.filter((file) => file.isLanded).length;
    this.options.journal.update({ ...record, status: 'inactive', message, movedCount });
    this.options.logger.warn(message);
  }

  /** Ends a suspended transfer as canceled. Throws when it cannot be written. */
  cancel(record: TransferRecord): void {
    const { journal, clock, logger } = this.options;
    const message = messageOf(record.id, 'canceled');
    const manifestName = manifestNameOf(record.id, journal.filesOf(record.id));
    journal.endWithLeftovers(
      { ...record, status: 'failed', message, isCancelRequested: true, endedAtMs: clock.now() },
      manifestName,
    );
    logger.info(message);
    this.sweep();
  }

  /** Removes, in the background, the leftovers at every destination that can be reached now. */
  sweep(): void {
    this.sweeping = this.sweeping.then(async () => await this.removeLeftovers());
  }

  /** Resolves when nothing is removed any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.sweeping;
  }

  private missingOf(record: TransferRecord): string {
    const isSourceServed = this.options.databases.byId(record.sourceId) !== undefined;
    return isSourceServed ? record.destinationId : record.sourceId;
  }

  private async removeLeftovers(): Promise<void> {
    const { journal, databases, logger } = this.options;
    if (this.isClosed) return;
    try {
      for (const { transferId, destinationId, manifestName } of journal.leftovers()) {
        const folder = databases.byId(destinationId)?.folder;
        if (folder === undefined || !(await isFolder(folder))) continue;
        await discardLanding(folder, transferId, manifestName);
        journal.forgetLeftovers(transferId);
      }
    } catch (error) {
      logger.error(`The journal cannot be read or written: ${String(error)}`);
    }
  }
}
