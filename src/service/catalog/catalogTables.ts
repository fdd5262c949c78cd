import { rmSync } from 'node:fs';
import * as nodePath from 'node:path';
import { createFolderSync } from '../../core/util/createFolder.ts';
import { isTemporary, openSqlite, runInTransaction, type SqliteFile } from '../sqlite.ts';

/**
 * Version of the table layout and the word format. Increment it whenever either changes, so that older catalogs are
 * recreated.
 */
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

/**
 * Opens or creates a catalog file. Replaces a file that is unusable or has a different version. Rethrows
 * temporary errors instead, to keep the cached hashes.
 */
export function openCatalogFile(file: string): SqliteFile {
  createFolderSync(nodePath.dirname(file));
  try {
    return prepare(file);
  } catch (error) {
    if (isTemporary(error)) throw error;
    removeCatalogFile(file);
    return prepare(file);
  }
}

/** Removes a catalog and the files that SQLite creates next to it. */
export function removeCatalogFile(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

function prepare(file: string): SqliteFile {
  const database = openSqlite(file);
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version === 0) database.exec('PRAGMA page_size = 8192');
    // The catalog can be rebuilt from its folder or store, so writes need not be synchronous.
    database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768');
    if (version === layoutVersion) return database;
    if (version !== 0) throw new Error('The catalog has a different schema version.');
    runInTransaction(database, () => database.exec(`${tables} PRAGMA user_version = ${layoutVersion}`));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
