import type { SqliteFile } from '../sqlite.ts';

/**
 * Stores the time and the remote of the last complete listing in the catalog. While that listing is recent, a restart
 * doesn't require a new one.
 */
export class ListingRecord {
  private readonly database: SqliteFile;

  constructor(database: SqliteFile) {
    this.database = database;
    database.exec('CREATE TABLE IF NOT EXISTS listing (remote TEXT NOT NULL, listed_at REAL)');
  }

  /**
   * Returns the time of the last complete listing of a remote, in milliseconds since 1970; undefined if there is none.
   */
  getListedAt(remote: string): number | undefined {
    const row = this.database.prepare('SELECT listed_at FROM listing WHERE remote = ?').get(remote);
    return typeof row?.['listed_at'] === 'number' ? row['listed_at'] : undefined;
  }

  /** Returns true if the last complete listing was of a different remote. */
  isOfOther(remote: string): boolean {
    return this.database.prepare('SELECT 1 FROM listing WHERE remote <> ?').get(remote) !== undefined;
  }

  record(remote: string, listedAtMs: number): void {
    this.database.exec('DELETE FROM listing');
    this.database.prepare('INSERT INTO listing VALUES (?, ?)').run(remote, listedAtMs);
  }
}
