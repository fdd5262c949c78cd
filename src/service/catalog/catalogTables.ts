import { mkdirSync, rmSync } from 'node:fs';
import * as nodePath from 'node:path';
import { inTransaction, openSqlite, type SqliteFile } from '../sqlite.ts';

/** How words are found: by SQLite's full-text index, or, where the runtime has none, by looking at every row. */
export type TextMode = 'index' | 'scan';

/**
 * Raised with every change of the tables, or of the words that go into them: a catalogue of another version is made
 * anew from the folder.
 */
const layoutVersion = 4;

// The ids go in the order of the paths, so that what is found by its words comes out in that order without sorting.
const tables = `
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, format TEXT NOT NULL,
    bytes INTEGER NOT NULL, modified REAL NOT NULL, metadata TEXT, sha256 TEXT, declared TEXT
  );
  CREATE INDEX declared ON files (declared) WHERE declared IS NOT NULL;
  CREATE INDEX held ON files (path, bytes, modified, sha256) WHERE sha256 IS NOT NULL;`;
const wordTables: Readonly<Record<TextMode, string>> = {
  index: `CREATE VIRTUAL TABLE words USING fts5(
    name, title, folder, rest, content='', columnsize=0, tokenize='ascii');
    INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);`,
  scan: 'CREATE TABLE words (name TEXT, title TEXT, folder TEXT, rest TEXT);',
};

/**
 * Opens the file of a catalogue. It holds nothing that the folder does not: one that is broken, or was made in another
 * way, is thrown away and made anew, and so it need not be written through to the disk at every step.
 */
export function openCatalogFile(file: string, mode: TextMode): SqliteFile {
  mkdirSync(nodePath.dirname(file), { recursive: true });
  try {
    return prepare(file, mode);
  } catch {
    removeCatalogFile(file);
    return prepare(file, mode);
  }
}

/** Removes a catalogue, with what SQLite keeps beside it. */
export function removeCatalogFile(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

function prepare(file: string, mode: TextMode): SqliteFile {
  const database = openSqlite(file);
  try {
    const wanted = layoutVersion * 2 + (mode === 'index' ? 1 : 0);
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version === 0) database.exec('PRAGMA page_size = 8192');
    database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768');
    if (version === wanted) return database;
    if (version !== 0) throw new Error('The catalogue has another layout.');
    inTransaction(database, () => database.exec(`${tables} ${wordTables[mode]} PRAGMA user_version = ${wanted}`));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The best way that the runtime has. */
export function bestTextMode(): TextMode {
  const database = openSqlite(':memory:');
  try {
    database.exec(wordTables.index);
    return 'index';
  } catch {
    return 'scan';
  } finally {
    database.close();
  }
}
