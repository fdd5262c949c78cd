import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import type { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import { property } from '../../support/property.ts';
import { inPathOrder } from './catalogArbitraries.ts';
import { assertCatalogContains, storeInMemory, type Known } from './catalogStoreRig.ts';

function createFile(path: string): ScannedFile {
  return { path, bytes: path.length, modifiedMs: 1 };
}

function createFiles(paths: readonly string[]): ScannedFile[] {
  return inPathOrder(paths.map(createFile));
}

function mergeAll(store: CatalogStore, files: readonly ScannedFile[]): void {
  const merge = store.startMerge('');
  for (let at = 0; at < files.length; at += 1_000) merge.take(files.slice(at, at + 1_000));
  merge.finish();
}

function createPaths(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, number) => `${prefix}${String(number).padStart(6, '0')}`);
}

function toKnown(files: readonly ScannedFile[], hashed: readonly ScannedFile[] = []): Known {
  const sha256 = new Map(hashed.map(({ path }) => [path, 'abc']));
  return new Map(
    files.map((file) => {
      const hash = sha256.get(file.path);
      return [file.path, hash === undefined ? file : { ...file, sha256: hash }];
    }),
  );
}

describe(`The row ids of the catalog follow the path order (D20)`, () => {
  const orders: [how: string, arrange: (paths: string[]) => string[]][] = [
    ['in ascending order', (paths) => paths],
    ['in descending order', (paths) => paths.reverse()],
    ['from both ends to the middle', (paths) => paths.map((_, at) => paths.at(at % 2 ? -(at + 1) / 2 : at / 2) ?? '')],
  ];
  for (const [how, arrange] of orders) {
    it(`during thousands of single inserts at one place, ${how}, without losing hashes (D22)`, () => {
      const { store, database } = storeInMemory();
      const around = createFiles([...createPaths('a', 300), ...createPaths('z', 300)]);
      store.put(around);
      for (const file of around) store.cacheHashes([{ ...file, sha256: 'abc' }]);
      const between = arrange(createPaths('m', 2_000)).map(createFile);
      for (const file of between) store.put([file]);
      assertCatalogContains(database, toKnown([...around, ...between], around));
      store.close();
    });
  }

  it('after inserts of thousands of files between two, before and after all others', () => {
    const { store, database } = storeInMemory();
    const paths = ['m', 'p'];
    store.put(createFiles(paths));
    for (const prefix of ['n', 'a', 'z', 'n1', 'm0', 'A']) {
      paths.push(...createPaths(prefix, 2_500));
      mergeAll(store, createFiles(paths));
    }
    assertCatalogContains(database, toKnown(createFiles(paths)));
    store.close();
  });

  property(
    'in whatever order single files are added and removed',
    fc.array(fc.tuple(fc.boolean(), fc.nat(400)), { maxLength: 60 }),
    (changes) => {
      const { store, database } = storeInMemory();
      const known = new Map<string, ScannedFile>();
      for (const [isGone, number] of changes) {
        const file = createFile(`a/${String(number).padStart(3, '0')}`);
        if (isGone) store.removePaths([file.path]);
        else store.put([file]);
        known.delete(file.path);
        if (!isGone) known.set(file.path, file);
      }
      assertCatalogContains(database, known);
      store.close();
    },
  );
});

describe('A merge of thousands of files (D20)', () => {
  it('updates, removes and inserts files, also while rows are moved', () => {
    const { store, database } = storeInMemory();
    const first = createFiles(createPaths('a/', 6_000));
    store.put(first);
    const kept = first.filter((_, at) => at % 7 !== 0);
    for (const file of kept) store.cacheHashes([{ ...file, sha256: 'abc' }]);
    const isChanged = (at: number): boolean => at % 5 === 0;
    const changed = kept.map((file, at) => (isChanged(at) ? { ...file, bytes: 99 } : file));
    const fresh = kept.flatMap(({ path }, at) =>
      at % 1_698 === 5 ? createPaths(`${path}-`, 2_500).map(createFile) : [],
    );
    const tree = inPathOrder([...changed, ...fresh]);
    mergeAll(store, tree);
    const hashed = kept.filter((_, at) => !isChanged(at));
    assertCatalogContains(database, toKnown(tree, hashed));
    store.close();
  });

  it('retains its committed transactions when a later write fails', () => {
    const { store, database } = storeInMemory();
    const files = createFiles(createPaths('', 50_000));
    const merge = store.startMerge('');
    merge.take(files);
    merge.take([createFile('x')]);
    assert.equal(store.count(), files.length + 1);
    merge.abandon();
    assertCatalogContains(database, toKnown(files));
    store.close();
  });
});
