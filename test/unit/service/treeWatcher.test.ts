import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../../src/core/util/clock.ts';
import { TreeWatcher, type TreeChanges } from '../../../src/service/catalog/treeWatcher.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { freshFolder } from './folderRig.ts';

describe('The watcher of a tree (D20)', () => {
  let root: string;
  let clock: ManualClock;
  let watcher: TreeWatcher;
  let told: TreeChanges[];
  let timers: number;

  beforeEach(() => {
    root = freshFolder();
    mkdirSync(`${root}/sub/deep`, { recursive: true });
    clock = new ManualClock();
    told = [];
    timers = 0;
    watcher = make(100);
  });

  afterEach(() => {
    watcher.dispose();
    rmSync(root, { recursive: true });
  });

  function make(mostFolders: number): TreeWatcher {
    const counting: Clock = {
      now: () => clock.now(),
      after: (delayMs, callback) => {
        timers += 1;
        return clock.after(delayMs, callback);
      },
    };
    return new TreeWatcher({ root, clock: counting, mostFolders, onChange: (changes) => told.push(changes) });
  }

  /** Waits until the system has told of something new. */
  async function noted(): Promise<void> {
    const before = timers;
    await eventually(async () => (timers > before ? true : undefined));
  }

  /** All that is told of, until a path is among it. */
  async function toldOf(path: string): Promise<Set<string>> {
    const all = new Set<string>();
    await eventually(async () => {
      await clock.pass(300);
      for (const changes of told.splice(0)) for (const one of changes === 'all' ? ['all'] : changes) all.add(one);
      return all.has(path) ? true : undefined;
    });
    return all;
  }

  it('tells the paths that changed in the folders it was given, and of no others', async () => {
    assert.equal(watcher.watchBelow('', new Set(['', 'sub'])), 2);
    writeFileSync(`${root}/sub/deep/unseen`, '');
    writeFileSync(`${root}/sub/x`, '');
    writeFileSync(`${root}/y`, '');
    assert.deepEqual(await toldOf('y'), new Set(['sub/x', 'y']));
  });

  it('gathers changes and tells them together, 0.3 s after the first of them', async () => {
    watcher.watchBelow('', new Set(['']));
    writeFileSync(`${root}/x`, '');
    await noted();
    await clock.pass(299);
    assert.deepEqual(told, []);
    await clock.pass(1);
    assert.deepEqual(told, [new Set(['x'])]);
    await clock.pass(10_000);
    assert.equal(told.length, 1);
  });

  it('watches exactly what it is given below a folder, and leaves the others as they are', () => {
    assert.equal(watcher.watchBelow('', new Set(['', 'sub', 'sub/deep'])), 3);
    mkdirSync(`${root}/sub/new`);
    mkdirSync(`${root}/submarine`);
    assert.equal(watcher.watchBelow('sub', new Set(['sub', 'sub/new'])), 1);
    assert.deepEqual(
      ['', 'sub', 'sub/deep', 'sub/new', 'submarine'].map((folder) => watcher.has(folder)),
      [true, true, false, true, false],
    );
    assert.equal(watcher.watchBelow('', new Set(['', 'submarine'])), 1);
    assert.deepEqual([watcher.has('sub'), watcher.has('sub/new'), watcher.has('submarine')], [false, false, true]);
  });

  it('is complete while it may watch every folder that it was given, and there is one', () => {
    const bound = make(2);
    assert.equal(bound.isComplete, false);
    bound.watchBelow('', new Set(['', 'sub', 'sub/deep']));
    assert.equal(bound.isComplete, false);
    bound.watchBelow('', new Set(['', 'sub']));
    assert.equal(bound.isComplete, true);
    bound.watchBelow('sub/gone', new Set(['sub/gone']));
    assert.equal(bound.isComplete, false);
    bound.dispose();
  });

  it('stops watching a folder in whose place another one may stand, with all below it', async () => {
    watcher.watchBelow('', new Set(['', 'sub', 'sub/deep']));
    renameSync(`${root}/sub`, `${root}/bus`);
    mkdirSync(`${root}/sub/deep`, { recursive: true });
    assert.ok((await toldOf('sub')).has('bus'));
    assert.deepEqual([watcher.has('sub'), watcher.has('sub/deep'), watcher.has('')], [false, false, true]);
  });

  it('tells of everything and watches nothing more when too many paths change at once', async () => {
    watcher.watchBelow('', new Set(['', 'sub']));
    writeFileSync(`${root}/n`, '');
    for (let number = 0; number <= 3_000; number += 1) {
      renameSync(`${root}/n${number || ''}`, `${root}/n${number + 1}`);
      renameSync(`${root}/n${number + 1}`, `${root}/sub/x${number}`);
      renameSync(`${root}/sub/x${number}`, `${root}/n${number + 1}`);
    }
    assert.deepEqual(await toldOf('all'), new Set(['all']));
    assert.deepEqual([watcher.has(''), watcher.has('sub'), watcher.isComplete], [false, false, false]);
  });

  it('tells nothing after its end, not even what it has gathered, and can begin anew', async () => {
    watcher.watchBelow('', new Set(['']));
    writeFileSync(`${root}/x`, '');
    await noted();
    watcher.dispose();
    await clock.pass(10_000);
    assert.deepEqual(told, []);
    watcher.watchBelow('', new Set(['']));
    writeFileSync(`${root}/y`, '');
    assert.deepEqual(await toldOf('y'), new Set(['y']));
  });
});
