import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../../src/core/util/clock.ts';
import { TreeWatcher, type TreeChanges } from '../../../src/service/catalog/folderChanges.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { freshFolder } from './folderRig.ts';

describe('The tree watcher (D20)', () => {
  let root: string;
  let clock: ManualClock;
  let watcher: TreeWatcher;
  let reports: TreeChanges[];
  let timers: number;

  beforeEach(() => {
    root = freshFolder();
    mkdirSync(`${root}/sub/deep`, { recursive: true });
    clock = new ManualClock();
    reports = [];
    timers = 0;
    watcher = createWatcher(100);
  });

  afterEach(() => {
    watcher.dispose();
    rmSync(root, { recursive: true });
  });

  function createWatcher(maxFolders: number): TreeWatcher {
    const counting: Clock = {
      now: () => clock.now(),
      after: (delayMs, callback) => {
        timers += 1;
        return clock.after(delayMs, callback);
      },
    };
    return new TreeWatcher({
      root,
      clock: counting,
      maxFolders,
      onChange: (changes) => reports.push(changes),
    });
  }

  /** Waits until the system has reported a change. */
  async function waitForEvent(): Promise<void> {
    const before = timers;
    await eventually(async () => (timers > before ? true : undefined));
  }

  /** Collects reported paths until `path` is among them. */
  async function collectUntil(path: string): Promise<Set<string>> {
    const all = new Set<string>();
    await eventually(async () => {
      await clock.pass(300);
      for (const changes of reports.splice(0)) for (const one of changes === 'all' ? ['all'] : changes) all.add(one);
      return all.has(path) ? true : undefined;
    });
    return all;
  }

  it('reports changed paths in the given folders only', async () => {
    assert.equal(watcher.watchBelow('', new Set(['', 'sub'])), 2);
    writeFileSync(`${root}/sub/deep/unseen`, '');
    writeFileSync(`${root}/sub/x`, '');
    writeFileSync(`${root}/y`, '');
    assert.deepEqual(await collectUntil('y'), new Set(['sub/x', 'y']));
  });

  it('reports changes together, 0.3 s after the first of them', async () => {
    watcher.watchBelow('', new Set(['']));
    writeFileSync(`${root}/x`, '');
    await waitForEvent();
    await clock.pass(299);
    assert.deepEqual(reports, []);
    await clock.pass(1);
    assert.deepEqual(reports, [new Set(['x'])]);
    await clock.pass(10_000);
    assert.equal(reports.length, 1);
  });

  it('watches exactly the given folders below a folder, and does not affect others', () => {
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

  it('is complete while it can watch all given folders, and at least one', () => {
    const bound = createWatcher(2);
    assert.equal(bound.isComplete, false);
    bound.watchBelow('', new Set(['', 'sub', 'sub/deep']));
    assert.equal(bound.isComplete, false);
    bound.watchBelow('', new Set(['', 'sub']));
    assert.equal(bound.isComplete, true);
    bound.watchBelow('sub/gone', new Set(['sub/gone']));
    assert.equal(bound.isComplete, false);
    bound.dispose();
  });

  it('stops watching a folder that may have been replaced, with all below it', async () => {
    watcher.watchBelow('', new Set(['', 'sub', 'sub/deep']));
    renameSync(`${root}/sub`, `${root}/bus`);
    mkdirSync(`${root}/sub/deep`, { recursive: true });
    assert.ok((await collectUntil('sub')).has('bus'));
    assert.deepEqual([watcher.has('sub'), watcher.has('sub/deep'), watcher.has('')], [false, false, true]);
  });

  it('reports everything as changed and stops watching when too many paths change at once', async () => {
    watcher.watchBelow('', new Set(['', 'sub']));
    writeFileSync(`${root}/n`, '');
    for (let number = 0; number <= 3_000; number += 1) {
      renameSync(`${root}/n${number || ''}`, `${root}/n${number + 1}`);
      renameSync(`${root}/n${number + 1}`, `${root}/sub/x${number}`);
      renameSync(`${root}/sub/x${number}`, `${root}/n${number + 1}`);
    }
    assert.deepEqual(await collectUntil('all'), new Set(['all']));
    assert.deepEqual([watcher.has(''), watcher.has('sub'), watcher.isComplete], [false, false, false]);
  });

  it('reports nothing after its disposal, and can be restarted', async () => {
    watcher.watchBelow('', new Set(['']));
    writeFileSync(`${root}/x`, '');
    await waitForEvent();
    watcher.dispose();
    await clock.pass(10_000);
    assert.deepEqual(reports, []);
    watcher.watchBelow('', new Set(['']));
    writeFileSync(`${root}/y`, '');
    assert.deepEqual(await collectUntil('y'), new Set(['y']));
  });
});
