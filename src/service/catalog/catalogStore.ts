import * as nodePath from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { createFolderSync } from '../../core/util/createFolder.ts';
import { parseFileId } from '../../core/util/fileId.ts';
import type { Logger } from '../../core/util/logger.ts';
import {
  isCorruption,
  isSqlError,
  isTemporary,
  openSqlite,
  removeSqliteFile,
  runInReadTransaction,
  runInTransaction,
  type SqliteFile,
} from '../sqlite.ts';
import type { StoreListingState } from '../wire/apiSchemas.ts';
import { getRangeBelow, type CatalogFile, type HashedFile, type HashUpdate, type ScannedFile } from './catalogFile.ts';
import { CatalogMerge, StagedListing } from './catalogMerge.ts';
import { CatalogRows, toCatalogFile, type FileRow } from './catalogRows.ts';
import type { FolderFields } from './folderFields.ts';
import { LeftOutTable } from './leftOutTable.ts';
import {
  buildSearchTiers,
  type CatalogSearch,
  type SearchCursor,
  type SearchTier,
  type SqlFragment,
} from './searchSql.ts';
import { compilePattern, type PathTest } from './textMatching.ts';

/** Increment it whenever the table layout or the word format changes: older catalogs are recreated. */
const layoutVersion = 9;

// IDs are in path order, so that full-text matches are returned in that order without sorting.
const tables = `
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, format TEXT NOT NULL,
    bytes INTEGER NOT NULL, modified REAL NOT NULL, metadata TEXT, sha256 TEXT, declared TEXT
  );
  CREATE INDEX declared ON files (declared) WHERE declared IS NOT NULL;
  CREATE INDEX held ON files (path, bytes, modified, sha256) WHERE sha256 IS NOT NULL;
  CREATE VIRTUAL TABLE words USING fts5(
    name, title, folder, rest, content='', columnsize=0, tokenize='ascii');
  INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);`;

/** Opens or creates a catalog file. Replaces an unusable one, but keeps cached hashes after a temporary error. */
export function openCatalogFile(file: string): SqliteFile {
  createFolderSync(nodePath.dirname(file));
  try {
    return openTables(file);
  } catch (error) {
    if (isTemporary(error)) throw error;
    removeSqliteFile(file);
    return openTables(file);
  }
}

function openTables(file: string): SqliteFile {
  const database = openSqlite(file);
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version === 0) database.exec('PRAGMA page_size = 8192');
    // The catalog can be rebuilt from its folder or store, so writes need not be synchronous.
    // The thread keeps what the cache has needed: V8 allocates memory between its pages. A larger cache saves little.
    database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192');
    if (version !== 0 && version !== layoutVersion) throw new Error('The catalog has a different schema version.');
    if (version === 0)
      runInTransaction(database, () => database.exec(`${tables} PRAGMA user_version = ${layoutVersion}`));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A page of the files that a search finds. */
export interface CatalogPage {
  readonly files: readonly CatalogFile[];
  /** Start of the next page; absent if this page is not full. A full page may be the last one. */
  readonly next?: SearchCursor;
  /** The state of the store's listing; absent for a folder (D62: stores through rclone). */
  readonly listing?: StoreListingState;
}

const maxFiles = 2_000;
/** Larger than `maxFiles`, because each page of sorted results sorts all of them again. */
const maxSortedFiles = 20_000;
/** Maximum number of metadata characters in a page, not counting the last file. */
const maxChars = 2 * 1024 * 1024;

interface PageBuilder {
  readonly limit: number;
  readonly files: CatalogFile[];
  chars: number;
}

function isFull({ limit, files, chars }: PageBuilder): boolean {
  return files.length >= limit || chars > maxChars;
}

/** Stores the last complete listing, so that a restart doesn't require a new one while it is recent. */
class ListingRecord {
  private readonly database: SqliteFile;

  constructor(database: SqliteFile) {
    this.database = database;
    database.exec('CREATE TABLE IF NOT EXISTS listing (remote TEXT NOT NULL, listed_at REAL)');
  }

  /** In milliseconds since 1970; undefined if there is no complete listing of the remote. */
  getListedAt(remote: string): number | undefined {
    const row = this.database.prepare('SELECT listed_at FROM listing WHERE remote = ?').get(remote);
    return typeof row?.['listed_at'] === 'number' ? row['listed_at'] : undefined;
  }

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
  readonly leftOut: LeftOutTable;
  private readonly database: SqliteFile;
  private readonly rows: CatalogRows;
  private readonly byPath: StatementSync;
  private readonly byDeclared: StatementSync;
  private readonly below: StatementSync;
  private readonly folderFields: FolderFields | undefined;
  private lastPath: { readonly pattern: string; readonly test: PathTest } | undefined;

  constructor(file: string, open = openCatalogFile, folderFields?: FolderFields) {
    this.database = open(file);
    this.leftOut = new LeftOutTable(this.database);
    this.folderFields = folderFields;
    this.database.function('path_matches', { deterministic: true }, (pattern, path) =>
      this.testPath(String(pattern), String(path)),
    );
    this.rows = new CatalogRows(this.database);
    this.byPath = this.database.prepare('SELECT * FROM files WHERE path = ?');
    this.byDeclared = this.database.prepare('SELECT * FROM files WHERE declared = ? LIMIT 2');
    this.below = this.database.prepare('SELECT * FROM files WHERE path > ? AND path < ?');
  }

  /** Starts merging the scan of a folder, or of everything if `under` is empty. The caller ends it. */
  startMerge(under: string): CatalogMerge {
    return new CatalogMerge(this.database, this.rows, under);
  }

  startListing(): StagedListing {
    return new StagedListing(this.database, this.rows);
  }

