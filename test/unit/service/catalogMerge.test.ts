import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import type { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import { property } from '../../support/property.ts';
import { inPathOrder, trees, type Tree } from './catalogArbitraries.ts';
import { assertCatalogContains, storeInMemory, type Known } from './catalogStoreRig.ts';

type Ending = 'finish' | 'stop' | 'abandon';

/** One merge of a tree, or of one of its folders. */
interface Step {
  readonly tree: Tree;
  /** Index of the folder among all known folders, modulo the number of folders. 0 is the root. */
  readonly under: number;
  readonly batchSize: number;
  readonly ending: Ending;
  /** Number of batches that the merge receives if it ends early. */
  readonly taken: number;
  /** The n for which the hash of every nth file is cached after the merge. */
  readonly hashEvery: number;
}

interface StepKinds {
  readonly under: fc.Arbitrary<number>;
  readonly ending: fc.Arbitrary<Ending>;
}

function createSteps({ under, ending }: StepKinds): fc.Arbitrary<Step[]> {
  const batchSize = fc.integer({ min: 1, max: 4 });
  const plan = fc.record({ under, ending, batchSize, taken: fc.nat(4), hashEvery: fc.integer({ min: 1, max: 3 }) });
  return fc
    .tuple(trees({ minLength: 1, maxLength: 4 }), fc.array(plan, { minLength: 4, maxLength: 4 }))
    .map(([all, plans]) => plans.slice(0, all.length).map((step, at) => ({ ...step, tree: all[at] ?? [] })));
}

/** Returns all folders of the given files, the root first. */
function listFolders(files: Iterable<ScannedFile>): string[] {
  const folders = new Set(['']);
  for (const { path } of files) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) folders.add(path.slice(0, end));
  }
  return [...folders];
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function isSame(one: ScannedFile, other: ScannedFile): boolean {
  return one.bytes === other.bytes && one.modifiedMs === other.modifiedMs && one.metadata === other.metadata;
}

function isAfter(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0;
}

function chooseFolder(step: Step, known: Known): string {
  const folders = listFolders([...known.values(), ...step.tree]);
  return folders[step.under % folders.length] ?? '';
}

/** Returns the files that the merge receives before it ends. */
function getWalkedFiles(step: Step, folder: string): ScannedFile[] {
  const below = step.tree.filter(({ path }) => isBelow(path, folder));
  return step.ending === 'finish' ? below : below.slice(0, step.taken * step.batchSize);
}

function merge(store: CatalogStore, step: Step, folder: string): void {
  const merging = store.startMerge(folder);
  const files = getWalkedFiles(step, folder);
  for (let at = 0; at < files.length; at += step.batchSize) merging.take(files.slice(at, at + step.batchSize));
  merging[step.ending]();
}

/** Returns the expected content after a merge. */
function getExpected(known: Known, step: Step, folder: string): Known {
  if (step.ending === 'abandon') return known;
  const files = getWalkedFiles(step, folder);
  const last = files.at(-1)?.path;
  const remains = (path: string): boolean =>
    !isBelow(path, folder) || (step.ending === 'stop' && (last === undefined || isAfter(path, last)));
  const next = new Map([...known].filter(([path]) => remains(path)));
  for (const file of files) {
    const before = known.get(file.path);
    next.set(file.path, before !== undefined && isSame(before, file) ? before : file);
  }
  return next;
}

function hash(store: CatalogStore, known: Known, every: number): Known {
  return new Map(
    [...known].map(([path, file], at) => {
      if (at % every !== 0) return [path, file];
      store.cacheHashes([{ ...file, sha256: `hash of ${path}` }]);
      return [path, { ...file, sha256: `hash of ${path}` }];
    }),
  );
}

function runSteps(steps: readonly Step[]): void {
  const { store, database } = storeInMemory();
  let known: Known = new Map();
  for (const step of steps) {
    const folder = chooseFolder(step, known);
    merge(store, step, folder);
    known = getExpected(known, step, folder);
    assertCatalogContains(database, known);
    known = hash(store, known, step.hashEvery);
  }
  assertCatalogContains(database, known);
  store.close();
}

/** Creates files in path order: in folders of different sizes, and every seventh with an ID and a title. */
function createFiles(count: number): ScannedFile[] {
  const files = [...Array(count).keys()].map((number) => ({
    path: `${number % 2 === 0 ? 'even/' : `few-${number % 40}/`}file ${number}.csv`,
    bytes: number,
    modifiedMs: 1_700_000_000_000 + number,
    ...(number % 7 === 0 && { metadata: JSON.stringify({ id: `id-${number}`, title: `Title ${number}` }) }),
  }));
  return inPathOrder(files);
}

describe(`Merging a walk into the catalog (D20, D22)`, () => {
  property(
    'results in the files of the last tree, their words, and the hashes of unchanged files',
    createSteps({ under: fc.constant(0), ending: fc.constant('finish') }),
    (steps) => runSteps(steps),
  );

  property(
    'of a subtree changes nothing outside it',
    createSteps({ under: fc.nat(5), ending: fc.constant('finish') }),
    (steps) => runSteps(steps),
  );

  property(
    'retains the files merged before a stop, and none after a rollback',
    createSteps({ under: fc.nat(2), ending: fc.constantFrom('finish', 'stop', 'abandon') }),
    (steps) => runSteps(steps),
  );

  it('inserts many files at once like single ones', () => {
    const { store, database } = storeInMemory();
    const files = createFiles(234);
    const batches = [files.slice(0, 1), [...files.slice(0, 1), ...files.slice(-1)], files];
    for (const batch of batches) {
      const merging = store.startMerge('');
      merging.take(batch);
      merging.finish();
      assertCatalogContains(database, new Map(batch.map((file) => [file.path, file])));
    }
    assert.deepEqual(
      files.filter(({ bytes }) => bytes % 7 === 0).map(({ path }) => path),
      files.flatMap(({ bytes }) => store.filesByIds([`id-${bytes}`])).flatMap((file) => (file ? [file.path] : [])),
    );
    store.close();
  });

  it('inserts many files at once into an empty catalog', () => {
    const { store, database } = storeInMemory();
    const files = createFiles(234);
    const merging = store.startMerge('');
    merging.take(files);
    merging.finish();
    assertCatalogContains(database, new Map(files.map((file) => [file.path, file])));
    store.close();
  });

  it('rolls back when a batch fails in the middle', () => {
    const { store, database } = storeInMemory();
    const files = createFiles(120);
    const merging = store.startMerge('');
    assert.throws(() => merging.take([...files.slice(0, 80), ...files.slice(79)]), /UNIQUE constraint failed/);
    assert.equal(database.isTransaction, false);
    assertCatalogContains(database, new Map());
    store.close();
  });
});
