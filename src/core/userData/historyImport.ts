import { rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordFiles } from '../ledger/recordFiles.ts';
import { recordFolders, toRecordName } from '../ledger/recordNames.ts';
import { TransferLedger } from '../ledger/transferLedger.ts';
import { formatRecord } from '../ledger/transferRecord.ts';
import { hasEnded, type Transfer } from '../model/transferModel.ts';
import { systemClock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { runUnderLock } from '../util/fileLock.ts';
import { writeFileAtomically } from '../util/writeFileAtomically.ts';
import { mapWithProgress, type RecordWork } from './historyRecords.ts';

/** Maximum time to wait for another window, which may be importing thousands of records on a slow disk. */
const lockTimeoutMs = 120_000;

/** The records to import. */
interface HistoryChange {
  readonly created: readonly Transfer[];
  /** Records on this machine, merged with those in the file (D48: ledger as files). */
  readonly updated: readonly Transfer[];
}

/**
 * Adds transfers to the ledger. Writes new records to a separate folder first, and moves them into the ledger after
 * `saveOthers` has resolved. A failure or a cancellation before that leaves the ledger unchanged. Resolves to the
 * transfers that were added or restored, excluding those already in the ledger and removed ones that only a later
 * version can restore. Rejects with the first failure.
 */
export async function importHistory(
  { created, updated }: HistoryChange,
  work: RecordWork,
  saveOthers: () => Promise<void>,
): Promise<readonly Transfer[]> {
  const { ledgerFolder } = work;
  await createFolder(ledgerFolder, 0o700);
  const staged = new StagedRecords(work);
  const run = async (): Promise<readonly Transfer[]> => {
    try {
      await staged.write(created);
      await saveOthers();
      return await staged.moveIntoLedger(created, updated);
    } finally {
      await staged.delete();
    }
  };
  return await runUnderLock(join(ledgerFolder, 'import.lock'), systemClock, run, lockTimeoutMs);
}

/**
 * Writes records to a folder next to the ledger's record folders, and then moves them into the ledger. The caller must
 * hold the import lock.
 */
class StagedRecords {
  private readonly work: RecordWork;
  private readonly folder: string;
  private readonly files: RecordFiles;
  private readonly ledger: TransferLedger;

  constructor(work: RecordWork) {
    this.work = work;
    this.folder = join(work.ledgerFolder, 'importing');
    this.files = new RecordFiles(work.ledgerFolder, work.log);
    this.ledger = new TransferLedger(work.ledgerFolder, work.log);
  }

  /** Writes the records, after deleting those left behind by an import whose process was killed. */
  async write(transfers: readonly Transfer[]): Promise<void> {
    await this.delete();
    await createFolder(this.folder, 0o700);
    await mapWithProgress(transfers, this.work, async (transfer) => {
      const path = this.getPath(transfer);
      await writeFileAtomically(path, formatRecord(transfer));
      // Sets the modification time, by which the ledger finds the transfers that ended last.
      const at = (transfer.changes.at(-1)?.at ?? transfer.createdAt) / 1000;
      await utimes(path, at, at);
    });
  }

  /**
   * Moves the new records into the ledger and merges the updated ones. Resolves to the transfers in `created` that were
   * added or restored.
   */
  async moveIntoLedger(created: readonly Transfer[], updated: readonly Transfer[]): Promise<readonly Transfer[]> {
    await Promise.all([this.files.createFolder('running'), this.files.createFolder('ended')]);
    const work = { ...this.work, signal: new AbortController().signal };
    const added = await mapWithProgress(created, work, async (transfer) =>
      (await this.add(transfer)) ? [transfer] : [],
    );
    await mapWithProgress(updated, work, (transfer) => this.merge(transfer));
    return added.flat();
  }

  async delete(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * Moves a record into the ledger. If the user removed the transfer on this machine, restores it. Resolves to false if
   * the ledger already has the transfer, or if the transfer stays removed because a later version wrote its record.
   */
  private async add(transfer: Transfer): Promise<boolean> {
    const { key, state } = transfer;
    const [isRunning, isEnded, isRemoved] = await Promise.all(recordFolders.map((one) => this.files.has(one, key)));
    if (isRunning || isEnded) return false;
    if (isRemoved) {
      await this.merge(transfer);
      return !(await this.files.has('removed', key));
    }
    const folder = join(this.work.ledgerFolder, hasEnded(state) ? 'ended' : 'running');
    await rename(this.getPath(transfer), join(folder, toRecordName(key)));
    return true;
  }

  private async merge(transfer: Transfer): Promise<void> {
    await this.ledger.restore([transfer.key]);
    await this.ledger.write(transfer);
  }

  private getPath({ key }: Transfer): string {
    return join(this.folder, toRecordName(key));
  }
}
