import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { getErrorCode } from '../util/errorFacts.ts';
import { FileLock, runUnderLock } from '../util/fileLock.ts';
import type { Logger } from '../util/logger.ts';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import type { Transfer } from '../model/transferModel.ts';
import { formatRecord, RecordFiles, replaceConnection, toImportedId, type ConnectionAlias } from './recordFiles.ts';
import {
  needsImport,
  readFolderTimes,
  readImportMarker,
  toRecordId,
  writeImportMarker,
  type ImportMarker,
} from './importMarker.ts';
import { recordFolders, toRecordName, type RecordFolder } from './recordFolders.ts';
import { TransferLedger } from './transferLedger.ts';

const maxParallelFiles = 32;
/** Maximum time to wait for another window, which may be importing thousands of records on a slow disk. */
const lockTimeoutMs = 120_000;
/**
 * Maximum time between writing a record, which sets the file's modification time, and renaming it, which sets the
 * folder's.
 */
const toleranceMs = 60_000;

/** Options for {@link importRecords}. */
export interface ImportRequest {
  /** The ledger to read. Not changed, except that damaged records are moved aside. */
  readonly source: string;
  readonly target: string;
  /** Converts the IDs of connections to local services; absent to import all IDs unchanged. */
  readonly alias?: ConnectionAlias | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Copies the records of one ledger into another, and then marks them as imported (D63: shared ledger folder). Merges
 * records with those that the target already has, so that an import can be repeated. Leaves unreadable records and
 * pending submissions for the next import. Rejects if a folder can't be read, a record can't be written, or the lock
 * can't be acquired in time.
 */
export async function importRecords(request: ImportRequest): Promise<void> {
  const { source, target, clock } = request;
  await createFolder(target, 0o700);
  const run = async (): Promise<void> => {
    if (await needsImport(source, target)) await new LedgerImport(request).run();
  };
  await runUnderLock(join(target, 'import.lock'), clock, run, lockTimeoutMs);
}

class LedgerImport {
  private readonly request: ImportRequest;
  private readonly source: RecordFiles;
  private readonly ledger: TransferLedger;
  private readonly recent: Record<string, number> = {};
  private readonly open: string[] = [];
  private before: ImportMarker | undefined;

  constructor(request: ImportRequest) {
    const { source, target, clock, log } = request;
    this.request = request;
    this.source = new RecordFiles(source, log);
    this.ledger = new TransferLedger(target, log, clock);
  }

  async run(): Promise<void> {
    const { source, target } = this.request;
    const times = await readFolderTimes(source);
    this.before = await readImportMarker(source, target);
    const removed = await this.source.listKeys('removed');
    for (const folder of recordFolders) await this.importFolder(folder, times[folder]);
    const { recent, open } = this;
    await writeImportMarker(source, target, { times, recent, removed, open });
  }

  private async importFolder(folder: RecordFolder, changedAt: number): Promise<void> {
    const keys = await this.source.listKeys(folder);
    await mapConcurrently(keys, maxParallelFiles, async (key) => {
      const at = await this.source.readStamp(folder, key);
      if (at === undefined) return;
      if (at >= changedAt - toleranceMs) this.recent[toRecordId(folder, key)] = at;
      if (this.isChanged(folder, key, at)) await this.importRecord(folder, key, at);
    });
  }

  /** Returns true if the last import may lack this version of a record in this folder. */
  private isChanged(folder: RecordFolder, key: string, at: number): boolean {
    const { before } = this;
    if (!before || before.open.includes(key)) return true;
    if (before.recent[toRecordId(folder, key)] === at) return false;
    return at >= before.times[folder] - toleranceMs || (folder !== 'removed' && this.wasRemoved(key));
  }

  private wasRemoved(key: string): boolean {
    return this.before?.removed.includes(key) ?? false;
  }

  private async importRecord(folder: RecordFolder, key: string, at: number): Promise<void> {
    // Skip a submission if a window of an earlier version still awaits its response. The target has no lock for such a
    // submission, which would therefore be treated as lost (D12: never resubmit).
    if (await this.isPending(key)) {
      this.open.push(key);
      return;
    }
    const found = await this.source.read(folder, key).catch((error: unknown) => this.reportUnreadable(key, error));
    if (found === 'later') await this.addLater(folder, key, at);
    else if (found) await this.addOrMerge(folder, found.transfer, at);
  }

  /** Logs the failure, and leaves the record for the next import. The other records are imported regardless. */
  private reportUnreadable(key: string, error: unknown): undefined {
    this.request.log.warn(`The record ${key} could not be imported: ${getErrorCode(error)}`);
    this.open.push(key);
  }

  private async isPending(key: string): Promise<boolean> {
    const { source, clock } = this.request;
    return (await FileLock.getFreeAt(join(source, 'submitting', `${key}.lock`))) > clock.now();
  }

  /** Adds a record that a later version wrote, and that this version can't read or merge. */
  private async addLater(folder: RecordFolder, key: string, at: number): Promise<void> {
    const text = await readFile(join(this.request.source, folder, toRecordName(key)), 'utf8');
    await this.ledger.add({ folder, key, text, at });
  }

  private async addOrMerge(folder: RecordFolder, found: Transfer, at: number): Promise<void> {
    const { key, order } = found;
    const importedId = toImportedId(this.request.alias, order.connectionId);
    const transfer = replaceConnection(found, order.connectionId, importedId);
    if (await this.ledger.add({ folder, key, text: formatRecord(transfer), at })) return;
    if (folder === 'removed') {
      await this.ledger.remove([key]);
      return;
    }
    if (this.wasRemoved(key)) await this.ledger.restore([key]);
    await this.ledger.write(transfer);
  }
}
