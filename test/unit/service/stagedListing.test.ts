import assert from 'node:assert/strict';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import { StagedListing } from '../../../src/service/catalog/stagedListing.ts';
import { openSqlite, type SqliteFile } from '../../../src/service/sqlite.ts';

function createFile(path: string, bytes = 1): ScannedFile {
  return { path, bytes, modifiedMs: 0 };
}

describe('A staged listing (D62)', () => {
  let database: SqliteFile;

  beforeEach(() => (database = openSqlite(':memory:')));
  afterEach(() => database.close());

  it('returns the files of any order in path order, in batches', () => {
    const staged = new StagedListing(database);
    staged.add([createFile('b/x'), createFile('ü'), createFile('a')]);
    staged.add([createFile('b-x'), { ...createFile('\u{1F600}'), metadata: '{}' }, createFile('\uFF00')]);
    const batches = [...staged.listInOrder(4)].map((batch) => batch.map(({ path }) => path));
    assert.deepEqual(batches, [
      ['a', 'b-x', 'b/x', 'ü'],
      ['\uFF00', '\u{1F600}'],
    ]);
  });

  it('returns the first of several objects with one path, also across batches', () => {
    const staged = new StagedListing(database);
    staged.add([createFile('b', 1), createFile('a', 2), createFile('a', 3)]);
    staged.add([createFile('a', 4), createFile('b', 5)]);
    assert.deepEqual([...staged.listInOrder(1)].flat(), [createFile('a', 2), createFile('b', 1)]);
  });

  it('is empty again when it is cleared, and when another listing starts', () => {
    const staged = new StagedListing(database);
    staged.add([createFile('a')]);
    staged.clear();
    assert.deepEqual([...staged.listInOrder(10)].flat(), []);
    staged.add([createFile('b')]);
    assert.deepEqual([...new StagedListing(database).listInOrder(10)].flat(), []);
  });
});
