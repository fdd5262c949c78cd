import { open, type FileHandle } from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { StatementSync } from 'node:sqlite';
import type { FileResource, TransferStatusDocument } from '../../contract/contract.ts';
import { createFolderSync } from '../../core/util/createFolder.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { isRemoteFolder } from '../../core/util/fileSystem.ts';
import type { ClusterSummary } from '../cluster/clusterConfig.ts';
import type { FollowUp } from '../../core/util/followUp.ts';
import { openSqlite, runInTransaction, type SqliteFile } from '../sqlite.ts';
import { FollowUpTable } from './followUpTable.ts';
import {
  addLaterColumns,
  applyClockJump,
  clockTable,
  readStoredDestination,
  removeOrphans,
  toStoredDestination,
} from './journalTables.ts';

/** The states of a transfer (D23: transfer states). */
export type TransferStatusWord = 'staging' | 'active' | 'finalizing' | 'inactive' | 'succeeded' | 'failed';

/** A transfer in the journal. Databases are identified by ID; times are in milliseconds since 1970. */
export interface TransferRecord {
  readonly id: string;
  readonly orcid: string;
  readonly sourceId: string;
  readonly destinationId: string;
  /** Resolved path of the destination's folder at submission; absent if unavailable or in a store. */
  readonly destinationPlace?: string | undefined;
  /** The chosen name of the folder at the destination; absent for the usual one (D24: destination layout). */
  readonly folderName?: string | undefined;
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
  /** Started once after the transfer has succeeded (D72: follow-ups). */
  readonly followUp?: FollowUp | undefined;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  readonly status: TransferStatusWord;
  readonly message: string;
  readonly movedCount: number;
  readonly isCancelRequested: boolean;
  /** True while paused on request, with the status `inactive` (D70: paused transfers). */
  readonly isPaused?: boolean;
  readonly endedAtMs?: number;
}

/** A file of a transfer in the journal. */
export interface TransferRecordFile {
  /** Zero-based index in the request. */
  readonly position: number;
  /** Path relative to both the source's folder and the transfer's folder. */
  readonly path: string;
  /** The metadata from the source at the time of submission. Its hash is the declared one, never a cached one. */
  readonly resource: FileResource;
  readonly bytes: number;
  /** In hex; present once the file has been hashed. */
  readonly sha256?: string | undefined;
  /** The store's hash (`md5:…`) of a file that it copied itself, in place of SHA-256 (D66: copies within a store). */
  readonly storeHash?: string | undefined;
  /** Modification time of the hashed content, in milliseconds since 1970; absent before, and if it is unknown. */
  readonly modifiedMs?: number | undefined;
  /** True if the file is complete and verified at the destination. */
  readonly isTransferred: boolean;
  /** Number of attempts to transfer the file that failed; absent if there were none. */
  readonly failedAttempts?: number | undefined;
  /** Why the last attempt failed, as a clause that calls the file `it`; absent if none failed, or a later one didn't. */
  readonly problem?: string | undefined;
}

/** Returns true for a status that no longer changes. */
export function hasEnded(status: TransferStatusWord): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The bytes of a transfer's files so far. Unverified copies of a failed attempt are no longer counted. */
export interface ByteCounts {
  readonly total: number;
  /** Read and hashed at the source; absent for a store. */
  readonly staged?: number;
  /** Copied, verified or not. */
  readonly copied: number;
  /** Verified, or read back so far. */
  readonly verified: number;
}

/** Returns a copy of a record that is paused on request (D70: paused transfers). */
export function toPausedRecord(record: TransferRecord): TransferRecord {
  const message = formatTransferMessage(record.id, 'paused by you');
  return { ...record, isPaused: true, status: 'inactive', message };
}

/** Returns a copy of a record that is no longer paused, and waits to be run. */
export function toResumedRecord(record: TransferRecord): TransferRecord {
  const message = formatTransferMessage(record.id, `waiting to stage ${describeAmount(record)}`);
  return { ...record, isPaused: false, status: 'staging', message };
}

/** Returns a transfer's status in its wire format (§2.4, D23: transfer states). */
export function toStatusDocument(
  record: TransferRecord,
  bytes: ByteCounts | undefined,
  cluster: ClusterSummary | undefined,
): TransferStatusDocument {
  const canPause = !hasEnded(record.status) && !record.isCancelRequested;
  return {
    id: record.id,
    status: record.status,
    message: record.message,
    ...(canPause && { paused: record.isPaused === true }),
    num_files: record.fileCount,
    num_files_transferred: record.movedCount,
    ...(cluster && !hasEnded(record.status) && { cluster }),
    ...(record.folderName !== undefined && { folder: record.folderName }),
    ...(bytes && {
      num_bytes: bytes.total,
      ...(bytes.staged !== undefined && { num_bytes_staged: bytes.staged }),
      num_bytes_transferred: bytes.copied,
      num_bytes_verified: bytes.verified,
    }),
  };
}