  openListingRecord(): ListingRecord {
    return new ListingRecord(this.database);
  }

  /** Inserts or updates files. A changed file loses its hash; one that replaced a folder, that folder's rows. */
  put(files: readonly ScannedFile[]): void {
    if (files.length === 0) return;
    runInTransaction(this.database, () => {
      for (const file of files) {
        const known = this.findRow(file.path);
        if (known === undefined) this.removeBelow(file.path);
        if (known === undefined) this.rows.insertBetween([file]);
        else this.rows.update(known, file);
      }
    });
  }

  removePaths(paths: readonly string[]): void {
    if (paths.length === 0) return;
    runInTransaction(this.database, () => {
      for (const path of paths) this.removeBelow(path);
      this.removeAt(paths);
    });
  }

  /** Removes the rows of files that are folders now. */
  removeFiles(paths: readonly string[]): void {
    if (paths.length > 0) runInTransaction(this.database, () => this.removeAt(paths));
  }

  search(search: CatalogSearch): CatalogPage {
    const { after, filter, limit } = search;
    const maxCount = filter.sort === 'relevance' || filter.sort === 'path' ? maxFiles : maxSortedFiles;
    const page: PageBuilder = { limit: Math.min(limit, maxCount), files: [], chars: 0 };
    let skip = search.offset;
    let arePreviousEmpty = after === undefined;
    for (let tier = after?.tier ?? 0; ; tier += 1) {
      const query = buildSearchTiers(search, arePreviousEmpty)[tier];
      if (query === undefined) return { files: page.files };
      const passed = this.addTier(page, query, skip, tier === after?.tier ? after : undefined);
      const last = page.files.at(-1);
      if (last !== undefined && isFull(page)) {
        const { path, bytes, modifiedMs } = last;
        return { files: page.files, next: { tier, path, bytes, modifiedMs } };
      }
      skip = Math.max(0, skip - passed);
      arePreviousEmpty &&= passed === 0;
    }
  }

  /** IDs derived from paths take precedence over those that Data Packages declare. */
  filesByIds(ids: readonly string[]): (CatalogFile | undefined)[] {
    return runInReadTransaction(this.database, () => ids.map((id) => this.findFileById(id)));
  }

  /** Stores or removes hashes, except of files that have changed since they were read. */
  cacheHashes(files: readonly HashUpdate[]): void {
    const update = this.database.prepare('UPDATE files SET sha256 = ? WHERE path = ? AND bytes = ? AND modified = ?');
    const work = (): void => {
      for (const { path, bytes, modifiedMs, sha256 } of files) update.run(sha256, path, bytes, modifiedMs);
    };
    // A running merge has a transaction.
    if (this.database.isTransaction) work();
    else runInTransaction(this.database, work);
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

  /** Releases the memory of the file's cache. */
  shrink(): void {
    if (this.isOpen) this.database.exec('PRAGMA shrink_memory');
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

  private findRow(path: string): FileRow | undefined {
    return this.byPath.get(path) as unknown as FileRow | undefined;
  }

  private findFileById(id: string): CatalogFile | undefined {
    const path = parseFileId(id);
    const atPath = path === undefined ? undefined : this.findRow(path);
    const row = atPath ?? this.findDeclaringRow(id);
    return row && this.toFile(row);
  }

  private toFile(row: FileRow): CatalogFile {
    const file = toCatalogFile(row);
    return this.folderFields?.addTo(file) ?? file;
  }

  /** Returns undefined if no row or more than one row declares the ID. */
  private findDeclaringRow(id: string): FileRow | undefined {
    const rows = this.byDeclared.all(id) as unknown as FileRow[];
    return rows.length === 1 ? rows[0] : undefined;
  }

  /** Ignores a declared ID that several files declare, or that is another file's path-based ID. */
  private resolveFile(row: FileRow): CatalogFile {
    const file = this.toFile(row);
    if (row.declared === null || this.findFileById(row.declared)?.path !== row.path) return file;
    return { ...file, id: row.declared };
  }

  /** Fills the page from a tier. Returns the number of rows that were skipped or added. */
  private addTier(page: PageBuilder, tier: SearchTier, skip: number, after?: SearchCursor): number {
    const { sql, values } = tier.page(page.limit - page.files.length, skip, after);
    let count = 0;
    for (const row of this.database.prepare(sql).iterate(...values)) {
      const file = this.resolveFile(row as unknown as FileRow);
      page.files.push(file);
      page.chars += (file.metadata?.length ?? 0) + (file.folderFields?.length ?? 0);
      count += 1;
      if (isFull(page)) break;
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
  readonly folderFields?: FolderFields;
}

/** Recreates a corrupt catalog file. Scans restore everything except cached hashes. */
export class RepairableStore {
  private readonly options: RepairableStoreOptions;
  private current: CatalogStore;

  constructor(options: RepairableStoreOptions) {
    this.options = options;
    this.current = this.open();
  }

  /** The current catalog. Don't keep it: a repair replaces it. */
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
      removeSqliteFile(file);
      this.current = this.open();
      return true;
    } catch (error) {
      logger.warn(`The catalog of ${name} cannot be recreated: ${String(error)}`);
      return false;
    }
  }

  private open(): CatalogStore {
    return new CatalogStore(this.options.file, this.options.openFile, this.options.folderFields);
  }
}

/**
 * Gives each query of a thread its own turn of the event loop, so that calls that arrive meanwhile run between two of
 * them, however many wait.
 */
export class QueryTurns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves when the caller may run its query, which must be synchronous. */
  async next(): Promise<void> {
    // In the first step, calls arrive that were sent during the previous query. They run before the second one.
    const turn = this.last.then(async () => await setImmediate()).then(async () => await setImmediate());
    this.last = turn;
    await turn;
  }
}
