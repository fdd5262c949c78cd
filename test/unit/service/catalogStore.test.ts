import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import type { LeftOutName, ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import { parseSearch, parseSpecific } from '../../../src/service/catalog/searchLanguage.ts';
import type { SearchSpecific } from '../../../src/service/wire/apiSchemas.ts';
import { openSqlite } from '../../../src/service/sqlite.ts';

const files: ScannedFile[] = [
  { path: 'readme.md', bytes: 10, modifiedMs: 1_000 },
  { path: 'soil/sample_01.csv', bytes: 2_000, modifiedMs: 2_000, metadata: '{"title":"Sand and clay"}' },
  { path: 'soil/sample_02.csv.gz', bytes: 500, modifiedMs: 3_000, metadata: '{"keywords":["clay","Größe"]}' },
  { path: 'water/Sample 03.json', bytes: 9_000_000, modifiedMs: 4_000, metadata: '{"description":"A lake of clay"}' },
  { path: '数据/样品.txt', bytes: 1, modifiedMs: 5_000 },
];

describe(`The catalog (D21)`, () => {
  let folder: string;
  let store: CatalogStore;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-catalog-'));
    store = new CatalogStore(nodePath.join(folder, 'c.db'));
    store.put(files);
  });

  afterEach(async () => {
    store.close();
    await fs.rm(folder, { recursive: true });
  });

  function find(query: string, specific: SearchSpecific = {}, offset = 0, limit = 100): string[] {
    const request = { search: parseSearch(query), filter: parseSpecific(specific), offset, limit };
    return store.search(request).files.map((file) => file.path);
  }

  /** Records what a scan of everything left out. */
  function replaceLeftOut(names: readonly LeftOutName[]): void {
    const listing = store.leftOut.startListing();
    listing.add(names);
    store.leftOut.replace('', listing);
  }

  const table: [query: string, found: string[]][] = [
    ['', ['readme.md', 'soil/sample_01.csv', 'soil/sample_02.csv.gz', 'water/Sample 03.json', '数据/样品.txt']],
    ['sam -clay', []],
    ['read', ['readme.md']],
    ['READ', ['readme.md']],
    ['"read"', []],
    ['ample', []],
    ['sample_0 format:csv', ['soil/sample_01.csv', 'soil/sample_02.csv.gz']],
    ['"sample 03"', ['water/Sample 03.json']],
    ['"03 sample"', []],
    ['"clay sand"', []],
    ['grosse', []],
    ['große', ['soil/sample_02.csv.gz']],
    ['groß', ['soil/sample_02.csv.gz']],
    ['sand | lake', ['soil/sample_01.csv', 'water/Sample 03.json']],
    ['clay bytes:>1MB', ['water/Sample 03.json']],
    ['-sample', ['readme.md', '数据/样品.txt']],
    ['path:soil', ['soil/sample_01.csv', 'soil/sample_02.csv.gz']],
    ['path:soil -path:*.gz', ['soil/sample_01.csv']],
    ['bytes:<100 | format:json', ['readme.md', 'water/Sample 03.json', '数据/样品.txt']],
    ['read | bytes:1', ['readme.md', '数据/样品.txt']],
    ['据', ['数据/样品.txt']],
    ['###', []],
  ];
  for (const [query, found] of table) {
    it(`finds ${found.length} files by ${JSON.stringify(query)}`, () => {
      assert.deepEqual([...find(query)].sort(), [...found].sort());
    });
  }

  it('finds a word by its prefix when a lowercase letter depends on its position', () => {
    store.put([{ path: 'ΟΔΟΣΗΜΑ.txt', bytes: 1, modifiedMs: 1 }]);
    assert.deepEqual(
      ['ΟΔΟΣ', 'οδος', 'οδοσ'].map((query) => find(query)),
      Array(3).fill(['ΟΔΟΣΗΜΑ.txt']),
    );
  });

  it('finds formats with multi-byte letters, including compressed ones', () => {
    store.put(['a.𐐨', 'a.𐐨.gz'].map((path) => ({ path, bytes: 1, modifiedMs: 1 })));
    assert.deepEqual(find('format:𐐨'), ['a.𐐨', 'a.𐐨.gz']);
  });

  it('treats a / as the boundary between a folder and a name', () => {
    const paths = ['dry/soil/clay.csv', 'dry/soil/wet clay.csv', 'soil/dry/clay.csv', 'soil-clay/b'];
    store.put(paths.map((path) => ({ path, bytes: 1, modifiedMs: 1 })));
    assert.deepEqual(find('soil/cl'), ['dry/soil/clay.csv', 'soil-clay/b']);
  });

  it('ranks names before titles, and titles before descriptions', () => {
    store.put([{ path: 'clay.txt', bytes: 1, modifiedMs: 1 }]);
    const [first, second] = find('clay');
    assert.deepEqual([first, second], ['clay.txt', 'soil/sample_01.csv']);
  });

  it('returns pages that together contain every file once, in a stable order', () => {
    const pages = [0, 2, 4, 6].map((offset) => find('', {}, offset, 2));
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 1, 0],
    );
    assert.deepEqual(pages.flat(), find(''));
  });

  it('sorts by size, in descending order on request', () => {
    assert.equal(find('', { sort: 'bytes', order: 'desc' })[0], 'water/Sample 03.json');
    assert.equal(find('', { sort: 'bytes' })[0], '数据/样品.txt');
  });

  it('filters by the specific parameters', () => {
    assert.deepEqual(find('', { minBytes: 500, maxBytes: 2_000, format: 'csv', path: '*.gz' }), [
      'soil/sample_02.csv.gz',
    ]);
    assert.deepEqual(find('', { modifiedAfter: '1970-01-01T00:00:04.500Z' }), ['数据/样品.txt']);
  });

  it('finds a changed file by its new words only, and clears its hash', () => {
    const file = { path: 'readme.md', bytes: 10, modifiedMs: 1_000 };
    store.cacheHashes([{ ...file, sha256: 'ab' }]);
    assert.equal(store.filesByIds(['readme.md'])[0]?.sha256, 'ab');
    store.put([{ ...file, bytes: 11, metadata: '{"title":"Guide"}' }]);
    assert.deepEqual(find('guide'), ['readme.md']);
    assert.equal(store.filesByIds(['readme.md'])[0]?.sha256, undefined);
  });

  it('does not store a hash for a file that has changed since it was read (D22)', () => {
    store.cacheHashes([{ path: 'readme.md', bytes: 9, modifiedMs: 1_000, sha256: 'ab' }]);
    assert.equal(store.filesByIds(['readme.md'])[0]?.sha256, undefined);
  });

  it('forgets what is left out below a path that is gone, but not below a folder that changed', () => {
    replaceLeftOut([
      { path: 'soil', kind: 'unreadable' },
      { path: 'soil/.x', kind: 'hidden' },
    ]);
    store.leftOut.update([{ kind: 'folder', path: 'soil' }]);
    assert.deepEqual(store.leftOut.count(''), { hidden: 1 });
    store.leftOut.update([{ kind: 'gone', path: 'soil' }]);
    assert.deepEqual(store.leftOut.count(''), {});
  });

  it('counts what is left out again only after a change', () => {
    const names: LeftOutName[] = [
      { path: '.x', kind: 'hidden' },
      { path: 'soil/.y', kind: 'hidden' },
    ];
    replaceLeftOut(names);
    const counted = store.leftOut.count('');
    assert.deepEqual(counted, { hidden: 2 });
    store.put([{ path: 'water/new.csv', bytes: 1, modifiedMs: 1 }]);
    store.leftOut.update([{ kind: 'file', path: 'water/new.csv' }]);
    replaceLeftOut(names);
    assert.equal(store.leftOut.count(''), counted);
    store.leftOut.update([{ kind: 'gone', path: '.x' }]);
    assert.deepEqual(store.leftOut.count(''), { hidden: 1 });
    replaceLeftOut(names);
    assert.deepEqual(store.leftOut.count(''), { hidden: 2 });
  });

  it('removes a path and everything below it', () => {
    store.removePaths(['soil', 'readme.md']);
    assert.deepEqual(find('sample'), ['water/Sample 03.json']);
  });
});

describe('The catalog file', () => {
  it('is recreated when it is damaged or has another schema', async () => {
    const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-catalog-'));
    const file = nodePath.join(folder, 'c.db');
    await fs.writeFile(file, 'this is not a database'.repeat(100));
    const fillEmpty = (): void => {
      const store = new CatalogStore(file);
      assert.equal(store.count(), 0);
      store.put(files);
      store.close();
    };
    fillEmpty();
    const other = openSqlite(file);
    other.exec('PRAGMA user_version = 8');
    other.close();
    fillEmpty();
    await fs.rm(folder, { recursive: true });
  });

  it('is not recreated while another program uses it', async () => {
    const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-catalog-'));
    const file = nodePath.join(folder, 'c.db');
    const before = new CatalogStore(file);
    before.put(files);
    before.close();
    const other = openSqlite(file);
    other.exec('BEGIN EXCLUSIVE');
    assert.throws(() => new CatalogStore(file), /locked/);
    other.close();
    const store = new CatalogStore(file);
    assert.equal(store.count(), files.length);
    store.close();
    await fs.rm(folder, { recursive: true });
  });
});
