import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { Memory } from '../../../src/host/memory.ts';
import { StateFiles } from '../../../src/host/stateFiles.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('What the extension remembers', () => {
  let folder: string;
  let kept: Map<string, unknown>;

  /** Returns the memory of a window that was just opened. */
  function openWindow(): Memory {
    const editorState = {
      get: (name: string): unknown => kept.get(name),
      update: (name: string): Promise<void> => Promise.resolve().then(() => void kept.delete(name)),
    };
    return new Memory(new StateFiles({ folder, editorState, clock: systemClock, log: new MemoryLog() }));
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'memory-'));
    kept = new Map();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is there in the next window, without any help of the editor', async () => {
    const memory = openWindow();
    await memory.rememberConnection('c');
    await memory.rememberDetails('Somewhere', 'Why', { text: '{}' });
    await memory.rememberSearch('c', { query: 'one' });
    await memory.rememberLandedFolder('c', 'Somewhere', '/data');
    await memory.keepServerDialects({ 'http://one': { version: '1', dialect: {} } });
    assert.equal(kept.size, 0);
    const next = openWindow();
    assert.equal(await next.lastConnectionId(), 'c');
    assert.equal(await next.lastDestination(), 'Somewhere');
    assert.equal(await next.lastDescription(), 'Why');
    assert.deepEqual(await next.lastInstructions(), { text: '{}' });
    assert.deepEqual(await next.recentSearches('c'), [{ query: 'one' }]);
    assert.equal(await next.landedFolder('c', 'Somewhere'), '/data');
    assert.deepEqual(await next.serverDialects(), { 'http://one': { version: '1', dialect: {} } });
  });

  it('includes what version 0.1 stored in the editor’s state', async () => {
    const before = {
      lastConnectionId: 'c',
      lastDestination: 'Somewhere',
      lastDescription: 'Why',
      lastInstructions: { file: 'file:///x.json' },
      recentSearches: { c: [{ query: 'one' }] },
      landedFolders: [['c', 'Somewhere', '/data']],
      serverDialects: { 'http://one': { version: '1', dialect: { idsWanted: true } } },
    };
    kept = new Map(Object.entries(before));
    const memory = openWindow();
    await memory.rememberSearch('c', { query: 'two' });
    assert.equal(kept.has('recentSearches'), false);
    assert.deepEqual(await memory.recentSearches('c'), [{ query: 'two' }, { query: 'one' }]);
    assert.equal(await memory.lastConnectionId(), 'c');
    assert.equal(await memory.lastDestination(), 'Somewhere');
    assert.equal(await memory.lastDescription(), 'Why');
    assert.deepEqual(await memory.lastInstructions(), { file: 'file:///x.json' });
    assert.equal(await memory.landedFolder('c', 'Somewhere'), '/data');
    assert.deepEqual(await memory.serverDialects(), before.serverDialects);
  });

  it('keeps what another window learned of other servers, for a bounded number of them', async () => {
    const entry = { version: '1', dialect: { idsWanted: true } };
    await openWindow().keepServerDialects({ 'http://one': entry });
    await openWindow().keepServerDialects({ 'http://two': entry });
    assert.deepEqual(await openWindow().serverDialects(), { 'http://one': entry, 'http://two': entry });
    const many = Object.fromEntries(Array.from({ length: 49 }, (_, place) => [`http://${place}`, entry]));
    await openWindow().keepServerDialects(many);
    const servers = Object.keys((await openWindow().serverDialects()) as object);
    assert.deepEqual([servers.length, servers[0]], [50, 'http://two']);
  });
});
