import type { SQLOutputValue } from 'node:sqlite';
import { runInTransaction, type SqliteFile } from '../sqlite.ts';
import type { ScannedFile } from './catalogFile.ts';
import { describePlainFile, idStride, plainWordsSql, type CatalogRows } from './catalogRows.ts';

/** Number of files copied in one step. */
const pieceSize = 5_000;
/** Number of steps per transaction; enough to avoid many small index segments. */
const piecesPerTransaction = 10;

// A store can have several objects with one path; the first one counts.
const createOrdered = `
  DROP TABLE IF EXISTS temp.ordered;
  CREATE TEMP TABLE ordered AS
    SELECT path, bytes, modified, metadata, format, folder, min(rowid) FROM temp.listed GROUP BY path ORDER BY path;`;
const inPiece = 'FROM temp.ordered WHERE rowid > ? AND rowid <= ?';
const insertFiles = `INSERT INTO files (id, path, format, bytes, modified, metadata)
  SELECT rowid * ${idStride}, path, format, bytes, modified, metadata ${inPiece}`;
const insertWords = `${plainWordsSql} FROM (SELECT rowid * ${idStride} AS id, path, folder AS folderLength ${inPiece})`;

/**
 * Collects the files of a listing in a temporary table. The files may arrive in any order, and are then merged in path
 * order. The catalog is unchanged until the merge, and the listing need not fit in memory. Sorting at the end takes a
 * tenth of the time needed to update an index for each file.
 */
export class StagedListing {
  private readonly database: SqliteFile;
  private readonly rows: CatalogRows;

  /** Creates the table, or removes the rows that an earlier listing left in it. */
  constructor(database: SqliteFile, rows: CatalogRows) {
    this.database = database;
    this.rows = rows;
    database.exec(`
      CREATE TEMP TABLE IF NOT EXISTS listed (
        path TEXT NOT NULL, bytes INTEGER NOT NULL, modified REAL NOT NULL, metadata TEXT, format TEXT, folder INTEGER
      );
      PRAGMA temp.cache_size = -16384;
      DELETE FROM temp.listed;`);
  }

  add(files: readonly ScannedFile[]): void {
    runInTransaction(this.database, () => {
      const insert = this.database.prepare('INSERT INTO temp.listed VALUES (?, ?, ?, ?, ?, ?)');
      for (const file of files) {
        const { path, bytes, modifiedMs, metadata = null } = file;
        const plain = describePlainFile(file);
        insert.run(path, bytes, modifiedMs, metadata, plain?.format ?? null, plain?.folderLength ?? null);
      }
    });
  }

  /**
   * Copies the files in path order to the catalog, which must be empty, and yields after each step. Takes half as long
   * as a merge. If copying ends early, the files of committed transactions remain.
   */
  *fillCatalog(): Generator<undefined, undefined> {
    const { database, rows } = this;
    database.exec(createOrdered);
    const { count } = database.prepare('SELECT count(*) AS count FROM temp.ordered').get() ?? {};
    try {
      database.exec('BEGIN IMMEDIATE');
      rows.deferMerging(true);
      for (let piece = 0; piece * pieceSize < Number(count); piece += 1) {
        this.fillPiece(piece * pieceSize, (piece + 1) * pieceSize);
        if (piece % piecesPerTransaction === piecesPerTransaction - 1) database.exec('COMMIT; BEGIN IMMEDIATE');
        yield;
      }
      rows.deferMerging(false);
      database.exec('COMMIT');
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
      database.exec('DROP TABLE temp.ordered');
    }
  }

  /**
   * Yields the files in path order, in batches. A store can have several objects with the same path; only the first one
   * listed counts.
   */
  *listInOrder(batchSize: number): Generator<readonly ScannedFile[], undefined> {
    let batch: ScannedFile[] = [];
    let lastPath: string | undefined;
    for (const row of this.database.prepare('SELECT * FROM temp.listed ORDER BY path, rowid').iterate()) {
      const file = toScannedFile(row);
      if (file.path === lastPath) continue;
      lastPath = file.path;
      if (batch.push(file) < batchSize) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  clear(): void {
    this.database.exec('DELETE FROM temp.listed');
  }

  /**
   * Copies a range of rows. If all of them are plain files, copies them in SQL without converting each one.
   */
  private fillPiece(from: number, to: number): void {
    const { database, rows } = this;
    const others = database.prepare(`SELECT count(*) AS count ${inPiece} AND folder IS NULL`).get(from, to);
    if (others?.['count'] === 0) {
      database.prepare(insertFiles).run(from, to);
      database.prepare(insertWords).run(from, to);
      return;
    }
    for (const row of database.prepare(`SELECT rowid, * ${inPiece} ORDER BY rowid`).iterate(from, to))
      rows.insert(Number(row['rowid']) * idStride, toScannedFile(row));
  }
}

function toScannedFile(row: Readonly<Record<string, SQLOutputValue>>): ScannedFile {
  return {
    path: String(row['path']),
    bytes: Number(row['bytes']),
    modifiedMs: Number(row['modified']),
    ...(row['metadata'] !== null && { metadata: String(row['metadata']) }),
  };
}
