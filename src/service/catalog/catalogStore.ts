import { mkdirSync, rmSync } from 'node:fs';
import * as nodePath from 'node:path';
import type { StatementSync } from 'node:sqlite';
import type { JsonObject } from '../../core/util/json.ts';
import { inTransaction, openSqlite, type SqliteFile } from '../sqlite.ts';
import { nameOfPath, type CatalogFile, type FoundFile } from './catalogFile.ts';
import { formatOf } from './mediaTypes.ts';
import { pathTest, type PathTest } from './pathPattern.ts';
import { searchSql, type CatalogSearch, type TextMode } from './searchSql.ts';
import { wordsOf } from './words.ts';

interface FileRow {
  readonly id: number;
  readonly path: string;
  readonly format: string;
  readonly bytes: number;
  readonly modified: number;
  readonly metadata: string | null;
  readonly sha256: string | null;
}

/** Raised with every change of the tables: a catalogue of another version is made anew from the folder. */
const layoutVersion = 1;

const tables = `
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL, format TEXT NOT NULL,
    bytes INTEGER NOT NULL, modified REAL NOT NULL, metadata TEXT, sha256 TEXT
  );`;
const wordTables: Readonly<Record<TextMode, string>> = {
  // Words come normalised, so the tokenizer has only to part them at spaces.
  index: `CREATE VIRTUAL TABLE words USING fts5(
    name, title, path, rest, content='', contentless_delete=1, tokenize='ascii', prefix='2 3');`,
  scan: 'CREATE TABLE words (name TEXT, title TEXT, path TEXT, rest TEXT);',
};

/** The files of one database in SQLite. It holds nothing that the folder does not: a broken one is thrown away. */
export class CatalogStore {
  private readonly database: SqliteFile;
  private readonly mode: TextMode;
  private readonly byPath: StatementSync;
  private readonly insertWords: StatementSync;
  private readonly deleteWords: StatementSync;
  private readonly upsert: StatementSync;
  private lastPath: { readonly pattern: string; readonly test: PathTest } | undefined;

  /** `mode` is found by trying unless given; a change of mode makes the catalogue anew. */
  constructor(file: string, mode: TextMode = hasFullText() ? 'index' : 'scan') {
    mkdirSync(nodePath.dirname(file), { recursive: true });
    this.mode = mode;
    this.database = openLayout(file, mode);
    this.database.function('path_matches', { deterministic: true }, (pattern, path) =>
      this.testPath(String(pattern), String(path)),
    );
    this.byPath = this.database.prepare('SELECT * FROM files WHERE path = ?');
    this.insertWords = this.database.prepare(
      'INSERT INTO words (rowid, name, title, path, rest) VALUES (?, ?, ?, ?, ?)',
    );
    this.deleteWords = this.database.prepare('DELETE FROM words WHERE rowid = ?');
    this.upsert = this.database.prepare(`
      INSERT INTO files (path, name, format, bytes, modified, metadata) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (path) DO UPDATE SET name = excluded.name, format = excluded.format, bytes = excluded.bytes,
        modified = excluded.modified, metadata = excluded.metadata, sha256 = NULL
      RETURNING id`);
  }

  /** Takes what a scan found, in one transaction, and adds the ids of the rows to `seen`. A changed file loses its hash. */
  put(files: readonly FoundFile[], seen: Set<number>): void {
    if (files.length === 0) return;
    inTransaction(this.database, () => {
      for (const file of files) seen.add(this.putOne(file));
    });
  }

  /** Forgets the files under a folder (empty: all) that a scan has not seen. */
  forgetUnseen(under: string, seen: ReadonlySet<number>): void {
    const [from, to] = under === '' ? ['', '\u{10FFFF}'] : [`${under}/`, `${under}0`];
    const rows = this.database.prepare('SELECT id FROM files WHERE path >= ? AND path < ?').iterate(from, to);
    const gone: number[] = [];
    for (const row of rows) {
      const id = Number(row['id']);
      if (!seen.has(id)) gone.push(id);
    }
    if (gone.length > 0) this.forget(gone);
  }

