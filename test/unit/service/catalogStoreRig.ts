import assert from 'node:assert/strict';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import { CatalogStore, openCatalogFile } from '../../../src/service/catalog/catalogStore.ts';
import { folderEndMarker } from '../../../src/service/catalog/textMatching.ts';
import type { SqliteFile } from '../../../src/service/sqlite.ts';
import { inPathOrder } from './catalogArbitraries.ts';
import { naiveColumns, naiveFormat } from './naiveSearch.ts';

/** The expected content of a catalog, by path. */
export type Known = ReadonlyMap<string, ScannedFile & { readonly sha256?: string }>;

interface CatalogStoreRig {
  readonly store: CatalogStore;
  readonly database: SqliteFile;
}

/** Creates a catalog in memory and returns it with its database. */
export function storeInMemory(): CatalogStoreRig {
  const database = openCatalogFile(':memory:');
  database.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, instance)');
  return { store: new CatalogStore(':memory:', () => database), database };
}

/** Asserts that a catalog contains exactly the files in `known` and their words, with ids in path order. */
export function assertCatalogContains(database: SqliteFile, known: Known): void {
  const files = inPathOrder([...known.values()]);
  const rows = database.prepare('SELECT * FROM files ORDER BY id').all();
  assert.deepEqual(
    rows.map(({ path, format, bytes, modified, metadata, sha256 }) => ({
      path,
      format,
      bytes,
      modified,
      metadata,
      sha256,
    })),
    files.map((file) => ({
      path: file.path,
      format: naiveFormat(file),
      bytes: file.bytes,
      modified: file.modifiedMs,
      metadata: file.metadata ?? null,
      sha256: file.sha256 ?? null,
    })),
  );
  assert.deepEqual(indexedLines(database), files.flatMap(toLines).sort());
}

const columnNames = ['name', 'title', 'folder', 'rest'];

function toLines(file: ScannedFile): string[] {
  return naiveColumns(file).flatMap((words, column) => {
    const isFolder = columnNames[column] === 'folder' && file.path.includes('/');
    const all = isFolder ? [...words, folderEndMarker] : words;
    return all.map((word, index) => `${file.path}\n${columnNames[column]} ${index} ${word}`);
  });
}

function indexedLines(database: SqliteFile): string[] {
  const sql = 'SELECT path, col, "offset" AS place, term FROM vocabulary LEFT JOIN files ON id = doc';
  const rows = database.prepare(sql).all();
  return rows
    .map((row) => `${String(row['path'])}\n${String(row['col'])} ${String(row['place'])} ${String(row['term'])}`)
    .sort();
}
