import { createHash } from 'node:crypto';
import { leftOutKinds, type LeftOutCounts, type LeftOutKind } from '../../core/util/leftOut.ts';
import { runInTransaction, type SqliteFile } from '../sqlite.ts';
import { getRangeBelow, type LeftOutName } from './catalogFile.ts';

const columns = '(path TEXT PRIMARY KEY, kind TEXT NOT NULL, amount INTEGER NOT NULL) WITHOUT ROWID';
const createTables = `
  CREATE TEMP TABLE IF NOT EXISTS found_left_out (path TEXT NOT NULL, kind TEXT NOT NULL);
  CREATE TEMP TABLE IF NOT EXISTS sorted_left_out ${columns};`;
const clearTables = 'DELETE FROM temp.found_left_out; DELETE FROM temp.sorted_left_out;';
// A hidden folder of a store is listed once for each object in it. Invalid Unicode can make hidden names identical.
// Sorting at the end takes a fraction of the time needed to update an index for each name.
const sortFound = `INSERT INTO temp.sorted_left_out SELECT path, kind, amount FROM (
  SELECT path, kind, iif(kind = 'hidden' AND instr(path, char(65533)) = 0, 1, count(*)) AS amount, min(rowid)
  FROM temp.found_left_out GROUP BY path ORDER BY path)`;
const removeOthers = `DELETE FROM left_out WHERE (path = ? OR (path >= ? AND path < ?)) AND NOT EXISTS
  (SELECT 1 FROM temp.sorted_left_out s WHERE s.path = left_out.path AND s.kind = left_out.kind AND s.amount = left_out.amount)`;
const countKinds = `SELECT kind, sum(amount) AS number FROM left_out
  WHERE (path >= ? AND path < ?) OR path IN (SELECT value FROM json_each(?)) GROUP BY kind`;

const maxPaths = 20;

/** Collects what one scan leaves out in a temporary table, because a folder can have millions of such names. */
export class LeftOutListing {
  private readonly database: SqliteFile;
  private readonly paths = new Map<LeftOutKind, string[]>();
  private readonly counts = new Map<LeftOutKind, number>();
  private readonly hash = createHash('sha256');

  constructor(database: SqliteFile) {
    this.database = database;
    database.exec(`${createTables} ${clearTables}`);
  }

  add(names: readonly LeftOutName[]): void {
    if (names.length === 0) return;
    const insert = this.database.prepare('INSERT INTO temp.found_left_out VALUES (?, ?)');
    const work = (): void => {
      for (const { path, kind } of names) insert.run(path, kind);
    };
    this.hash.update(names.map(({ path, kind }) => `${JSON.stringify(path)} ${kind}\n`).join(''));
    // A running merge has a transaction.
    if (this.database.isTransaction) work();
    else runInTransaction(this.database, work);
    for (const { path, kind } of names) this.note(path, kind);
  }

  /** Returns a digest of all names in their order. No more names can be added. */
  getDigest(): string {
    return this.hash.digest('hex');
  }

  getCount(kind: LeftOutKind): number {
    return this.counts.get(kind) ?? 0;
  }

  /** Returns a log line with the first paths left out for a reason; an empty array without any. */
  describe(kind: LeftOutKind, text: string | undefined): readonly string[] {
    const count = this.getCount(kind);
    return count === 0 || text === undefined ? [] : [`${text} (${count}): ${this.paths.get(kind)?.join(', ')}`];
  }

  private note(path: string, kind: LeftOutKind): void {
    const paths = this.paths.get(kind) ?? [];
    if (paths.length < maxPaths) this.paths.set(kind, [...paths, path]);
    this.counts.set(kind, this.getCount(kind) + 1);
  }
}

interface InspectedLeftOut {
  readonly kind: 'file' | 'folder' | 'gone';
  readonly path: string;
  readonly leftOut?: LeftOutKind;
}

/**
 * Stores the names that a catalog leaves out. Nothing is known of them until a scan of everything has ended: catalogs
 * of version 0.2 don't have the table, and are kept with their hashes.
 */
export class LeftOutTable {
  private readonly database: SqliteFile;
  private hasTable = false;
  private total: LeftOutCounts | undefined;
  /** Digest of the listing of everything that the table contains; undefined if it contains anything else. */
  private digest: string | undefined;

  constructor(database: SqliteFile) {
    this.database = database;
  }

  startListing(): LeftOutListing {
    return new LeftOutListing(this.database);
  }

  /**
   * Replaces what is left out in a folder, or everywhere if `under` is empty, by a listing, the last that was started.
   * Changes nothing if the listing of everything is as before.
   */
  replace(under: string, listing: LeftOutListing): void {
    if (under !== '' && !this.isKnown()) return;
    const digest = under === '' ? listing.getDigest() : undefined;
    const isSame = digest !== undefined && digest === this.digest;
    if (!isSame) this.replaceBelow(under);
    this.digest = digest;
    this.database.exec(clearTables);
  }

  private replaceBelow(under: string): void {
    const { from, to } = getRangeBelow(under);
    this.database.exec(sortFound);
    this.write(() => {
      if (under === '') this.database.exec(`CREATE TABLE IF NOT EXISTS left_out ${columns}`);
      this.database.prepare(removeOthers).run(under, from, to);
      this.database.exec('INSERT OR IGNORE INTO left_out SELECT * FROM temp.sorted_left_out');
    });
  }

  /** Updates what is left out at paths that have changed. A folder that has changed still has what is below it. */
  update(inspected: readonly InspectedLeftOut[]): void {
    if (!this.isKnown()) return;
    this.digest = undefined;
    const remove = this.database.prepare('DELETE FROM left_out WHERE path = ?');
    const removeBelow = this.database.prepare('DELETE FROM left_out WHERE path >= ? AND path < ?');
    const insert = this.database.prepare(
      'INSERT INTO left_out VALUES (?, ?, 1) ON CONFLICT (path) DO UPDATE SET amount = amount + 1',
    );
    this.write(() => {
      for (const { kind, path } of inspected) {
        const { from, to } = getRangeBelow(path);
        remove.run(path);
        if (kind !== 'folder') removeBelow.run(from, to);
      }
      for (const { path, leftOut } of inspected) if (leftOut) insert.run(path, leftOut);
    });
  }

  /**
   * Counts what is left out at or below a folder, and whether the folder is in something that is left out; undefined
   * if that isn't known yet.
   */
  count(folder: string): LeftOutCounts | undefined {
    if (!this.isKnown()) return undefined;
    return folder === '' ? (this.total ??= this.countBelow('', [])) : this.countBelow(folder, listParents(folder));
  }

  private countBelow(folder: string, parents: readonly string[]): LeftOutCounts {
    const { from, to } = getRangeBelow(folder);
    const rows = this.database.prepare(countKinds).all(from, to, JSON.stringify(parents));
    const counts = new Map(rows.map(({ kind, number }) => [String(kind), Number(number)]));
    const known = leftOutKinds.map((kind) => [kind, counts.get(kind) ?? 0] as const);
    return Object.fromEntries(known.filter(([, count]) => count > 0));
  }

  private isKnown(): boolean {
    this.hasTable ||= this.database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'left_out'").get() !== undefined;
    return this.hasTable;
  }

  /** Runs work in a transaction. Forgets the total if that changes rows. */
  private write(work: () => void): void {
    const before = this.countChanges();
    runInTransaction(this.database, work);
    if (this.countChanges() !== before) this.total = undefined;
  }

  private countChanges(): unknown {
    return this.database.prepare('SELECT total_changes() AS number').get()?.['number'];
  }
}

function listParents(folder: string): string[] {
  return folder.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
}
