import type { SQLOutputValue } from 'node:sqlite';
import { runInTransaction, type SqliteFile } from '../sqlite.ts';
import type { ScannedFile } from './catalogFile.ts';

/**
 * Stores a listing whose order is unknown in a temporary table, so that it can be merged in path order. The catalog
 * stays as it was until then, and the size of a listing is not limited by memory. Sorting at the end takes a tenth of
 * the time of an index that grows with each file.
 */
export class StagedListing {
  private readonly database: SqliteFile;

  /** Removes the rows that an earlier listing left. */
  constructor(database: SqliteFile) {
    this.database = database;
    database.exec(`
      CREATE TEMP TABLE IF NOT EXISTS listed (
        path TEXT NOT NULL, bytes INTEGER NOT NULL, modified REAL NOT NULL, metadata TEXT
      );
      PRAGMA temp.cache_size = -16384;
      DELETE FROM temp.listed;`);
  }

  add(files: readonly ScannedFile[]): void {
    runInTransaction(this.database, () => {
      const insert = this.database.prepare('INSERT INTO temp.listed VALUES (?, ?, ?, ?)');
      for (const { path, bytes, modifiedMs, metadata } of files) insert.run(path, bytes, modifiedMs, metadata ?? null);
    });
  }

  /** Returns the files in path order, in batches. A store can have several objects with one path; the first one counts. */
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
}

function toScannedFile(row: Readonly<Record<string, SQLOutputValue>>): ScannedFile {
  return {
    path: String(row['path']),
    bytes: Number(row['bytes']),
    modifiedMs: Number(row['modified']),
    ...(row['metadata'] !== null && { metadata: String(row['metadata']) }),
  };
}
