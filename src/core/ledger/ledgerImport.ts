import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { getErrorCode } from '../util/errorCode.ts';
import { FileLock, runUnderLock } from '../util/fileLock.ts';
import type { Logger } from '../util/logger.ts';
import { mapConcurrently } from '../util/mapConcurrently.ts';
import type { Transfer } from '../model/transferModel.ts';
import type { ConnectionAlias } from './connectionAlias.ts';
import { needsImport, readFolderTimes, readImportMarker, writeImportMarker } from './importMarker.ts';
import { RecordFiles } from './recordFiles.ts';
import { recordFolders, toRecordName, type RecordFolder } from './recordNames.ts';
import { TransferLedger } from './transferLedger.ts';
import { formatRecord } from './transferRecord.ts';

const maxParallelFiles = 32;
/** Another window may import thousands of records on a slow disk. */
const lockTimeoutMs = 120_000;
/** A record may be older than the folder's last change, because it is written first and renamed later. */
const toleranceMs = 60_000;

/** Names the ledgers of an import. */
export interface ImportRequest {
  /** The ledger to read, in which nothing is changed but the marker. */
  readonly source: string;
  readonly target: string;
  /** The ID that the local service gets in the target. */
  readonly alias?: ConnectionAlias | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Copies the records of one ledger into another, and marks them afterwards (D63: shared ledger folder). Records that the
 * target has are merged, so that it can be repeated. Rejects with the system's error if a record can't be copied.
 */
export async function importRecords(request: ImportRequest): Promise<void> {
  const { source, target, clock } = request;
  await mkdir(target, { recursive: true, mode: 0o700 });
  const run = async (): Promise<void> => {
    if (await needsImport(source, target)) await new LedgerImport(request).run();
  };
  await runUnderLock(join(target, 'import.lock'), clock, run, lockTimeoutMs);
}

class LedgerImport {
  private readonly request: ImportRequest;
  private readonly source: RecordFiles;
  private readonly target: RecordFiles;
  private readonly ledger: TransferLedger;

  constructor(request: ImportRequest) {
    const { source, target, alias, clock, log } = request;
    this.request = request;
    this.source = new RecordFiles(source, log);
    this.target = new RecordFiles(target, log, alias);
    this.ledger = new TransferLedger(target, log, clock, alias);
  }

  async run(): Promise<void> {
    const { source, target } = this.request;
    const times = await readFolderTimes(source);
    const before = await readImportMarker(source, target);
    let isComplete = true;
    for (const folder of recordFolders) {
      await this.target.createFolder(folder);
      const since = (before?.[folder] ?? 0) - toleranceMs;
      if (!(await this.importFolder(folder, since))) isComplete = false;
    }
    if (isComplete) await writeImportMarker(source, target, times);
  }

  /** Resolves to false if some records have to be imported later. */
  private async importFolder(folder: RecordFolder, since: number): Promise<boolean> {
    const keys = await this.source.listKeys(folder);
    const done = await mapConcurrently(keys, maxParallelFiles, (key) => this.importRecord(folder, key, since));
    return done.every(Boolean);
  }

  private async importRecord(folder: RecordFolder, key: string, since: number): Promise<boolean> {
    const at = await this.source.readStamp(folder, key);
    if (at === undefined || at < since) return true;
    // A window of an earlier version waits for the response, and would be considered closed (D12: never resubmit).
    if (await this.isPending(key)) return false;
    const found = await this.source.read(folder, key).catch((error: unknown) => this.reportUnreadable(key, error));
    if (found === 'unreadable') return false;
    if (found === 'later') await this.copyLater(folder, key);
    else if (found) await this.put(folder, found.transfer, at);
    return true;
  }

  /** One damaged file does not keep the other records from being shared. */
  private reportUnreadable(key: string, error: unknown): 'unreadable' {
    this.request.log.warn(`The record ${key} could not be imported: ${getErrorCode(error)}`);
    return 'unreadable';
  }

  private async isPending(key: string): Promise<boolean> {
    const { source, clock } = this.request;
    return (await FileLock.getFreeAt(join(source, 'submitting', `${key}.lock`))) > clock.now();
  }

  /** Copies a record that this version can't read. */
  private async copyLater(folder: RecordFolder, key: string): Promise<void> {
    const text = await readFile(join(this.request.source, folder, toRecordName(key)), 'utf8');
    await this.target.write(folder, key, text, true);
  }

  private async put(folder: RecordFolder, transfer: Transfer, at: number): Promise<void> {
    const { key } = transfer;
    if (await this.isKnown(key)) {
      if (folder === 'removed') await this.ledger.remove([key]);
      else await this.ledger.write(transfer);
      return;
    }
    await this.target.write(folder, key, formatRecord(this.target.toStored(transfer)), true);
    // The time decides which transfers ended last, and until when a removed one can be restored.
    await this.target.stamp(folder, key, at);
  }

  private async isKnown(key: string): Promise<boolean> {
    const known = await Promise.all(recordFolders.map((folder) => this.target.has(folder, key)));
    return known.some(Boolean);
  }
}
