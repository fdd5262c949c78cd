import { mkdirSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { StatementSync } from 'node:sqlite';
import type { FileResource } from '../../contract/fileResource.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { isRemoteFolder } from '../../core/util/remoteFolder.ts';
import { inTransaction, openSqlite, type SqliteFile } from '../sqlite.ts';
import { clockTable, followClock } from './journalClock.ts';
import type { TransferFile, TransferRecord, TransferStatusWord } from './transferRecord.ts';

interface TransferRow {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly moved: number;
  readonly cancel: number;
  readonly ended_at: number | null;
  /** What never changes of the record, as JSON. */
  readonly fixed: string;
}

interface FileRow {
  readonly position: number;
  readonly path: string;
  readonly bytes: number;
  readonly resource: string;
  readonly sha256: string | null;
  readonly landed: number;
}

/** A new transfer that is about to be written. */
interface ArrivingTransfer {
  readonly record: TransferRecord;
  readonly files: readonly TransferFile[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What an ended transfer may have left unfinished at a destination that could not be reached. */
interface Leftovers {
  readonly transferId: string;
  readonly destinationId: string;
  readonly manifestName: string;
}

/** So long a new transfer waits for others that come with it. */
const gatherMs = 4;

type FixedPart = Omit<TransferRecord, 'id' | 'status' | 'message' | 'movedCount' | 'isCancelRequested' | 'endedAtMs'>;

const tables = `
  CREATE TABLE IF NOT EXISTS transfers (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL, moved INTEGER NOT NULL,
    cancel INTEGER NOT NULL, ended_at REAL, fixed TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS transfer_files (
    transfer TEXT NOT NULL, position INTEGER NOT NULL, path TEXT NOT NULL, bytes INTEGER NOT NULL,
    resource TEXT NOT NULL, sha256 TEXT, landed INTEGER NOT NULL, PRIMARY KEY (transfer, position)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS leftovers (
    transfer TEXT PRIMARY KEY, destination TEXT NOT NULL, manifest TEXT NOT NULL
  ) WITHOUT ROWID;
  ${clockTable}`;

/**
 * Every transfer that was acknowledged, on disk before the acknowledgement goes out (D25). One service at a time
 * holds the file: a second one that opens it fails.
 */
export class TransferJournal {
  private readonly database: SqliteFile;
  private readonly insertTransfer: StatementSync;
  private readonly insertFile: StatementSync;
  /** What is written ahead of the file; absent where nothing is. */
  private readonly log: Promise<FileHandle | undefined>;
  private readonly arriving: ArrivingTransfer[] = [];

  constructor(file: string) {
    mkdirSync(nodePath.dirname(file), { recursive: true, mode: 0o700 });
    this.database = openSqlite(file);
    // A log that is written ahead needs a file system of this machine alone (D30).
    const mode = isRemoteFolder(nodePath.dirname(file)) ? 'TRUNCATE' : 'WAL';
    this.database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = ${mode}`);
    // Ahead of it, a step is safe from the end of the process at once, and from a power cut a little later.
    this.database.exec(`PRAGMA synchronous = ${mode === 'WAL' ? 'NORMAL' : 'FULL'}`);
    inTransaction(this.database, () => this.database.exec(tables));
    // Where it cannot be had, what is acknowledged outlives the end of this process all the same.
    this.log = mode === 'WAL' ? open(`${file}-wal`, 'r+').catch(() => undefined) : Promise.resolve(undefined);
    this.insertTransfer = this.database.prepare(
      'INSERT INTO transfers (id, status, message, moved, cancel, ended_at, fixed) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.insertFile = this.database.prepare(
      'INSERT INTO transfer_files (transfer, position, path, bytes, resource, landed) VALUES (?, ?, ?, ?, ?, 0)',
    );
  }

  /**
   * Writes a new transfer with its files, together with others that come at the same moment: each of them would wait for
   * the disk by itself. Resolves when it is on disk, rejects when it could not be written.
   */
  async add(record: TransferRecord, files: readonly TransferFile[]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.arriving.push({ record, files, resolve, reject });
      if (this.arriving.length === 1) setTimeout(() => void this.takeIn(), gatherMs);
    });
  }

  /** Writes what changes of a record. The files of one that has ended are forgotten: its manifest has them. */
  update(record: TransferRecord): void {
    inTransaction(this.database, () => this.write(record));
  }

  /** Writes that a transfer has ended, and that its leftovers at the destination are still to be removed. */
  endWithLeftovers(record: TransferRecord, manifestName: string): void {
    const sql = 'INSERT OR REPLACE INTO leftovers (transfer, destination, manifest) VALUES (?, ?, ?)';
    inTransaction(this.database, () => {
      this.database.prepare(sql).run(record.id, record.destinationId, manifestName);
      this.write(record);
    });
  }

  /** The leftovers that are still to be removed, also of transfers that are forgotten by now. */
  leftovers(): Leftovers[] {
    const rows = this.database.prepare('SELECT * FROM leftovers').all();
    return rows.map((row) => ({
      transferId: String(row['transfer']),
      destinationId: String(row['destination']),
      manifestName: String(row['manifest']),
    }));
  }

  /** Writes that the leftovers of a transfer are gone. */
  forgetLeftovers(transferId: string): void {
    this.database.prepare('DELETE FROM leftovers WHERE transfer = ?').run(transferId);
  }

  /** Writes how far files have come: staged, or landed. */
  updateFiles(record: TransferRecord, files: readonly TransferFile[]): void {
    const sql = 'UPDATE transfer_files SET landed = ?, sha256 = ?, bytes = ? WHERE transfer = ? AND position = ?';
    inTransaction(this.database, () => {
      const write = this.database.prepare(sql);
      for (const { isLanded, sha256, bytes, position } of files) {
        write.run(isLanded ? 1 : 0, sha256 ?? null, bytes, record.id, position);
      }
      this.database.prepare('UPDATE transfers SET moved = ? WHERE id = ?').run(record.movedCount, record.id);
    });
  }

  /** The record of a transfer; undefined when there is none. */
  get(id: string): TransferRecord | undefined {
    const row = this.database.prepare('SELECT * FROM transfers WHERE id = ?').get(id);
    return row === undefined ? undefined : recordOf(row as unknown as TransferRow);
  }

  /** The transfers that have not ended, the oldest first. */
  unfinished(): TransferRecord[] {
    const rows = this.database.prepare('SELECT * FROM transfers WHERE ended_at IS NULL').all();
    const records = (rows as unknown as TransferRow[]).map(recordOf);
    return records.sort((one, other) => one.createdAtMs - other.createdAtMs);
  }

  /** The files of a transfer that has not ended, in the order asked. */
  filesOf(id: string): TransferFile[] {
    const rows = this.database.prepare('SELECT * FROM transfer_files WHERE transfer = ? ORDER BY position').all(id);
    return (rows as unknown as FileRow[]).map(fileOf);
  }

  /** Forgets transfers that ended longer ago than `retentionMs`, by a clock that may have jumped. */
  prune(nowMs: number, retentionMs: number): void {
    inTransaction(this.database, () => {
      followClock(this.database, nowMs);
      this.database.prepare('DELETE FROM transfers WHERE ended_at < ?').run(nowMs - retentionMs);
    });
  }

  close(): void {
    void this.takeIn();
    this.database.close();
    void this.log.then(async (log) => await log?.close());
  }

  private async takeIn(): Promise<void> {
    const arrived = this.arriving.splice(0);
    if (arrived.length === 0) return;
    try {
      inTransaction(this.database, () => arrived.forEach(({ record, files }) => this.insert(record, files)));
    } catch (error) {
      for (const { reject } of arrived) reject(error);
      return;
    }
    await this.writeThrough();
    for (const { resolve } of arrived) resolve();
  }

  /** What is acknowledged outlives a power cut too; other requests are answered while the disk is waited for. */
  private async writeThrough(): Promise<void> {
    await (await this.log)?.datasync().catch(() => undefined);
  }

  private insert(record: TransferRecord, files: readonly TransferFile[]): void {
    const { id, status, message, movedCount, isCancelRequested, endedAtMs, ...fixed } = record;
    const fixedText = JSON.stringify(fixed);
    this.insertTransfer.run(id, status, message, movedCount, isCancelRequested ? 1 : 0, endedAtMs ?? null, fixedText);
    for (const { position, path, bytes, resource } of files) {
      this.insertFile.run(id, position, path, bytes, JSON.stringify(resource));
    }
  }

  private write(record: TransferRecord): void {
    if (record.endedAtMs !== undefined) followClock(this.database, record.endedAtMs);
    this.database
      .prepare('UPDATE transfers SET status = ?, message = ?, moved = ?, cancel = ?, ended_at = ? WHERE id = ?')
      .run(
        record.status,
        record.message,
        record.movedCount,
        record.isCancelRequested ? 1 : 0,
        record.endedAtMs ?? null,
        record.id,
      );
    if (record.endedAtMs !== undefined) this.forgetFiles(record.id);
  }

  private forgetFiles(id: string): void {
    this.database.prepare('DELETE FROM transfer_files WHERE transfer = ?').run(id);
  }
}

function recordOf(row: TransferRow): TransferRecord {
  return {
    ...(JSON.parse(row.fixed) as FixedPart),
    id: row.id,
    status: row.status as TransferStatusWord,
    message: row.message,
    movedCount: row.moved,
    isCancelRequested: row.cancel === 1,
    ...(row.ended_at === null ? {} : { endedAtMs: row.ended_at }),
  };
}

function fileOf(row: FileRow): TransferFile {
  return {
    position: row.position,
    path: row.path,
    bytes: row.bytes,
    resource: JSON.parse(row.resource) as FileResource & JsonObject,
    isLanded: row.landed === 1,
    ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
  };
}
