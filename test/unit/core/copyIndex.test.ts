import assert from 'node:assert/strict';
import { getContentKey } from '../../../src/core/duplicates/equalFiles.ts';
import { CopyIndex } from '../../../src/core/duplicates/copyIndex.ts';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../../src/core/search/searchStore.ts';

const createHash = (digit: string): string => digit.repeat(64);

const addFile = (database: string, id: string, hash = createHash('a'), sizeBytes = 5): FileEntry => {
  return { kind: 'file', id, database, name: id, sizeBytes, hash, resource: {} };
};

describe('The content of a file', () => {
  it('is the same with equal algorithm, hash and size, in any notation of the hash (D60: same content)', () => {
    const hash = createHash('a');
    const keys = [hash, `sha256:${hash}`, `SHA-256:${hash.toUpperCase()}`].map((one) =>
      getContentKey({ hash: one, sizeBytes: 5 }),
    );
    assert.equal(new Set(keys).size, 1);
    assert.notEqual(keys[0], undefined);
  });

  it('differs with another hash, size or algorithm', () => {
    const contents = [
      { hash: createHash('a'), sizeBytes: 5 },
      { hash: createHash('b'), sizeBytes: 5 },
      { hash: createHash('a'), sizeBytes: 6 },
      { hash: createHash('a').slice(0, 32), sizeBytes: 5 },
    ];
    assert.equal(new Set(contents.map(getContentKey)).size, contents.length);
  });

  it('is unknown without a usable hash, without a size, and for an empty file', () => {
    const contents = [
      { sizeBytes: 5 },
      { hash: createHash('a') },
      { hash: '', sizeBytes: 5 },
      { hash: 'crc32:abcd', sizeBytes: 5 },
      { hash: createHash('a'), sizeBytes: 0 },
    ];
    assert.deepEqual(
      contents.map(getContentKey),
      contents.map(() => undefined),
    );
  });
});

describe('The index of copies', () => {
  let store: SearchStore;
  let index: CopyIndex;
  let events: (readonly string[])[];
  beforeEach(() => {
    store = new SearchStore();
    index = new CopyIndex(store);
    events = [];
    index.onDidChange((keys) => events.push(keys));
  });
  afterEach(() => index.dispose());

  const search = (key: string, database: string, files: readonly FileEntry[], connectionId = 'c'): void => {
    store.open(key, connectionId, { database, query: 'x', pageSize: 100 });
    addPage(key, files);
  };
  const addPage = (key: string, files: readonly FileEntry[]): void => {
    store.add(key, files);
    store.update(key, { isLoading: false, nextOffset: store.get(key)?.files.length ?? 0 });
  };
  const findDatabases = (file: FileEntry, connectionId = 'c'): readonly string[] =>
    index.findDatabases(connectionId, file);

  it('returns the other databases with the same file, and reports the searches with new copies', () => {
    search('a', 'Alpha', [addFile('Alpha', '1')]);
    assert.deepEqual([findDatabases(addFile('Alpha', '1')), events], [[], []]);
    search('b', 'Beta', [addFile('Beta', '9')]);
    search('g', 'Gamma', [addFile('Gamma', '7', `sha256:${createHash('a')}`)]);
    assert.deepEqual(findDatabases(addFile('Alpha', '1')), ['Beta', 'Gamma']);
    assert.deepEqual(findDatabases(addFile('Beta', '9')), ['Alpha', 'Gamma']);
    assert.deepEqual(events, [['a'], ['b', 'a']]);
  });

  it('does not count another file of the same database, nor a database of another connection', () => {
    search('a', 'Alpha', [addFile('Alpha', '1'), addFile('Alpha', '2')]);
    search('other', 'Beta', [addFile('Beta', '9')], 'd');
    assert.deepEqual(
      [findDatabases(addFile('Alpha', '1')), findDatabases(addFile('Beta', '9'), 'd'), events],
      [[], [], []],
    );
  });

  it('does not treat files of equal size as equal', () => {
    search('a', 'Alpha', [addFile('Alpha', '1', createHash('a'))]);
    search('b', 'Beta', [addFile('Beta', '1', createHash('b')), addFile('Beta', '2', '')]);
    assert.deepEqual([findDatabases(addFile('Alpha', '1')), events], [[], []]);
  });

  it('forgets the files of a removed search, unless another search has found them too', () => {
    search('a', 'Alpha', [addFile('Alpha', '1')]);
    search('b', 'Beta', [addFile('Beta', '9')]);
    search('b2', 'Beta', [addFile('Beta', '9')]);
    events.length = 0;
    store.dismiss(['b2']);
    assert.deepEqual([findDatabases(addFile('Alpha', '1')), events], [['Beta'], []]);
    const dismissed = store.dismiss(['b']);
    assert.deepEqual([findDatabases(addFile('Alpha', '1')), events], [[], [['a']]]);
    store.restore(dismissed);
    assert.deepEqual([findDatabases(addFile('Alpha', '1')), events], [['Beta'], [['a'], ['a']]]);
  });

  it('forgets the files that a repeated search no longer finds', () => {
    search('a', 'Alpha', [addFile('Alpha', '1')]);
    search('b', 'Beta', [addFile('Beta', '8'), addFile('Beta', '9')]);
    const found = store.get('b');
    assert.ok(found);
    store.replace('b', { ...found, files: [addFile('Beta', '9', createHash('b'))] });
    assert.deepEqual(findDatabases(addFile('Alpha', '1')), []);
    assert.deepEqual(events, [['a'], ['a']]);
  });

  it('lists the files of other databases, up to a limit', () => {
    search('a', 'Alpha', [addFile('Alpha', '1'), addFile('Alpha', '2')]);
    search('b', 'Beta', [addFile('Beta', '8'), addFile('Beta', '9')]);
    const list = (limit: number): readonly string[] =>
      index.findCopies('c', addFile('Alpha', '1'), limit).map(({ id }) => id);
    assert.deepEqual([list(10), list(1)], [['8', '9'], ['8']]);
  });

  it('lists the files of a database with the content', () => {
    search('a', 'Alpha', [addFile('Alpha', '1')]);
    const content = { hash: createHash('a'), sizeBytes: 5 };
    const list = (connectionId: string, database: string): readonly string[] =>
      index.findIn(connectionId, database, content).map(({ id }) => id);
    assert.deepEqual([list('c', 'Alpha'), list('c', 'Beta'), list('d', 'Alpha')], [['1'], [], []]);
  });

  it('indexes each file of a search once, however many pages follow', () => {
    let reads = 0;
    const counted = (number: number): FileEntry => {
      const file = addFile('Alpha', `${number}`, number.toString(16).padStart(64, '0'));
      return Object.defineProperty({ ...file }, 'hash', { get: () => ((reads += 1), file.hash), enumerable: true });
    };
    search('a', 'Alpha', []);
    for (let start = 0; start < 5_000; start += 100)
      addPage(
        'a',
        Array.from({ length: 100 }, (_, offset) => counted(start + offset)),
      );
    assert.equal(reads, 5_000);
  });
});