/** Returns a status message, which always begins with `Transfer` and the ID (D11: check status identity). */
export function formatTransferMessage(id: string, text: string): string {
  return `Transfer ${id}: ${text}`;
}

/** Returns a description such as `3 files (1.2 MB)`. */
export function describeAmount({ fileCount, sizeBytes }: Pick<TransferRecord, 'fileCount' | 'sizeBytes'>): string {
  return `${describeCount(fileCount, 'file')} (${describeSize(sizeBytes)})`;
}

/** Returns a count with its noun, such as `1 file` or `2 files`. */
export function describeCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describeSize(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = sizeBytes / 1_000;
  for (; size >= 1_000 && units.length > 1; size /= 1_000) units.shift();
  return `${size.toFixed(1)} ${units[0] ?? ''}`;
}

/** The SQL condition for the files that failed. */
export const failedCondition = 'landed = 0 AND problem IS NOT NULL';

interface TransferRow {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly moved: number;
  readonly cancel: number;
  readonly paused: number;
  readonly ended_at: number | null;
  /** The record's constant fields as JSON. */
  readonly fixed: string;
}

interface FileRow {
  readonly position: number;
  readonly path: string;
  readonly bytes: number;
  readonly resource: string;
  readonly sha256: string | null;
  readonly store_hash: string | null;
  readonly modified: number | null;
  readonly landed: number;
  readonly attempts: number | null;
  readonly problem: string | null;
}