  /** One page of a search. */
  search(wanted: CatalogSearch): CatalogFile[] {
    const { sql, values } = searchSql(wanted, this.mode);
    return (this.database.prepare(sql).all(...values) as unknown as FileRow[]).map(fileOf);
  }

  /** The file at a path; undefined when there is none. */
  get(path: string): CatalogFile | undefined {
    const row = this.byPath.get(path) as unknown as FileRow | undefined;
    return row === undefined ? undefined : fileOf(row);
  }

  /** Keeps the hash of a file that was read whole, unless the file has changed since. */
  holdHash(file: FoundFile, sha256: string): void {
    const sql = 'UPDATE files SET sha256 = ? WHERE path = ? AND bytes = ? AND modified = ?';
    this.database.prepare(sql).run(sha256, file.path, file.bytes, file.modifiedMs);
  }

  /** How many files there are. */
  count(): number {
    return Number(this.database.prepare('SELECT count(*) AS number FROM files').get()?.['number']);
  }

  close(): void {
    this.database.close();
  }

  private putOne(file: FoundFile): number {
    const metadata = file.metadata === undefined ? null : JSON.stringify(file.metadata);
    const known = this.byPath.get(file.path) as unknown as FileRow | undefined;
    const isSame = known?.bytes === file.bytes && known.modified === file.modifiedMs && known.metadata === metadata;
    if (isSame) return known.id;
    const name = nameOfPath(file.path);
    const format = declaredFormat(file.metadata) ?? formatOf(name);
    const row = this.upsert.get(file.path, name, format, file.bytes, file.modifiedMs, metadata);
    const id = Number(row?.['id']);
    if (known !== undefined) this.deleteWords.run(id);
    const words = searchedWords(file, name, format).map((text) => (this.mode === 'scan' ? ` ${text} |` : text));
    this.insertWords.run(id, ...words);
    return id;
  }

  private forget(ids: readonly number[]): void {
    const deleteFile = this.database.prepare('DELETE FROM files WHERE id = ?');
    inTransaction(this.database, () => {
      for (const id of ids) {
        deleteFile.run(id);
        this.deleteWords.run(id);
      }
    });
  }

  private testPath(pattern: string, path: string): number {
    if (this.lastPath?.pattern !== pattern) this.lastPath = { pattern, test: pathTest(pattern) };
    return this.lastPath.test(path) ? 1 : 0;
  }
}

function openLayout(file: string, mode: TextMode): SqliteFile {
  try {
    return prepareLayout(file, mode);
  } catch {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return prepareLayout(file, mode);
  }
}

function prepareLayout(file: string, mode: TextMode): SqliteFile {
  const database = openSqlite(file);
  try {
    const wanted = layoutVersion * 2 + (mode === 'index' ? 1 : 0);
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL');
    if (version === wanted) return database;
    if (version !== 0) throw new Error('The catalogue has another layout.');
    inTransaction(database, () => database.exec(`${tables} ${wordTables[mode]} PRAGMA user_version = ${wanted}`));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function hasFullText(): boolean {
  const database = openSqlite(':memory:');
  try {
    database.exec(wordTables.index);
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

function fileOf(row: FileRow): CatalogFile {
  return {
    path: row.path,
    format: row.format,
    bytes: row.bytes,
    modifiedMs: row.modified,
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as JsonObject }),
    ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
  };
}

function declaredFormat(metadata: JsonObject | undefined): string | undefined {
  const format = metadata?.['format'];
  return typeof format === 'string' ? format.toLowerCase() : undefined;
}

/** Name, title, path and the rest: the columns of the words table. */
function searchedWords(file: FoundFile, name: string, format: string): string[] {
  const metadata = file.metadata ?? {};
  const keywords: unknown[] = Array.isArray(metadata['keywords']) ? metadata['keywords'] : [];
  const rest = [metadata['description'], format, ...keywords].filter((value) => typeof value === 'string');
  const title = typeof metadata['title'] === 'string' ? metadata['title'] : '';
  return [name, title, file.path, rest.join(' \n ')].map(wordsOf);
}
