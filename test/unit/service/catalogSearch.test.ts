import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import type { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import { parseSearch, parseSpecific } from '../../../src/service/catalog/searchLanguage.ts';
import type { CatalogSearch } from '../../../src/service/catalog/searchSql.ts';
import { property } from '../../support/property.ts';
import { anyText } from '../client/arbitraries.ts';
import { inPathOrder, oddPath } from './catalogArbitraries.ts';
import { naivePathMatches, naiveIsFormat, naiveTier } from './naiveSearch.ts';
import { searchedTree, queryText, type SearchedTree } from './searchArbitraries.ts';
import { storeInMemory } from './catalogStoreRig.ts';

function fill(store: CatalogStore, files: readonly ScannedFile[], stagedEvery = Infinity): void {
  store.put(files);
  for (const [at, file] of files.entries()) if (at % stagedEvery === 0) store.cacheHashes([{ ...file, sha256: 'abc' }]);
}

function searchPaths(store: CatalogStore, request: CatalogSearch): string[] {
  return store.search(request).files.map(({ path }) => path);
}

/** Returns the paths of the requested page and of all pages after it. */
function searchAll(store: CatalogStore, request: CatalogSearch): string[] {
  const { files, next } = store.search(request);
  const paths = files.map(({ path }) => path);
  return next === undefined ? paths : [...paths, ...searchAll(store, { ...request, offset: 0, after: next })];
}

function matchesFilters(file: ScannedFile, isStaged: boolean, { specific, status }: SearchedTree): boolean {
  const { format, path, minBytes = 0, maxBytes = Infinity, modifiedAfter } = specific;
  const isAfter = modifiedAfter === undefined || file.modifiedMs > Date.parse(modifiedAfter);
  const isAt = path === undefined || naivePathMatches(file.path, path);
  const hasFormat = format === undefined || naiveIsFormat(file, format);
  const hasStatus = status === undefined || isStaged === (status === 'staged');
  return isAfter && isAt && hasFormat && hasStatus && file.bytes >= minBytes && file.bytes <= maxBytes;
}

function getName(path: string): Buffer {
  return Buffer.from(path.split('/').at(-1) ?? '');
}

/** Compares two files by the requested sort key and direction only. */
function compare(one: ScannedFile, other: ScannedFile, sample: SearchedTree): number {
  const { sort = 'relevance', order = 'asc' } = sample.specific;
  const tier = (file: ScannedFile): number => naiveTier(file, sample.alternatives) ?? 0;
  const sign = order === 'desc' ? -1 : 1;
  if (sort === 'bytes') return sign * (one.bytes - other.bytes);
  if (sort === 'modified') return sign * (one.modifiedMs - other.modifiedMs);
  if (sort === 'name') return sign * Buffer.compare(getName(one.path), getName(other.path));
  return sort === 'path' ? 0 : tier(one) - tier(other);
}

function naiveSearch(sample: SearchedTree): string[] {
  const { sort, order } = sample.specific;
  const found = sample.tree.filter(
    (file, at) =>
      matchesFilters(file, at % sample.stagedEvery === 0, sample) && naiveTier(file, sample.alternatives) !== undefined,
  );
  const sorted = inPathOrder(found).sort((one, other) => compare(one, other, sample));
  return (sort === 'path' && order === 'desc' ? sorted.reverse() : sorted).map(({ path }) => path);
}

describe(`Searching the catalog (D21)`, () => {
  property('finds what a naive search finds, in its order, at every page', searchedTree, (sample) => {
    const { store } = storeInMemory();
    fill(store, sample.tree, sample.stagedEvery);
    const { status, specific } = sample;
    const search = parseSearch(queryText(sample.alternatives));
    const request = { search, filter: parseSpecific({ ...specific }), ...(status === undefined ? {} : { status }) };
    const expected = naiveSearch(sample);
    assert.deepEqual(searchPaths(store, { ...request, offset: 0, limit: 100 }), expected);
    for (const [offset, limit] of sample.cuts) {
      assert.deepEqual(searchPaths(store, { ...request, offset, limit }), expected.slice(offset, offset + limit));
      assert.deepEqual(searchAll(store, { ...request, offset, limit }), expected.slice(offset));
      const { next: after } = store.search({ ...request, offset, limit });
      const skipping = { ...request, offset: 2, limit: 100, after };
      if (after) assert.deepEqual(searchPaths(store, skipping), expected.slice(offset + limit + 2));
    }
    store.close();
  });
});

describe('Searching the catalog (D21)', () => {
  property(
    'never throws, and finds only files of the database, for any input',
    fc.tuple(fc.array(oddPath, { maxLength: 6 }), anyText, anyText),
    ([paths, query, pattern]) => {
      const { store } = storeInMemory();
      const all = new Set([...paths, 'soil/a.csv']);
      fill(
        store,
        [...all].map((path) => ({ path, bytes: 1, modifiedMs: 1 })),
      );
      for (const specific of [{}, { path: pattern }, { format: pattern }]) {
        const request = { search: parseSearch(query), filter: parseSpecific(specific), offset: 0, limit: 100 };
        const found = searchPaths(store, request);
        assert.deepEqual([new Set(found).size, found.every((path) => all.has(path))], [found.length, true]);
      }
      store.close();
    },
  );

  for (const sort of ['relevance', 'path', 'name', 'bytes', 'modified'] as const) {
    it(`finds nothing if the offset after a position lies beyond the end, in order of ${sort}`, () => {
      const { store } = storeInMemory();
      fill(
        store,
        ['a.csv', 'b.csv'].map((path, at) => ({ path, bytes: at, modifiedMs: at })),
      );
      const request = { search: parseSearch('csv'), filter: parseSpecific({ sort }), limit: 1 };
      const { next } = store.search({ ...request, offset: 0 });
      assert.ok(next);
      assert.deepEqual(searchPaths(store, { ...request, offset: 2, after: next }), []);
      store.close();
    });
  }

  const longTexts: [what: string, query: string][] = [
    ['a word of 100,000 letters', 'x'.repeat(100_000)],
    ['50,000 words joined by underscores', 'a_'.repeat(50_000)],
    ['a path of 100,000 letters', `path:${'x'.repeat(100_000)}`],
    ['a path of 2,000 wildcards', `path:${'*a'.repeat(2_000)}`],
    ['a format of 100,000 letters', `format:${'x'.repeat(100_000)}`],
    ['a size of 400 digits', `bytes:>${'9'.repeat(400)}`],
    ['200 alternatives', Array(200).fill('b').join(' | ')],
    ['200 alternatives of every kind', Array(100).fill('b/c | path:b').join(' | ')],
    ['200 words', 'b '.repeat(200)],
    ['200 words with a slash', 'b/c '.repeat(200)],
    ['199 excluded words', `b ${'-a '.repeat(199)}`],
    ['unclosed quotation marks', '"b '.repeat(199)],
  ];
  for (const [what, query] of longTexts) {
    it(`finds nothing for ${what}, and does not throw`, () => {
      const { store } = storeInMemory();
      fill(store, [{ path: 'soil/a.csv', bytes: 1, modifiedMs: 1 }]);
      const request = { search: parseSearch(query), offset: 0, limit: 10 };
      for (const specific of [{}, { sort: 'bytes' } as const]) {
        assert.deepEqual(searchPaths(store, { ...request, filter: parseSpecific(specific) }), []);
      }
      store.close();
    });
  }
});
