import type { StatementSync } from 'node:sqlite';
import { parseFileId } from '../../core/util/fileId.ts';
import type { Logger } from '../../core/util/logger.ts';
import { isCorruption, isSqlError, runInReadTransaction, runInTransaction, type SqliteFile } from '../sqlite.ts';
import { getRangeBelow, type CatalogFile, type HashedFile, type HashUpdate, type ScannedFile } from './catalogFile.ts';
import { CatalogMerge, StagedListing } from './catalogMerge.ts';
import { CatalogPageBuilder, type CatalogPage } from './catalogPage.ts';
import { CatalogRows, PathIds, toCatalogFile, type FileRow } from './catalogRows.ts';
import { openCatalogFile, removeCatalogFile } from './catalogTables.ts';
import { compilePattern, type PathTest } from './textMatching.ts';
import {
  buildSearchTiers,
  type CatalogSearch,
  type SearchCursor,
  type SearchTier,
  type SqlFragment,
} from './searchSql.ts';

/**
 * Stores the time and the remote of the last complete listing in the catalog. While that listing is recent, a restart
 * doesn't require a new one.
 */
class ListingRecord {
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

/** Stores the files of one database in SQLite. */
export class CatalogStore {
  private readonly database: SqliteFile;
  private readonly rows: CatalogRows;
  private readonly ids: PathIds;
  private readonly byPath: StatementSync;
  private readonly byDeclared: StatementSync;
  private readonly below: StatementSync;
  private lastPath: { readonly pattern: string; readonly test: PathTest } | undefined;

  /** Opens the catalog file. */
  constructor(file: string, open = openCatalogFile) {
    this.database = open(file);
    this.database.function('path_matches', { deterministic: true }, (pattern, path) =>
      this.testPath(String(pattern), String(path)),
    );
    this.rows = new CatalogRows(this.database);
    this.ids = new PathIds(this.database, this.rows);
    this.byPath = this.database.prepare('SELECT * FROM files WHERE path = ?');
    this.byDeclared = this.database.prepare('SELECT * FROM files WHERE declared = ? LIMIT 2');
    this.below = this.database.prepare('SELECT * FROM files WHERE path > ? AND path < ?');
  }

  /**
   * Starts merging the scan of a folder, or of the whole database if `under` is empty. The caller ends the merge with
   * `finish`, `stop` or `abandon`.
   */
  startMerge(under: string): CatalogMerge {
    return new CatalogMerge(this.database, this.rows, this.ids, under);
  }

  /** Starts a listing whose files may arrive in any order. */
  startListing(): StagedListing {
    return new StagedListing(this.database, this.rows);
  }

  openListingRecord(): ListingRecord {
    return new ListingRecord(this.database);
  }

  /**
   * Inserts or updates files in one transaction. A changed file loses its cached hash. If a file has replaced a folder,
   * the rows below the folder are removed.
   */
  put(files: readonly ScannedFile[]): void {
    if (files.length === 0) return;
    runInTransaction(this.database, () => {
      for (const file of files) this.putFile(file);
    });
  }

  private putFile(file: ScannedFile): void {
    const known = this.findRow(file.path);
    if (known !== undefined) this.rows.update(known, file);
    else {
      this.removeBelow(file.path);
      this.ids.insert([file]);
    }
  }

  /** Removes the rows at and below the given paths, in one transaction. */
  removePaths(paths: readonly string[]): void {
    if (paths.length === 0) return;
    runInTransaction(this.database, () => {
      for (const path of paths) this.removeBelow(path);
      this.removeAt(paths);
    });
  }

  /** Removes the rows of files whose paths are now folders, in one transaction. */
  removeFiles(paths: readonly string[]): void {
    if (paths.length > 0) runInTransaction(this.database, () => this.removeAt(paths));
  }

  search(search: CatalogSearch): CatalogPage {
    const { after } = search;
    const page = new CatalogPageBuilder(search);
    let skip = search.offset;
    let arePreviousEmpty = after === undefined;
    for (let index = after?.tier ?? 0; ; index += 1) {
      const tier = buildSearchTiers(search, arePreviousEmpty)[index];
      if (tier === undefined) return page.build();
      const passed = this.addTier(page, tier, skip, index === after?.tier ? after : undefined);
      if (page.isFull) return page.build(index);
      skip = Math.max(0, skip - passed);
      arePreviousEmpty &&= passed === 0;
    }
  }

  get(path: string): CatalogFile | undefined {
    const row = this.findRow(path);
    return row === undefined ? undefined : this.resolveFile(row);
  }

  /**
   * Returns the file for each ID, or undefined for an unknown ID. IDs derived from paths take precedence over those
   * that Data Packages declare.
   */
  filesByIds(ids: readonly string[]): (CatalogFile | undefined)[] {
    return runInReadTransaction(this.database, () => ids.map((id) => this.findFileById(id)));
  }

  /** Stores or removes hashes in one transaction. Skips files that have changed since they were read. */
  cacheHashes(files: readonly HashUpdate[]): void {
    const update = this.database.prepare('UPDATE files SET sha256 = ? WHERE path = ? AND bytes = ? AND modified = ?');
    this.runInTransaction(() => {
      for (const { path, bytes, modifiedMs, sha256 } of files) update.run(sha256, path, bytes, modifiedMs);
    });
  }

