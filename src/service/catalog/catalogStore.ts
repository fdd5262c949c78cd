import type { StatementSync } from 'node:sqlite';
import { inTransaction, isCorruption, isSqlError, readTogether, type SqliteFile } from '../sqlite.ts';
import type { CatalogFile, FoundFile, HashedFile, ReadFile } from './catalogFile.ts';
import { CatalogMerge } from './catalogMerge.ts';
import { CatalogRows, fileOfRow, type FileRow } from './catalogRows.ts';
import { bestTextMode, openCatalogFile, type TextMode } from './catalogTables.ts';
import { pathOfFileId } from './fileId.ts';
import { PathIds } from './pathIds.ts';
import { rangeBelow } from './pathOrder.ts';
import { pathTest, type PathTest } from './pathPattern.ts';
import { GrowingPage, type SearchPage } from './searchPage.ts';
import { searchTiers, type CatalogSearch } from './searchSql.ts';
import type { SqlPart } from './sqlPart.ts';

/** The files of one database in SQLite. */
export class CatalogStore {
  private readonly database: SqliteFile;
  private readonly mode: TextMode;
  private readonly rows: CatalogRows;
  private readonly ids: PathIds;
  private readonly byPath: StatementSync;
  private readonly byDeclared: StatementSync;
  private readonly below: StatementSync;
  private lastPath: { readonly pattern: string; readonly test: PathTest } | undefined;

  /** `mode` is found by trying unless given; a change of mode makes the catalogue anew. Takes what opens the file. */
  constructor(file: string, mode: TextMode = bestTextMode(), open = openCatalogFile) {
    this.mode = mode;
    this.database = open(file, mode);
    this.database.function('path_matches', { deterministic: true }, (pattern, path) =>
      this.testPath(String(pattern), String(path)),
    );
    this.rows = new CatalogRows(this.database, mode);
    this.ids = new PathIds(this.database, this.rows);
    this.byPath = this.database.prepare('SELECT * FROM files WHERE path = ?');
    this.byDeclared = this.database.prepare('SELECT * FROM files WHERE declared = ? LIMIT 2');
    this.below = this.database.prepare('SELECT * FROM files WHERE path > ? AND path < ?');
  }

  /** Begins to take what a walk through a folder finds (empty: all). It ends with one of the three ends of a merge. */
  merge(under: string): CatalogMerge {
    return new CatalogMerge(this.database, this.rows, this.ids, under);
  }

  /** Takes single files as they are now, in one transaction. A changed file loses its hash; below a file there is nothing. */
  put(files: readonly FoundFile[]): void {
    if (files.length === 0) return;
    inTransaction(this.database, () => {
      for (const file of files) {
        const known = this.row(file.path);
        if (known !== undefined) this.rows.update(known, file);
        else {
          this.forgetBelow(file.path);
          this.ids.insert([file]);
        }
      }
    });
  }

  /** Forgets what stood at these paths and below them, in one transaction. */
  forget(paths: readonly string[]): void {
    if (paths.length === 0) return;
    inTransaction(this.database, () => {
      for (const path of paths) this.forgetBelow(path);
      this.forgetAt(paths);
    });
  }

  /** Forgets the files at these paths, where folders stand now, in one transaction. */
  forgetFiles(paths: readonly string[]): void {
    if (paths.length > 0) inTransaction(this.database, () => this.forgetAt(paths));
  }

  /** One page of a search. */
  search(wanted: CatalogSearch): SearchPage {
    const { after } = wanted;
    const page = new GrowingPage(wanted);
    let skip = after === undefined ? wanted.offset : 0;
    for (const [index, tier] of [...searchTiers(wanted, this.mode).entries()].slice(after?.tier)) {
      const count = this.fill(page, tier.page(page.room, skip, index === after?.tier ? after : undefined));
      if (page.isFull) return page.end(index);
      // A page that holds nothing may begin beyond the tier: then the next one begins within.
      if (count > 0) skip = 0;
      else if (skip > 0) skip -= this.number(tier.count);
    }
    return page.end();
  }

  /** The file at a path; undefined when there is none. */
  get(path: string): CatalogFile | undefined {
    const row = this.row(path);
    return row === undefined ? undefined : this.fileOf(row);
  }

