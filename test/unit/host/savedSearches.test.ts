import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../../src/core/search/searchStore.ts';
import type { Clock } from '../../../src/core/util/clock.ts';
import type { Disposable } from '../../../src/core/util/lifetime.ts';
import { SavedSearches } from '../../../src/extension/editor/savedSearches.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const file = (id: string, more: Partial<FileEntry> = {}): FileEntry => {
  return { kind: 'file', id, database: 'Alpha', name: `${id}.csv`, resource: { id, staged: true, more: 'x' }, ...more };
};

/** A clock that, until `stop` is called, advances each time it is read, so that writes appear to take time. */
class TickingClock implements Clock {
  private time = 0;
  private isTicking = true;
  private startWaiting: () => void = () => undefined;
  private endWait: () => void = () => undefined;
  /** Resolves when a caller starts waiting for the clock. */
  readonly isWaiting = new Promise<void>((resolve) => (this.startWaiting = resolve));

  now(): number {
    if (this.isTicking) this.time += 1;
    return this.time;
  }

  after(_delayMs: number, callback: () => void): Disposable {
    this.endWait = callback;
    this.startWaiting();
    return { dispose: () => undefined };
  }

  /** Stops the clock and ends the caller's wait. */
  stop(): void {
    this.isTicking = false;
    this.endWait();
  }
}