interface PendingTransfer {
  readonly record: TransferRecord;
  readonly files: readonly TransferRecordFile[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Incomplete files, left by a transfer that has ended, that must still be removed from its destination. */
export interface Leftovers {
  readonly transferId: string;
  readonly destinationId: string;
  /** The chosen name of the transfer's folder, if any. */
  readonly folderName?: string | undefined;
  /** Name of the manifest to remove along with the files; empty to keep the manifest. */
  readonly manifestName: string;
}

/** Delay before new transfers are written, so that multiple transfers can share a transaction. */
const batchWindowMs = 4;
/** Number of pending transfers at which a write starts immediately instead of waiting for more. */
const maxTogether = 32;

/** The fields of a record that change, each of which has its own column. */
type ChangingField = 'status' | 'message' | 'movedCount' | 'isCancelRequested' | 'isPaused' | 'endedAtMs';

type FixedFields = Omit<TransferRecord, 'id' | ChangingField>;

const tables = `
  CREATE TABLE IF NOT EXISTS transfers (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL, moved INTEGER NOT NULL,
    cancel INTEGER NOT NULL, ended_at REAL, fixed TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS transfer_files (
    transfer TEXT NOT NULL, position INTEGER NOT NULL, path TEXT NOT NULL, bytes INTEGER NOT NULL,
    resource TEXT NOT NULL, sha256 TEXT, landed INTEGER NOT NULL, store_hash TEXT, modified REAL,
    attempts INTEGER, problem TEXT,
    PRIMARY KEY (transfer, position)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS leftovers (
    transfer TEXT PRIMARY KEY, destination TEXT NOT NULL, manifest TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS paused (transfer TEXT PRIMARY KEY) WITHOUT ROWID;
  ${clockTable}`;
const selectTransfers = 'SELECT *, id IN (SELECT transfer FROM paused) AS paused FROM transfers';

/**
 * Stores transfers durably (D25: durable transfers). Only one service at a time can have the file open; the constructor
 * throws if another one does.
 */
export class TransferJournal {
  readonly followUps: FollowUpTable;
  private readonly database: SqliteFile;
  private readonly insertTransfer: StatementSync;
  private readonly insertFile: StatementSync;
  /** The write-ahead log; undefined in other journal modes, or if it cannot be opened. */
  private readonly log: Promise<FileHandle | undefined>;
  private readonly pendingTransfers: PendingTransfer[] = [];

  constructor(file: string) {
    createFolderSync(nodePath.dirname(file), 0o700);
    this.database = openSqlite(file);
    // A write-ahead log requires a local file system (D30: network file systems).
    const mode = isRemoteFolder(nodePath.dirname(file)) ? 'TRUNCATE' : 'WAL';
    this.database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = ${mode}`);
    // In WAL mode, commits survive the end of the process; `writePending` also protects new ones from a power failure.
    this.database.exec(`PRAGMA synchronous = ${mode === 'WAL' ? 'NORMAL' : 'FULL'}`);
    this.followUps = runInTransaction(this.database, () => {
      this.database.exec(tables);
      addLaterColumns(this.database);
      removeOrphans(this.database);
      return new FollowUpTable(this.database);
    });
    // Without access to the log, acknowledged transfers still survive the end of the process.
    this.log = mode === 'WAL' ? open(`${file}-wal`, 'r+').catch(() => undefined) : Promise.resolve(undefined);
    this.insertTransfer = this.database.prepare(
      'INSERT INTO transfers (id, status, message, moved, cancel, ended_at, fixed) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.insertFile = this.database.prepare(
      'INSERT INTO transfer_files (transfer, position, path, bytes, resource, landed) VALUES (?, ?, ?, ?, ?, 0)',
    );
  }

  /**
   * Writes a new transfer, together with others that arrive at the same time. Resolves when the transfer is stored and,
   * if possible, flushed to disk.
   */
  async add(record: TransferRecord, files: readonly TransferRecordFile[]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.pendingTransfers.push({ record, files, resolve, reject });
      if (this.pendingTransfers.length === maxTogether) void this.writePending();
      else if (this.pendingTransfers.length === 1) setTimeout(() => void this.writePending(), batchWindowMs);
    });
  }

  /** Updates a record. Of the files of an ended transfer, keeps only those that a failed one didn't transfer. */
  update(record: TransferRecord): void {
    runInTransaction(this.database, () => this.updateTransfer(record));
  }

  /** Writes the record of an ended transfer, and records that its leftovers at the destination must be removed. */
  endWithLeftovers(record: TransferRecord, manifestName: string): void {
    const sql = 'INSERT OR REPLACE INTO leftovers (transfer, destination, manifest) VALUES (?, ?, ?)';
    runInTransaction(this.database, () => {
      this.database.prepare(sql).run(record.id, toStoredDestination(record), manifestName);
      this.updateTransfer(record);
    });
  }

  /** Returns the leftovers that must still be removed, including those of expired transfers. */
  listLeftovers(): Leftovers[] {
    const rows = this.database.prepare('SELECT * FROM leftovers').all();
    return rows.map((row) => ({
      transferId: String(row['transfer']),
      ...readStoredDestination(String(row['destination'])),
      manifestName: String(row['manifest']),
    }));
  }

  forgetLeftovers(transferId: string): void {
    this.database.prepare('DELETE FROM leftovers WHERE transfer = ?').run(transferId);
  }

  updateFiles(record: TransferRecord, files: readonly TransferRecordFile[]): void {
    const sql = `UPDATE transfer_files
      SET landed = ?, sha256 = ?, store_hash = ?, modified = ?, attempts = ?, problem = ?, bytes = ?
      WHERE transfer = ? AND position = ?`;
    runInTransaction(this.database, () => {
      const write = this.database.prepare(sql);
      for (const file of files) {
        const { sha256 = null, storeHash = null, modifiedMs = null, failedAttempts = null, problem = null } = file;
        const landed = file.isTransferred ? 1 : 0;
        const values = [landed, sha256, storeHash, modifiedMs, failedAttempts, problem, file.bytes] as const;
        write.run(...values, record.id, file.position);
      }
      this.database.prepare('UPDATE transfers SET moved = ? WHERE id = ?').run(record.movedCount, record.id);
    });
  }

  get(id: string): TransferRecord | undefined {
    const row = this.database.prepare(`${selectTransfers} WHERE id = ?`).get(id);
    return row === undefined ? undefined : toTransferRecord(row as unknown as TransferRow);
  }

  /** Returns the unfinished transfers, oldest first. */
  listUnfinished(): TransferRecord[] {
    const rows = this.database.prepare(`${selectTransfers} WHERE ended_at IS NULL`).all();
    const records = (rows as unknown as TransferRow[]).map(toTransferRecord);
    return records.sort((one, other) => one.createdAtMs - other.createdAtMs);
  }

  /** Returns the files of an unfinished transfer in the order of the request. */
  listFiles(id: string): TransferRecordFile[] {
    const rows = this.database.prepare('SELECT * FROM transfer_files WHERE transfer = ? ORDER BY position').all(id);
    return (rows as unknown as FileRow[]).map(toTransferFile);
  }

  /** Returns the number of files that an unfinished transfer has transferred, without loading their records. */
  countTransferred(id: string): number {
    return this.countFiles(id, 'landed = 1');
  }

  /** Returns the number of a transfer's files that match an SQL condition, without loading their records. */
  countFiles(id: string, condition: string): number {
    const sql = `SELECT count(*) AS count FROM ${getTable(condition)} WHERE transfer = ? AND ${condition}`;
    return Number(this.database.prepare(sql).get(id)?.['count']);
  }

  /** Returns up to `limit` of a transfer's files from `position` on that match an SQL condition. */
  listSomeFiles(id: string, condition: string, position: number, limit: number): TransferRecordFile[] {
    const sql = `SELECT * FROM ${getTable(condition)} WHERE transfer = ? AND position >= ? AND ${condition}
      ORDER BY position LIMIT ?`;
    return (this.database.prepare(sql).all(id, position, limit) as unknown as FileRow[]).map(toTransferFile);
  }

  /** Removes transfers that ended more than `retentionMs` milliseconds ago, after correcting for clock jumps. */
  prune(nowMs: number, retentionMs: number): void {
    runInTransaction(this.database, () => {
      applyClockJump(this.database, nowMs);
      const expired = 'FROM transfers WHERE ended_at < ?';
      const endedBefore = nowMs - retentionMs;
      this.database.prepare(`DELETE FROM transfer_files WHERE transfer IN (SELECT id ${expired})`).run(endedBefore);
      this.database.prepare(`DELETE ${expired}`).run(endedBefore);
      this.followUps.prune();
    });
  }

  /** Makes what was written survive a power failure, if possible, without blocking other requests. */
  async flush(): Promise<void> {
    await (await this.log)?.datasync().catch(() => undefined);
  }

  close(): void {
    void this.writePending();
    this.database.close();
    void this.log.then(async (log) => await log?.close());
  }

  private async writePending(): Promise<void> {
    const pending = this.pendingTransfers.splice(0);
    if (pending.length === 0) return;
    try {
      runInTransaction(this.database, () => pending.forEach(({ record, files }) => this.insert(record, files)));
    } catch (error) {
      for (const { reject } of pending) reject(error);
      return;
    }
    await this.flush();
    for (const { resolve } of pending) resolve();
  }

  private insert(record: TransferRecord, files: readonly TransferRecordFile[]): void {
    const { id, status, message, movedCount, isCancelRequested, isPaused, endedAtMs, ...fixed } = record;
    const fixedText = JSON.stringify({ ...fixed, folderName: undefined, destinationId: toStoredDestination(record) });
    this.insertTransfer.run(id, status, message, movedCount, isCancelRequested ? 1 : 0, endedAtMs ?? null, fixedText);
    if (record.followUp) this.followUps.put(id, { ...record.followUp, state: 'waiting' });
    for (const { position, path, bytes, resource } of files) {
      this.insertFile.run(id, position, path, bytes, JSON.stringify(resource));
    }
  }

  /** Updates a transfer, and removes files once it has ended. Must run in a transaction. */
  private updateTransfer(record: TransferRecord): void {
    const { id, status, message, movedCount, isCancelRequested, isPaused, endedAtMs } = record;
    if (endedAtMs !== undefined) applyClockJump(this.database, endedAtMs);
    this.database
      .prepare('UPDATE transfers SET status = ?, message = ?, moved = ?, cancel = ?, ended_at = ? WHERE id = ?')
      .run(status, message, movedCount, isCancelRequested ? 1 : 0, endedAtMs ?? null, id);
    const pausing =
      isPaused === true ? 'INSERT OR IGNORE INTO paused VALUES (?)' : 'DELETE FROM paused WHERE transfer = ?';
    this.database.prepare(pausing).run(id);
    if (endedAtMs === undefined) return;
    const condition = status === 'failed' ? 'transfer = ? AND landed = 1' : 'transfer = ?';
    this.database.prepare(`DELETE FROM transfer_files WHERE ${condition}`).run(id);
  }
}

function getTable(condition: string): string {
  // SQLite would prefer the primary key, and read all files to find the few that failed.
  return condition === failedCondition ? 'transfer_files INDEXED BY problem_files' : 'transfer_files';
}

function toTransferRecord(row: TransferRow): TransferRecord {
  const record = toStoredRecord(row);
  // An earlier version runs paused transfers, and leaves the table as it is.
  const isPaused = row.paused === 1 && row.cancel === 0 && row.ended_at === null;
  return isPaused ? toPausedRecord(record) : record;
}

function toStoredRecord(row: TransferRow): TransferRecord {
  const fixed = JSON.parse(row.fixed) as FixedFields;
  return {
    ...fixed,
    ...readStoredDestination(fixed.destinationId),
    id: row.id,
    status: row.status as TransferStatusWord,
    message: row.message,
    movedCount: row.moved,
    isCancelRequested: row.cancel === 1,
    ...(row.ended_at === null ? {} : { endedAtMs: row.ended_at }),
  };
}

function toTransferFile(row: FileRow): TransferRecordFile {
  return {
    position: row.position,
    path: row.path,
    bytes: row.bytes,
    resource: JSON.parse(row.resource) as FileResource & JsonObject,
    isTransferred: row.landed === 1,
    ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
    ...(row.store_hash === null ? {} : { storeHash: row.store_hash }),
    ...(row.modified === null ? {} : { modifiedMs: row.modified }),
    ...(row.attempts === null ? {} : { failedAttempts: row.attempts }),
    ...(row.problem === null ? {} : { problem: row.problem }),
  };
}
