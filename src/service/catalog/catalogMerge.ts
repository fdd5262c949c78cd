import type { StatementSync } from 'node:sqlite';
import type { SqliteFile } from '../sqlite.ts';
import type { FoundFile } from './catalogFile.ts';
import type { CatalogRows, FileRow } from './catalogRows.ts';
import type { PathIds } from './pathIds.ts';
import { comparePaths, rangeBelow, type PathRange } from './pathOrder.ts';

const chunkSize = 1_000;
/** Writes that are made one transaction: large enough that the index is not cut in small pieces. */
const transactionSize = 50_000;

/**
 * Brings the rows below a folder in line with a walk through it. Both go in the order of the paths, side by side, so
 * that neither is ever held whole. What is written counts in large pieces; a merge that is not finished has forgotten
 * nothing but what it passed.
 */
export class CatalogMerge {
  private readonly database: SqliteFile;
  private readonly rows: CatalogRows;
  private readonly ids: PathIds;
  private readonly select: StatementSync;
  private readonly to: PathRange['to'];
  private passed: string;
  private chunk: FileRow[] = [];
  private isAtEnd = false;
  private writes = 0;

  constructor(database: SqliteFile, rows: CatalogRows, ids: PathIds, under: string) {
    this.database = database;
    this.rows = rows;
    this.ids = ids;
    const { from, to } = rangeBelow(under);
    this.passed = from;
    this.to = to;
    this.select = database.prepare(`SELECT * FROM files WHERE path > ? AND path < ? ORDER BY path LIMIT ${chunkSize}`);
    database.exec('BEGIN IMMEDIATE');
  }

  /** Takes the next files of the walk. */
  take(files: readonly FoundFile[]): void {
    let fresh: FoundFile[] = [];
    for (const file of files) {
      const known = this.knownUpTo(file.path, () => {
        this.insert(fresh);
        fresh = [];
      });
      if (known === undefined) fresh.push(file);
      else if (this.rows.update(known, file)) this.writes += 1;
      this.passed = file.path;
    }
    this.insert(fresh);
    if (this.writes >= transactionSize) this.commit();
  }

  /** The walk is at its end: what it did not come by is gone. */
  finish(): void {
    for (let row = this.peek(); row !== undefined; row = this.peek()) this.drop(row);
    this.database.exec('COMMIT');
  }

  /** The walk was ended before: what it has not come to stays as it was. */
  stop(): void {
    if (this.database.isTransaction) this.database.exec('COMMIT');
  }

  /** It could not be written: nothing since the last large piece counts. */
  abandon(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
  }

  /** Passes the known files before a path, which are gone; returns the one at it. `whenAny` is called before any is used. */
  private knownUpTo(path: string, whenAny: () => void): FileRow | undefined {
    for (let row = this.peek(); row !== undefined; row = this.peek()) {
      const order = comparePaths(row.path, path);
      if (order > 0) return undefined;
      whenAny();
      // Rows may have been moved for the ones before.
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
      this.chunk = this.select.all(this.passed, this.to) as unknown as FileRow[];
      this.isAtEnd = this.chunk.length === 0;
    }
    return this.chunk[0];
  }

  private drop(row: FileRow): void {
    this.chunk.shift();
    this.passed = row.path;
    this.rows.delete(row);
    this.writes += 1;
  }

  private insert(files: readonly FoundFile[]): void {
    if (files.length === 0) return;
    this.writes += files.length;
    // Then the rows ahead have other ids than were read.
    if (this.ids.insert(files)) this.chunk = [];
  }

  private commit(): void {
    this.writes = 0;
    this.database.exec('COMMIT; BEGIN IMMEDIATE');
  }
}