describe('The saved searches (D59)', () => {
  let root: string;
  let folder: string;
  let log: MemoryLog;
  const windows: SavedSearches[] = [];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'saved-searches-'));
    folder = join(root, 'searches');
    log = new MemoryLog();
  });
  afterEach(async () => {
    for (const window of windows.splice(0)) {
      await window.flush();
      window.dispose();
    }
    await rm(root, { recursive: true, force: true });
  });

  interface Window {
    readonly store: SearchStore;
    readonly saved: SavedSearches;
  }

  const openWindow = async (): Promise<Window> => {
    const store = new SearchStore();
    const saved = new SavedSearches({ folder, store, clock: new ManualClock(), log });
    windows.push(saved);
    await saved.restore();
    return { store, saved };
  };
  const search = ({ store }: Window, key: string, files: readonly FileEntry[], query = key): void => {
    store.open(key, 'c', { database: 'Alpha', query, pageSize: 2, status: 'staged', specific: { sort: 'name' } });
    store.update(key, { files, isLoading: false, mayHaveMore: false, loadedAt: 1000 });
  };
  const keys = ({ store }: Window): string[] => store.getAll().map(({ key }) => key);

  it('are restored in the next window with files, order, checks and collapsed rows, marked as stale', async () => {
    const one = await openWindow();
    search(one, 'a', [file('1', { sizeBytes: 5, path: 'x/1.csv' }), file('2')]);
    search(one, 'b', []);
    one.store.setChecked('a', [file('1', { sizeBytes: 5 }), file('elsewhere')], true);
    one.store.update('a', { order: 'name' });
    one.store.setCollapsed('b', true);
    one.store.update('b', { batchId: 'all' });
    await one.saved.flush();
    const two = await openWindow();
    assert.deepEqual(keys(two), ['b', 'a']);
    assert.deepEqual(
      two.store.getAll().map(({ batchId }) => batchId),
      ['all', undefined],
    );
    const [b, a] = two.store.getAll();
    assert.deepEqual(
      [b?.isCollapsed, a?.isCollapsed, a?.order, a?.isStale, a?.isLoading],
      [true, false, 'name', true, false],
    );
    assert.deepEqual([a?.loadedAt, a?.mayHaveMore, a?.query], [1000, false, one.store.get('a')?.query]);
    const [first] = a?.files ?? [];
    assert.deepEqual(first, {
      kind: 'file',
      id: '1',
      name: '1.csv',
      path: 'x/1.csv',
      database: 'Alpha',
      sizeBytes: 5,
      isSummary: true,
      resource: { staged: true },
    });
    assert.deepEqual([two.store.isChecked('a', '1'), two.store.checked], [true, { count: 2, sizeBytes: 5 }]);
    assert.deepEqual(
      two.store.getUnlistedChecks('a').map(({ id }) => id),
      ['elsewhere'],
    );
  });

  it('have the time of the listing of a store in which they were found, if that is known (D62)', async () => {
    const one = await openWindow();
    const asOf = '2026-11-30T01:00:00.000Z';
    search(one, 'listed', [file('1')]);
    one.store.update('listed', { listing: { state: 'failed', files: 1, asOf, problem: 'it is full' } });
    search(one, 'incomplete', [file('1')]);
    one.store.update('incomplete', { listing: { state: 'scanning', files: 1 } });
    await one.saved.flush();
    const two = await openWindow();
    const loadedAt = (key: string): number | undefined => two.store.get(key)?.loadedAt;
    assert.deepEqual([loadedAt('listed'), loadedAt('incomplete')], [Date.parse(asOf), 1000]);
  });

  it('are written to disk immediately, and are unchanged after several windows', async () => {
    const one = await openWindow();
    for (const key of ['a', 'b', 'c']) search(one, key, [file('1')]);
    await one.saved.flush();
    const two = await openWindow();
    search(two, 'd', []);
    await two.saved.flush();
    assert.deepEqual(keys(await openWindow()), ['d', 'c', 'b', 'a']);
  });

  it('do not include removed searches, unless the removal was undone', async () => {
    const one = await openWindow();
    for (const key of ['a', 'b', 'c']) search(one, key, [file('1')]);
    await one.saved.flush();
    one.store.dismiss(['a']);
    const undone = one.store.dismiss(['b']);
    await one.saved.flush();
    assert.deepEqual((await readdir(folder)).sort(), ['c.json']);
    one.store.restore(undone);
    await one.saved.flush();
    assert.deepEqual(keys(await openWindow()), ['c', 'b']);
  });

  it('are the newest twenty with a thousand files each, and all with checks', async () => {
    const one = await openWindow();
    const many = Array.from({ length: 1200 }, (_, index) => file(String(index)));
    search(one, 'checked', many);
    one.store.setChecked('checked', many, true);
    for (let count = 0; count < 25; count += 1) search(one, `s${count}`, []);
    await one.saved.flush();
    const two = await openWindow();
    assert.equal(keys(two).length, 21);
    assert.deepEqual([keys(two)[0], keys(two).at(-1)], ['s24', 'checked']);
    assert.deepEqual([two.store.get('checked')?.files.length, two.store.checked.count], [1000, 1200]);
    assert.equal(two.store.get('checked')?.mayHaveMore, true, 'there are more than were saved');
  });

  it('are those of the last of two windows to write, for each search separately', async () => {
    const one = await openWindow();
    for (const key of ['a', 'b']) search(one, key, [file('1')]);
    await one.saved.flush();
    const [two, three] = [await openWindow(), await openWindow()];
    two.store.setChecked('a', [file('1')], true);
    three.store.setChecked('b', [file('1')], true);
    await Promise.all([two.saved.flush(), three.saved.flush()]);
    const last = await openWindow();
    assert.deepEqual([last.store.getCheckedCount('a'), last.store.getCheckedCount('b')], [1, 1]);
    for (const name of await readdir(folder)) JSON.parse(await readFile(join(folder, name), 'utf8'));
  });

  it('do not include damaged and foreign files, which are moved aside and logged once', async () => {
    const one = await openWindow();
    search(one, 'a', [file('1')]);
    await one.saved.flush();
    const text = await readFile(join(folder, 'a.json'), 'utf8');
    const foreign: Record<string, string> = {
      'half.json': text.slice(0, 40),
      'empty.json': '',
      'list.json': '[]',
      'future.json': text.replace('"format":1', '"format":2'),
      'other.json': text,
      'query.json': text.replace('"key":"a"', '"key":"query"').replace('"pageSize":2', '"pageSize":0'),
    };
    for (const [name, content] of Object.entries(foreign)) await writeFile(join(folder, name), content);
    assert.deepEqual(keys(await openWindow()), ['a']);
    const names = Object.keys(foreign).map((name) => `${name}.damaged`);
    assert.deepEqual((await readdir(folder)).sort(), ['a.json', ...names].sort());
    assert.equal(log.lines.length, 1);
  });

  it('do not include invalid values within a search', async () => {
    await mkdir(folder, { recursive: true });
    const search = {
      format: 1,
      key: 'a',
      connectionId: 'c',
      openedAt: 5,
      order: 'odd',
      isCollapsed: 'x',
      loadedAt: 'x',
      query: { database: 'Alpha', query: 'x', pageSize: 5, status: 'odd', specific: [] },
      files: [null, { id: 1, name: 'x' }, { id: '2', name: 'two', sizeBytes: 'x', path: 5, resource: 'x' }],
      checked: 'x',
      unknownIds: [1],
    };
    await writeFile(join(folder, 'a.json'), JSON.stringify(search));
    const [read] = (await openWindow()).store.getAll();
    assert.deepEqual(read?.query, { database: 'Alpha', query: 'x', pageSize: 5 });
    assert.deepEqual(read.files, [
      { kind: 'file', id: '2', name: 'two', database: 'Alpha', isSummary: true, resource: {} },
    ]);
    assert.deepEqual([read.order, read.isCollapsed, read.loadedAt, read.missing], ['relevance', false, undefined, []]);
  });

  it('are never written outside their folder, whatever the key in a file', async () => {
    await mkdir(folder, { recursive: true });
    const hostile = {
      format: 1,
      key: '../../hostile',
      connectionId: 'c',
      openedAt: 5,
      query: { database: 'A', query: '', pageSize: 1 },
    };
    await writeFile(join(folder, 'hostile.json'), JSON.stringify(hostile));
    const window = await openWindow();
    for (const key of keys(window)) window.store.setCollapsed(key, true);
    await window.saved.flush();
    assert.deepEqual(await readdir(root), ['searches']);
  });

  it('include changes that were made while the saved ones were being read', async () => {
    const clock = new TickingClock();
    const store = new SearchStore();
    const saved = new SavedSearches({ folder, store, clock, log });
    windows.push(saved);
    search({ store, saved }, 'a', [file('1')]);
    await clock.isWaiting;
    store.setChecked('a', [file('1')], true);
    await saved.restore();
    clock.stop();
    await saved.flush();
    assert.equal((await openWindow()).store.getCheckedCount('a'), 1);
  });

  it('are written without the usual delay when the window closes', async () => {
    const clock = new TickingClock();
    const store = new SearchStore();
    const saved = new SavedSearches({ folder, store, clock, log });
    windows.push(saved);
    search({ store, saved }, 'a', []);
    await clock.isWaiting;
    search({ store, saved }, 'b', []);
    await saved.flush();
    assert.deepEqual((await readdir(folder)).sort(), ['a.json', 'b.json']);
  });

  it('are restored even if a file beyond the limit cannot be deleted', async () => {
    const one = await openWindow();
    search(one, 'a', []);
    await one.saved.flush();
    const text = await readFile(join(folder, 'a.json'), 'utf8');
    for (let count = 0; count < 22; count += 1) {
      const older = text.replace('"key":"a"', `"key":"s${count}"`).replace(/"openedAt":\d+/, `"openedAt":${count}`);
      await writeFile(join(folder, `s${count}.json`), older);
    }
    const two = new SearchStore();
    const saved = new SavedSearches({ folder, store: two, clock: new ManualClock(), log });
    windows.push(saved);
    two.onDidChange(() => {
      rmSync(join(folder, 's2.json'));
      mkdirSync(join(folder, 's2.json'));
    });
    await saved.restore();
    assert.equal(two.getAll().length, 20);
    const names = await readdir(folder);
    assert.deepEqual(
      ['s0.json', 's1.json', 's2.json'].filter((name) => names.includes(name)),
      ['s2.json'],
    );
    assert.equal(log.lines.length, 1);
  });

  it('report a full disk once, and continue to work in this window', async () => {
    const one = await openWindow();
    const emptyDisk = fillDisk(folder);
    try {
      search(one, 'a', [file('1')]);
      await one.saved.flush();
      search(one, 'b', []);
      await one.saved.flush();
    } finally {
      emptyDisk();
    }
    assert.deepEqual([keys(one), log.lines.length], [['b', 'a'], 1]);
  });
});
