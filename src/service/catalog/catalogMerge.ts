import type { StatementSync } from 'node:sqlite';
import type { SqliteFile } from '../sqlite.ts';
import type { ScannedFile } from './catalogFile.ts';
import type { CatalogRows, FileRow, PathIds } from './catalogRows.ts';
import { comparePaths, getRangeBelow, type PathRange } from './catalogPaths.ts';

const chunkSize = 1_000;
/** Number of writes after which a transaction is committed; large enough to avoid many small index segments. */
const transactionSize = 50_000;

/**
 * Updates the rows below a folder to match a scan, which must provide the files in path order. Reads the rows in the
 * same order, so that neither files nor rows have to fit in memory. If a merge is interrupted, only rows that precede
 * the last file passed to {@link take} have been removed.
 */
export class CatalogMerge {
  private readonly database: SqliteFile;
  private readonly rows: CatalogRows;
  private readonly ids: PathIds;
  private readonly select: StatementSync;
  private readonly to: PathRange['to'];
  private lastPath: string;
  private chunk: FileRow[] = [];
  private isAtEnd = false;
  private writes = 0;
  private readonly isFilling: boolean;

  constructor(database: SqliteFile, rows: CatalogRows, ids: PathIds, under: string) {
    this.database = database;
    this.rows = rows;
    this.ids = ids;
    const { from, to } = getRangeBelow(under);
    this.lastPath = from;
    this.to = to;
    this.select = database.prepare(`SELECT * FROM files WHERE path > ? AND path < ? ORDER BY path LIMIT ${chunkSize}`);
    database.exec('BEGIN IMMEDIATE');
    this.isFilling = database.prepare('SELECT 1 FROM files LIMIT 1').get() === undefined;
    // If filling an empty catalog ended early, merging may still be deferred.
    rows.deferMerging(this.isFilling);
  }

  /** Merges the next files of the scan. If an error occurs, aborts the merge and rethrows the error. */
  take(files: readonly ScannedFile[]): void {
    try {
      this.mergeFiles(files);
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Finishes merging a complete scan by removing the rows of files that the scan did not find. */
  finish(): void {
    for (let row = this.peek(); row !== undefined; row = this.peek()) this.drop(row);
    this.end();
  }

  /** Finishes merging an interrupted scan; leaves the remaining rows unchanged. */
  stop(): void {
    if (this.database.isTransaction) this.end();
  }

  /** Aborts a failed merge by rolling back the current transaction. */
  abandon(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
  }

  private mergeFiles(files: readonly ScannedFile[]): void {
    let newFiles: ScannedFile[] = [];
    for (const file of files) {
      const known = this.advanceTo(file.path, () => {
        this.insert(newFiles);
        newFiles = [];
      });
      if (known === undefined) newFiles.push(file);
      else if (this.rows.update(known, file)) this.writes += 1;
      this.lastPath = file.path;
    }
    this.insert(newFiles);
    if (this.writes >= transactionSize) this.commit();
  }

  /**
   * Removes the remaining rows that precede a path, and returns the row at that path, if any. Calls `beforeUse` before
   * removing or returning a row.
   */
  private advanceTo(path: string, beforeUse: () => void): FileRow | undefined {
    for (let row = this.peek(); row !== undefined; row = this.peek()) {
      const order = comparePaths(row.path, path);
      if (order > 0) return undefined;
      beforeUse();
      // `beforeUse` may have given rows new IDs.
      const current = this.peek();
      if (current === undefined) return undefined;
      if (order === 0) {
        this.chunk.shift();
        return current;
      }
      this.drop(current);
    }
    return undefined;
  }

  private peek(): FileRow | undefined {
    if (this.chunk.length === 0 && !this.isAtEnd) {
      this.chunk = this.select.all(this.lastPath, this.to) as unknown as FileRow[];
      this.isAtEnd = this.chunk.length === 0;
    }
    return this.chunk[0];
  }

  private drop(row: FileRow): void {
    this.chunk.shift();
    this.lastPath = row.path;
    this.rows.delete(row);
    this.writes += 1;
  }

  private insert(files: readonly ScannedFile[]): void {
    if (files.length === 0) return;
    this.writes += files.length;
    // The remaining rows may have new IDs.
    if (this.ids.insert(files)) this.chunk = [];
  }

  private end(): void {
    if (this.isFilling) this.rows.deferMerging(false);
    this.database.exec('COMMIT');
  }

  private commit(): void {
    this.writes = 0;
    this.database.exec('COMMIT; BEGIN IMMEDIATE');
  }
}
