import assert from 'node:assert/strict';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import { CatalogMerge, StagedListing } from '../../../src/service/catalog/catalogMerge.ts';
import { CatalogRows } from '../../../src/service/catalog/catalogRows.ts';
import { openCatalogFile } from '../../../src/service/catalog/catalogStore.ts';
import type { SqliteFile } from '../../../src/service/sqlite.ts';

function createFile(path: string, bytes = 1): ScannedFile {
  return { path, bytes, modifiedMs: 0 };
}

function open(): { readonly database: SqliteFile; readonly rows: CatalogRows } {
  const database = openCatalogFile(':memory:');
  return { database, rows: new CatalogRows(database) };
}

/** Returns all rows, and all words with their positions, as JSON. */
function readAll(database: SqliteFile): string {
  database.exec('CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, words, instance)');
  const all = [
    database.prepare('SELECT * FROM files ORDER BY id').all(),
    database.prepare('SELECT * FROM temp.places').all(),
  ];
  return JSON.stringify(all);
}

describe('A staged listing (D62)', () => {
  let database: SqliteFile;
  let rows: CatalogRows;

  beforeEach(() => ({ database, rows } = open()));
  afterEach(() => database.close());

  it('returns the files of any order in path order, in batches', () => {
    const staged = new StagedListing(database, rows);
    staged.add([createFile('b/x'), createFile('ü'), createFile('a')]);
    staged.add([createFile('b-x'), { ...createFile('\u{1F600}'), metadata: '{}' }, createFile('\uFF00')]);
    const batches = [...staged.listInOrder(4)].map((batch) => batch.map(({ path }) => path));
    assert.deepEqual(batches, [
      ['a', 'b-x', 'b/x', 'ü'],
      ['\uFF00', '\u{1F600}'],
    ]);
  });

  it('returns the first of several objects with one path, also across batches', () => {
    const staged = new StagedListing(database, rows);
    staged.add([createFile('b', 1), createFile('a', 2), createFile('a', 3)]);
    staged.add([createFile('a', 4), createFile('b', 5)]);
    assert.deepEqual([...staged.listInOrder(1)].flat(), [createFile('a', 2), createFile('b', 1)]);
  });

  it('is empty again when it is cleared, and when another listing starts', () => {
    const staged = new StagedListing(database, rows);
    staged.add([createFile('a')]);
    staged.clear();
    assert.deepEqual([...staged.listInOrder(10)].flat(), []);
    staged.add([createFile('b')]);
    assert.deepEqual([...new StagedListing(database, rows).listInOrder(10)].flat(), []);
  });

  const plain = Array.from({ length: 5_100 }, (_, index) =>
    createFile(`run-${index % 7}/Reads_${index}.fastq.gz`, index),
  );
  const odd: readonly ScannedFile[] = [
    createFile('at the root'),
    createFile('deep/er/x.y'),
    createFile('deep/er/x.y', 2),
    createFile('deep/ß/ＦＵＬＬ.csv'),
    { ...createFile('hashed.bin'), metadata: '{"hash":"md5:0","storageClass":"GLACIER"}' },
    { ...createFile('titled.bin'), metadata: '{"title":"A title","id":"doi:1","keywords":["key"],"format":"HDF"}' },
    { ...createFile('old.bin'), modifiedMs: Number.NEGATIVE_INFINITY },
  ];
  const listings = { plain, odd, 'plain and odd': [...plain, ...odd] };

  for (const [name, files] of Object.entries(listings)) {
    it(`fills an empty catalog like a merge: ${name} files`, () => {
      const [filled, merged] = [open(), open()];
      const staged = new StagedListing(filled.database, filled.rows);
      staged.add([...files].reverse());
      const inOrder = [...staged.listInOrder(100)];
      assert.ok([...staged.fillCatalog()].length > 0);
      const merge = new CatalogMerge(merged.database, merged.rows, '');
      for (const batch of inOrder) merge.take(batch);
      merge.finish();
      assert.equal(readAll(filled.database), readAll(merged.database));
      filled.database.close();
      merged.database.close();
    });
  }

  it('leaves the catalog unchanged if filling it ends early', () => {
    const staged = new StagedListing(database, rows);
    staged.add(plain);
    const pieces = staged.fillCatalog();
    pieces.next();
    pieces.return(undefined);
    assert.deepEqual(database.prepare('SELECT count(*) AS count FROM files').get(), { __proto__: null, count: 0 });
    assert.equal([...staged.fillCatalog()].length, 2);
    assert.deepEqual(database.prepare('SELECT count(*) AS count FROM files').get(), { __proto__: null, count: 5_100 });
  });
});

describe('Automatic merging of the full-text index', () => {
  let database: SqliteFile;
  let rows: CatalogRows;

  beforeEach(() => ({ database, rows } = open()));
  afterEach(() => database.close());

  /** More files than fit in one transaction. */
  const many = Array.from({ length: 51_000 }, (_, index) => createFile(`f${String(index).padStart(5, '0')}`));
  const startMerge = (): CatalogMerge => new CatalogMerge(database, rows, '');
  const isMergingOff = (): boolean =>
    database.prepare("SELECT v FROM words_config WHERE k = 'automerge' AND v = 0").get() !== undefined;
  const fill = {
    'a listing': () => {
      const staged = new StagedListing(database, rows);
      staged.add(many);
      const pieces = staged.fillCatalog();
      for (let piece = 0; piece <= 10; piece += 1) pieces.next();
      assert.ok(isMergingOff());
      pieces.return(undefined);
    },
    'a merge': () => {
      const merge = startMerge();
      merge.take(many.slice(0, 50_000));
      merge.take(many.slice(50_000));
      assert.ok(isMergingOff());
      merge.abandon();
    },
  };

  for (const [name, fillInPart] of Object.entries(fill)) {
    it(`is on again after the next merge if ${name} that fills the catalog ends early`, () => {
      fillInPart();
      assert.deepEqual(database.prepare('SELECT count(*) AS count FROM files').get(), {
        __proto__: null,
        count: 50_000,
      });
      const merge = startMerge();
      merge.take(many);
      merge.finish();
      assert.ok(!isMergingOff());
    });
  }

  it('is not written by a merge if it is on', () => {
    database.exec("INSERT INTO files (id, path, format, bytes, modified) VALUES (1, 'a', '', 1, 0)");
    const { changes } = database.prepare('SELECT total_changes() AS changes').get() ?? {};
    const merge = startMerge();
    merge.take([createFile('a')]);
    merge.finish();
    assert.deepEqual(database.prepare('SELECT total_changes() AS changes').get()?.['changes'], changes);
  });
});
