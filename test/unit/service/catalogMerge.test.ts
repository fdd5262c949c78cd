import fc from 'fast-check';
import type { FoundFile } from '../../../src/service/catalog/catalogFile.ts';
import type { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import type { TextMode } from '../../../src/service/catalog/catalogTables.ts';
import { property } from '../../support/property.ts';
import { trees, type Tree } from './catalogArbitraries.ts';
import { assertHolds, storeInMemory, type Known } from './storeRig.ts';

type Ending = 'finish' | 'stop' | 'abandon';

/** A merge of a tree, or of one folder of it. */
interface Step {
  readonly tree: Tree;
  /** The number of the folder among those of the tree and of what is known, over and over; 0 is the root. */
  readonly under: number;
  readonly batchSize: number;
  readonly ending: Ending;
  /** How many batches are taken where it does not finish. */
  readonly taken: number;
  /** Each n-th of the known files is read whole afterwards. */
  readonly hashEvery: number;
}

interface StepKinds {
  readonly under: fc.Arbitrary<number>;
  readonly ending: fc.Arbitrary<Ending>;
}

function stepsOf({ under, ending }: StepKinds): fc.Arbitrary<Step[]> {
  const batchSize = fc.integer({ min: 1, max: 4 });
  const plan = fc.record({ under, ending, batchSize, taken: fc.nat(4), hashEvery: fc.integer({ min: 1, max: 3 }) });
  return fc
    .tuple(trees({ minLength: 1, maxLength: 4 }), fc.array(plan, { minLength: 4, maxLength: 4 }))
    .map(([all, plans]) => plans.slice(0, all.length).map((step, at) => ({ ...step, tree: all[at] ?? [] })));
}

/** All folders of these files, the root first. */
function foldersOf(files: Iterable<FoundFile>): string[] {
  const folders = new Set(['']);
  for (const { path } of files) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) folders.add(path.slice(0, end));
  }
  return [...folders];
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function isSame(one: FoundFile, other: FoundFile): boolean {
  return one.bytes === other.bytes && one.modifiedMs === other.modifiedMs && one.metadata === other.metadata;
}

function isAfter(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0;
}

function folderOf(step: Step, known: Known): string {
  const folders = foldersOf([...known.values(), ...step.tree]);
  return folders[step.under % folders.length] ?? '';
}

/** The files that the walk gives before the merge ends. */
function walked(step: Step, folder: string): FoundFile[] {
  const below = step.tree.filter(({ path }) => isBelow(path, folder));
  return step.ending === 'finish' ? below : below.slice(0, step.taken * step.batchSize);
}

function merge(store: CatalogStore, step: Step, folder: string): void {
  const merging = store.merge(folder);
  const files = walked(step, folder);
  for (let at = 0; at < files.length; at += step.batchSize) merging.take(files.slice(at, at + step.batchSize));
  merging[step.ending]();
}

/** What should be known after it. */
function knownAfter(known: Known, step: Step, folder: string): Known {
  if (step.ending === 'abandon') return known;
  const files = walked(step, folder);
  const last = files.at(-1)?.path;
  const isLeft = (path: string): boolean =>
    !isBelow(path, folder) || (step.ending === 'stop' && (last === undefined || isAfter(path, last)));
  const next = new Map([...known].filter(([path]) => isLeft(path)));
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
      store.holdHashes([{ ...file, sha256: `hash of ${path}` }]);
      return [path, { ...file, sha256: `hash of ${path}` }];
    }),
  );
}

function runSteps(mode: TextMode, steps: readonly Step[]): void {
  const { store, database } = storeInMemory(mode);
  let known: Known = new Map();
  for (const step of steps) {
    const folder = folderOf(step, known);
    merge(store, step, folder);
    known = knownAfter(known, step, folder);
    assertHolds(database, mode, known);
    known = hash(store, known, step.hashEvery);
  }
  assertHolds(database, mode, known);
  store.close();
}

for (const mode of ['index', 'scan'] satisfies TextMode[]) {
  describe(`A merge of a walk into the catalogue by ${mode} (D20, D22)`, () => {
    property(
      'leaves the files of the last tree, their words, and the hashes of what did not change',
      stepsOf({ under: fc.constant(0), ending: fc.constant('finish') }),
      (steps) => runSteps(mode, steps),
    );

    property(
      'of a part touches nothing outside it',
      stepsOf({ under: fc.nat(5), ending: fc.constant('finish') }),
      (steps) => runSteps(mode, steps),
    );

    property(
      'that is stopped has taken what it came by, and one that is abandoned has taken nothing',
      stepsOf({ under: fc.nat(2), ending: fc.constantFrom('finish', 'stop', 'abandon') }),
      (steps) => runSteps(mode, steps),
    );
  });
}