  getCachedHashes(paths: readonly string[]): (HashedFile | undefined)[] {
    const select = this.database.prepare(
      'SELECT bytes, modified, sha256 FROM files INDEXED BY held WHERE path = ? AND sha256 IS NOT NULL',
    );
    const getHash = (path: string): HashedFile | undefined => {
      const row = select.get(path) as unknown as { bytes: number; modified: number; sha256: string } | undefined;
      return row && { path, bytes: row.bytes, modifiedMs: row.modified, sha256: row.sha256 };
    };
    return runInReadTransaction(this.database, () => paths.map(getHash));
  }

  isEmpty(): boolean {
    return this.database.prepare('SELECT 1 FROM files LIMIT 1').get() === undefined;
  }

  count(): number {
    return this.queryNumber({ sql: 'SELECT count(*) AS number FROM files', values: [] });
  }

  /** Returns true if an error indicates that the catalog file is corrupt or was replaced. */
  isBrokenBy(error: unknown): boolean {
    return isCorruption(error) || (isSqlError(error) && !this.hasTables());
  }

  get isOpen(): boolean {
    return this.database.isOpen;
  }

  close(): void {
    if (this.isOpen) this.database.close();
  }

  private hasTables(): boolean {
    try {
      return this.queryNumber({ sql: 'SELECT count(*) AS number FROM sqlite_schema', values: [] }) > 0;
    } catch {
      return false;
    }
  }

  private removeAt(paths: readonly string[]): void {
    for (const path of paths) {
      const row = this.findRow(path);
      if (row !== undefined) this.rows.delete(row);
    }
  }

  private removeBelow(path: string): void {
    const { from, to } = getRangeBelow(path);
    const rows = this.below.all(from, to) as unknown as FileRow[];
    for (const row of rows) this.rows.delete(row);
  }

  /** Runs `work` in the transaction of a running merge or, if there is none, in a separate one. */
  private runInTransaction(work: () => void): void {
    if (this.database.isTransaction) work();
    else runInTransaction(this.database, work);
  }

  private findRow(path: string): FileRow | undefined {
    return this.byPath.get(path) as unknown as FileRow | undefined;
  }

  private findFileById(id: string): CatalogFile | undefined {
    const path = parseFileId(id);
    const atPath = path === undefined ? undefined : this.findRow(path);
    const row = atPath ?? this.findDeclaringRow(id);
    return row && toCatalogFile(row);
  }

  /** Returns the only row that declares an ID; undefined if no row or more than one row does. */
  private findDeclaringRow(id: string): FileRow | undefined {
    const rows = this.byDeclared.all(id) as unknown as FileRow[];
    return rows.length === 1 ? rows[0] : undefined;
  }

  /**
   * Converts a row to a file. Ignores a declared ID that multiple files declare, or that is another file's path-based
   * ID.
   */
  private resolveFile(row: FileRow): CatalogFile {
    const file = toCatalogFile(row);
    if (row.declared === null || this.findFileById(row.declared)?.path !== row.path) return file;
    return { ...file, id: row.declared };
  }

  /** Adds the rows of a tier until the page is full. Returns the number of rows that were skipped or added. */
  private addTier(page: CatalogPageBuilder, tier: SearchTier, skip: number, after?: SearchCursor): number {
    const { sql, values } = tier.page(page.remaining, skip, after);
    let count = 0;
    for (const row of this.database.prepare(sql).iterate(...values)) {
      page.add(this.resolveFile(row as unknown as FileRow));
      count += 1;
      if (page.isFull) break;
    }
    if (count > 0) return skip + count;
    // The offset may lie beyond the tier. The rest of it then applies to the next tier.
    return skip > 0 ? this.queryNumber(tier.count(after)) : 0;
  }

  private queryNumber({ sql, values }: SqlFragment): number {
    return Number(this.database.prepare(sql).get(...values)?.['number']);
  }

  private testPath(pattern: string, path: string): number {
    if (this.lastPath?.pattern !== pattern) this.lastPath = { pattern, test: compilePattern(pattern) };
    return this.lastPath.test(path) ? 1 : 0;
  }
}

interface RepairableStoreOptions {
  readonly name: string;
  readonly file: string;
  readonly logger: Logger;
  readonly openFile?: typeof openCatalogFile | undefined;
}

/**
 * Manages a database's catalog file, and recreates it if it is corrupt. Scans restore everything except cached hashes.
 */
export class RepairableStore {
  private readonly options: RepairableStoreOptions;
  private current: CatalogStore;

  /** Opens or creates the catalog file. Throws if neither is possible. */
  constructor(options: RepairableStoreOptions) {
    this.options = options;
    this.current = this.open();
  }

  get store(): CatalogStore {
    return this.current;
  }

  /** Returns true if the catalog is usable. If it is closed, first tries to replace it with an empty one. */
  ensureOpen(): boolean {
    return this.current.isOpen || this.recreate();
  }

  /** Replaces the catalog with an empty one if an error indicates that it is corrupt. Never throws. */
  repair(error: unknown): void {
    if (this.current.isBrokenBy(error)) this.reset();
  }

  /** Replaces the catalog with an empty one; leaves it closed if that fails. Never throws. */
  reset(): void {
    this.current.close();
    this.recreate();
  }

  close(): void {
    this.current.close();
  }

  private recreate(): boolean {
    const { name, file, logger } = this.options;
    try {
      removeCatalogFile(file);
      this.current = this.open();
      return true;
    } catch (error) {
      logger.warn(`The catalog of ${name} cannot be recreated: ${String(error)}`);
      return false;
    }
  }

  private open(): CatalogStore {
    return new CatalogStore(this.options.file, this.options.openFile);
  }
}
