import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import type { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import type { TextMode } from '../../../src/service/catalog/catalogTables.ts';
import { parseSearch } from '../../../src/service/catalog/searchLanguage.ts';
import type { CatalogSearch } from '../../../src/service/catalog/searchSql.ts';
import { parseSpecific } from '../../../src/service/catalog/specificParameters.ts';
import { property } from '../../support/property.ts';
import { anyText } from '../client/arbitraries.ts';
import { inPathOrder, oddPath } from './catalogArbitraries.ts';
import { naiveIsAt, naiveIsFormat, naiveTier } from './naiveSearch.ts';
import { askedTree, queryText, type AskedTree } from './searchArbitraries.ts';
import { storeInMemory } from './catalogStoreRig.ts';

const modes: TextMode[] = ['index', 'scan'];

function fill(store: CatalogStore, files: readonly ScannedFile[], stagedEvery = Infinity): void {
  store.put(files);
  for (const [at, file] of files.entries()) if (at % stagedEvery === 0) store.cacheHashes([{ ...file, sha256: 'abc' }]);
}

function searchPaths(store: CatalogStore, wanted: CatalogSearch): string[] {
  return store.search(wanted).files.map(({ path }) => path);
}

/** Returns the paths of a page and of all following ones. */
function searchAll(store: CatalogStore, wanted: CatalogSearch): string[] {
  const { files, next } = store.search(wanted);
  const paths = files.map(({ path }) => path);
  return next === undefined ? paths : [...paths, ...searchAll(store, { ...wanted, after: next })];
}

function isWanted(file: ScannedFile, isStaged: boolean, { specific, status }: AskedTree): boolean {
  const { format, path, minBytes = 0, maxBytes = Infinity, modifiedAfter } = specific;
  const isAfter = modifiedAfter === undefined || file.modifiedMs > Date.parse(modifiedAfter);
  const isAt = path === undefined || naiveIsAt(file.path, path);
  const isOf = format === undefined || naiveIsFormat(file, format);
  const isSo = status === undefined || isStaged === (status === 'staged');
  return isAfter && isAt && isOf && isSo && file.bytes >= minBytes && file.bytes <= maxBytes;
}

function getName(path: string): Buffer {
  return Buffer.from(path.split('/').at(-1) ?? '');
}

/** Compares by the sort key only, in the requested direction. */
function compare(one: ScannedFile, other: ScannedFile, asked: AskedTree): number {
  const { sort = 'relevance', order = 'asc' } = asked.specific;
  const tier = (file: ScannedFile): number => naiveTier(file, asked.alternatives) ?? 0;
  const sign = order === 'desc' ? -1 : 1;
  if (sort === 'bytes') return sign * (one.bytes - other.bytes);
  if (sort === 'modified') return sign * (one.modifiedMs - other.modifiedMs);
  if (sort === 'name') return sign * Buffer.compare(getName(one.path), getName(other.path));
  return sort === 'path' ? 0 : tier(one) - tier(other);
}

function naiveSearch(asked: AskedTree): string[] {
  const { sort, order } = asked.specific;
  const found = asked.tree.filter(
    (file, at) =>
      isWanted(file, at % asked.stagedEvery === 0, asked) && naiveTier(file, asked.alternatives) !== undefined,
  );
  const sorted = inPathOrder(found).sort((one, other) => compare(one, other, asked));
  return (sort === 'path' && order === 'desc' ? sorted.reverse() : sorted).map(({ path }) => path);
}

for (const mode of modes) {
  describe(`Searching the catalog by ${mode} (D21)`, () => {
    property('finds what a naive search finds, in its order, at every page', askedTree, (asked) => {
      const { store } = storeInMemory(mode);
      fill(store, asked.tree, asked.stagedEvery);
      const { status, specific } = asked;
      const search = parseSearch(queryText(asked.alternatives));
      const wanted = { search, filter: parseSpecific({ ...specific }), ...(status === undefined ? {} : { status }) };
      const whole = naiveSearch(asked);
      assert.deepEqual(searchPaths(store, { ...wanted, offset: 0, limit: 100 }), whole);
      for (const [offset, limit] of asked.cuts) {
        assert.deepEqual(searchPaths(store, { ...wanted, offset, limit }), whole.slice(offset, offset + limit));
        assert.deepEqual(searchAll(store, { ...wanted, offset, limit }), whole.slice(offset));
      }
      store.close();
    });
  });
}

describe('Searching the catalog (D21)', () => {
  property(
    'never throws and finds the same by index and by scan, for any input',
    fc.tuple(fc.array(oddPath, { maxLength: 6 }), anyText, anyText),
    ([paths, query, pattern]) => {
      const answers = modes.map((mode) => {
        const { store } = storeInMemory(mode);
        fill(
          store,
          [...new Set([...paths, 'soil/a.csv'])].map((path) => ({ path, bytes: 1, modifiedMs: 1 })),
        );
        const found = [{}, { path: pattern }, { format: pattern }].map((specific) => {
          return searchPaths(store, {
            search: parseSearch(query),
            filter: parseSpecific(specific),
            offset: 0,
            limit: 100,
          });
        });
        store.close();
        return found;
      });
      assert.deepEqual(answers[0], answers[1]);
    },
  );

  const longTexts: [what: string, query: string][] = [
    ['a word of 100,000 letters', 'x'.repeat(100_000)],
    ['50,000 words that are one', 'a_'.repeat(50_000)],
    ['a path of 100,000 letters', `path:${'x'.repeat(100_000)}`],
    ['a path of 2,000 wildcards', `path:${'*a'.repeat(2_000)}`],
    ['a format of 100,000 letters', `format:${'x'.repeat(100_000)}`],
    ['a size of 400 digits', `bytes:>${'9'.repeat(400)}`],
    ['200 alternatives', Array(200).fill('b').join(' | ')],
    ['200 alternatives of every kind', Array(100).fill('b/c | path:b').join(' | ')],
    ['200 words', 'b '.repeat(200)],
    ['200 words that are parted', 'b/c '.repeat(200)],
    ['199 words that must not be there', `b ${'-a '.repeat(199)}`],
    ['quotes that are never closed', '"b '.repeat(199)],
  ];
  for (const mode of modes) {
    for (const [what, query] of longTexts) {
      it(`finds nothing by ${mode} for ${what}, and does not throw`, () => {
        const { store } = storeInMemory(mode);
        fill(store, [{ path: 'soil/a.csv', bytes: 1, modifiedMs: 1 }]);
        const wanted = { search: parseSearch(query), offset: 0, limit: 10 };
        for (const specific of [{}, { sort: 'bytes' } as const]) {
          assert.deepEqual(searchPaths(store, { ...wanted, filter: parseSpecific(specific) }), []);
        }
        store.close();
      });
    }
  }
});
