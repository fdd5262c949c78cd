import type { SqliteFile } from '../sqlite.ts';

/** Stores in a catalog when and from which remote its files were listed, so that a restart needn't list them again. */
export class ListingRecord {
  private readonly database: SqliteFile;

  constructor(database: SqliteFile) {
    this.database = database;
    database.exec('CREATE TABLE IF NOT EXISTS listing (remote TEXT NOT NULL, listed_at REAL)');
  }

  /** Returns the end of the last complete listing of a remote, in milliseconds since 1970; undefined if there is none. */
  getListedAt(remote: string): number | undefined {
    const row = this.database.prepare('SELECT listed_at FROM listing WHERE remote = ?').get(remote);
    return typeof row?.['listed_at'] === 'number' ? row['listed_at'] : undefined;
  }

  /** Returns true if the catalog may contain the files of another remote. */
  isOfOther(remote: string): boolean {
    return this.database.prepare('SELECT 1 FROM listing WHERE remote <> ?').get(remote) !== undefined;
  }

  record(remote: string, listedAtMs: number): void {
    this.database.exec('DELETE FROM listing');
    this.database.prepare('INSERT INTO listing VALUES (?, ?)').run(remote, listedAtMs);
  }
}