  /**
   * Returns the file of each id; undefined where there is none. The id that is made of a file's path goes before one that
   * a Data Package declares, which must be that of one file only (D20).
   */
  filesByIds(ids: readonly string[]): (CatalogFile | undefined)[] {
    return readTogether(this.database, () => ids.map((id) => this.fileById(id)));
  }

  /**
   * Keeps the hashes of files that were read whole, or forgets them, in one transaction; not of those that have changed
   * since.
   */
  holdHashes(files: readonly ReadFile[]): void {
    const keep = this.database.prepare('UPDATE files SET sha256 = ? WHERE path = ? AND bytes = ? AND modified = ?');
    this.together(() => {
      for (const { path, bytes, modifiedMs, sha256 } of files) keep.run(sha256, path, bytes, modifiedMs);
    });
  }

  /** What is held of the files at these paths: their hash, and what they were when it was taken. */
  heldHashes(paths: readonly string[]): (HashedFile | undefined)[] {
    const held = this.database.prepare(
      'SELECT bytes, modified, sha256 FROM files INDEXED BY held WHERE path = ? AND sha256 IS NOT NULL',
    );
    const heldHash = (path: string): HashedFile | undefined => {
      const row = held.get(path) as unknown as { bytes: number; modified: number; sha256: string } | undefined;
      return row && { path, bytes: row.bytes, modifiedMs: row.modified, sha256: row.sha256 };
    };
    return readTogether(this.database, () => paths.map(heldHash));
  }

  /** How many files there are. */
  count(): number {
    return this.number({ sql: 'SELECT count(*) AS number FROM files', values: [] });
  }

  /** Whether an error tells that the file is broken, or another one by now. */
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
      return this.number({ sql: 'SELECT count(*) AS number FROM sqlite_schema', values: [] }) > 0;
    } catch {
      return false;
    }
  }

  private forgetAt(paths: readonly string[]): void {
    for (const path of paths) {
      const row = this.row(path);
      if (row !== undefined) this.rows.delete(row);
    }
  }

  private forgetBelow(path: string): void {
    const { from, to } = rangeBelow(path);
    const rows = this.below.all(from, to) as unknown as FileRow[];
    for (const row of rows) this.rows.delete(row);
  }

  /** In one transaction: that of the merge, where one goes on. */
  private together(work: () => void): void {
    if (this.database.isTransaction) work();
    else inTransaction(this.database, work);
  }

  private row(path: string): FileRow | undefined {
    return this.byPath.get(path) as unknown as FileRow | undefined;
  }

  private fileById(id: string): CatalogFile | undefined {
    const path = pathOfFileId(id);
    const atPath = path === undefined ? undefined : this.row(path);
    const row = atPath ?? this.declaring(id);
    return row && fileOfRow(row);
  }

  /** Returns the only row that declares an id; undefined when there is none, or more than one. */
  private declaring(id: string): FileRow | undefined {
    const rows = this.byDeclared.all(id) as unknown as FileRow[];
    return rows.length === 1 ? rows[0] : undefined;
  }

  /** An id that two files declare, or that is another file's path, is nobody's. */
  private fileOf(row: FileRow): CatalogFile {
    const file = fileOfRow(row);
    if (row.declared === null || this.fileById(row.declared)?.path !== row.path) return file;
    return { ...file, id: row.declared };
  }

  /** Adds rows until the page is full. Returns how many there were. */
  private fill(page: GrowingPage, { sql, values }: SqlPart): number {
    let count = 0;
    for (const row of this.database.prepare(sql).iterate(...values)) {
      page.add(this.fileOf(row as unknown as FileRow));
      count += 1;
      if (page.isFull) break;
    }
    return count;
  }

  private number({ sql, values }: SqlPart): number {
    return Number(this.database.prepare(sql).get(...values)?.['number']);
  }

  private testPath(pattern: string, path: string): number {
    if (this.lastPath?.pattern !== pattern) this.lastPath = { pattern, test: pathTest(pattern) };
    return this.lastPath.test(path) ? 1 : 0;
  }
}
