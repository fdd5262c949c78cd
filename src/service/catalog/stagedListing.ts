import { runInTransaction, type SqliteFile } from '../sqlite.ts';
import type { ScannedFile } from './catalogFile.ts';

/**
 * Stores a listing whose order is unknown in a temporary table, so that it can be merged in path order. The catalog
 * stays as it was until then, and the size of a listing is not limited by memory.
 */
export class StagedListing {
  private readonly database: SqliteFile;

  /** Removes the rows that an earlier listing left. */
  constructor(database: SqliteFile) {
    this.database = database;
    database.exec(`
      CREATE TEMP TABLE IF NOT EXISTS listed (
        path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, modified REAL NOT NULL, metadata TEXT
      ) WITHOUT ROWID;
      PRAGMA temp.cache_size = -16384;
      DELETE FROM temp.listed;`);
  }

  /** Adds files. A store can have several objects with one path; the first one counts. */
  add(files: readonly ScannedFile[]): void {
    runInTransaction(this.database, () => {
      const insert = this.database.prepare('INSERT OR IGNORE INTO temp.listed VALUES (?, ?, ?, ?)');
      for (const { path, bytes, modifiedMs, metadata } of files) insert.run(path, bytes, modifiedMs, metadata ?? null);
    });
  }

  /** Returns the files that follow a path (empty: the first ones), in path order. */
  listAfter(path: string, limit: number): ScannedFile[] {
    const select = this.database.prepare('SELECT * FROM temp.listed WHERE path > ? ORDER BY path LIMIT ?');
    return select.all(path, limit).map((row) => ({
      path: String(row['path']),
      bytes: Number(row['bytes']),
      modifiedMs: Number(row['modified']),
      ...(row['metadata'] !== null && { metadata: String(row['metadata']) }),
    }));
  }

  clear(): void {
    this.database.exec('DELETE FROM temp.listed');
  }
}
