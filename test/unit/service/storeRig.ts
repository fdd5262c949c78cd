import assert from 'node:assert/strict';
import type { FoundFile } from '../../../src/service/catalog/catalogFile.ts';
import { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import { openCatalogFile, type TextMode } from '../../../src/service/catalog/catalogTables.ts';
import { folderEnd } from '../../../src/service/catalog/words.ts';
import type { SqliteFile } from '../../../src/service/sqlite.ts';
import { inPathOrder } from './catalogArbitraries.ts';
import { naiveColumns, naiveFormat } from './naiveSearch.ts';

/** What a catalogue should hold, by paths. */
export type Known = ReadonlyMap<string, FoundFile & { readonly sha256?: string }>;

interface StoreRig {
  readonly store: CatalogStore;
  readonly database: SqliteFile;
}

/** A catalogue in memory, and the way past it to what it has written. */
export function storeInMemory(mode: TextMode): StoreRig {
  const database = openCatalogFile(':memory:', mode);
  if (mode === 'index') database.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, instance)');
  return { store: new CatalogStore(':memory:', mode, () => database), database };
}

/** That a catalogue holds these files and no others, with ids in the order of their paths, and their words and no others. */
export function assertHolds(database: SqliteFile, mode: TextMode, known: Known): void {
  const files = inPathOrder([...known.values()]);
  const rows = database.prepare('SELECT * FROM files ORDER BY id').all();
  assert.deepEqual(
    rows.map(({ path, format, bytes, modified, metadata, sha256 }) => ({
      ...{ path, format, bytes, modified, metadata, sha256 },
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
  assert.deepEqual(mode === 'index' ? indexedLines(database) : scannedLines(database), files.flatMap(linesOf).sort());
}

const columnNames = ['name', 'title', 'folder', 'rest'];

function linesOf(file: FoundFile): string[] {
  return naiveColumns(file).flatMap((words, column) => {
    const isFolder = columnNames[column] === 'folder' && file.path.includes('/');
    const all = isFolder ? [...words, folderEnd] : words;
    return all.map((word, place) => `${file.path}\n${columnNames[column]} ${place} ${word}`);
  });
}

function indexedLines(database: SqliteFile): string[] {
  const sql = 'SELECT path, col, "offset" AS place, term FROM vocabulary LEFT JOIN files ON id = doc';
  const rows = database.prepare(sql).all();
  return rows
    .map((row) => `${String(row['path'])}\n${String(row['col'])} ${String(row['place'])} ${String(row['term'])}`)
    .sort();
}

function scannedLines(database: SqliteFile): string[] {
  const sql = 'SELECT path, name, title, folder, rest FROM words LEFT JOIN files ON id = words.rowid';
  const rows = database.prepare(sql).all();
  const lines = rows.flatMap((row) =>
    columnNames.flatMap((column) => {
      const words = String(row[column])
        .split(' ')
        .filter((word) => word !== '');
      return words.map((word, place) => `${String(row['path'])}\n${column} ${place} ${word}`);
    }),
  );
  return lines.sort();
}
