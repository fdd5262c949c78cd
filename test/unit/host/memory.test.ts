import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { Memory } from '../../../src/extension/editor/memory.ts';
import { StateFiles } from '../../../src/extension/editor/stateFiles.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The memory of the extension', () => {
  let folder: string;
  let editorValues: Map<string, unknown>;

  /** Returns the `Memory` of a new window. */
  function openWindow(): Memory {
    const editorState = {
      get: (name: string): unknown => editorValues.get(name),
      update: (name: string): Promise<void> => Promise.resolve().then(() => void editorValues.delete(name)),
    };
    return new Memory(new StateFiles({ folder, editorState, clock: systemClock, log: new MemoryLog() }));
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'memory-'));
    editorValues = new Map();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is available in the next window without the editor's state", async () => {
    const memory = openWindow();
    await memory.rememberConnection('c');
    await memory.rememberDetails('Somewhere', 'Why', { text: '{}' });
    await memory.rememberSearch('c', { query: 'one' });
    await memory.rememberDestinationFolder('c', 'Somewhere', '/data');
    await memory.saveServerDialects({ 'http://one': { version: '1', dialect: {} } });
    assert.equal(editorValues.size, 0);
    const next = openWindow();
    assert.equal(await next.getLastConnectionId(), 'c');
    assert.equal(await next.getLastDestination(), 'Somewhere');
    assert.equal(await next.getLastDescription(), 'Why');
    assert.deepEqual(await next.getLastInstructions(), { text: '{}' });
    assert.deepEqual(await next.getRecentSearches('c'), [{ query: 'one' }]);
    assert.equal(await next.getDestinationFolder('c', 'Somewhere'), '/data');
    assert.deepEqual(await next.getServerDialects(), { 'http://one': { version: '1', dialect: {} } });
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
    editorValues = new Map(Object.entries(before));
    const memory = openWindow();
    await memory.rememberSearch('c', { query: 'two' });
    assert.equal(editorValues.has('recentSearches'), false);
    assert.deepEqual(await memory.getRecentSearches('c'), [{ query: 'two' }, { query: 'one' }]);
    assert.equal(await memory.getLastConnectionId(), 'c');
    assert.equal(await memory.getLastDestination(), 'Somewhere');
    assert.equal(await memory.getLastDescription(), 'Why');
    assert.deepEqual(await memory.getLastInstructions(), { file: 'file:///x.json' });
    assert.equal(await memory.getDestinationFolder('c', 'Somewhere'), '/data');
    assert.deepEqual(await memory.getServerDialects(), before.serverDialects);
  });

  it('suggests instructions without the name of a folder, which only one transfer can have', async () => {
    const memory = openWindow();
    await memory.rememberDetails('Somewhere', '', { text: '{"folder":"run-1","type":"assembly"}' });
    assert.deepEqual(await memory.getLastInstructions(), { text: '{"type":"assembly"}' });
    await memory.rememberDetails('Somewhere', '', { text: '{"folder":"run-2"}' });
    assert.equal(await memory.getLastInstructions(), undefined);
  });

  it('keeps what another window learned of other servers, up to a limit', async () => {
    const entry = { version: '1', dialect: { idsWanted: true } };
    await openWindow().saveServerDialects({ 'http://one': entry });
    await openWindow().saveServerDialects({ 'http://two': entry });
    assert.deepEqual(await openWindow().getServerDialects(), { 'http://one': entry, 'http://two': entry });
    const many = Object.fromEntries(Array.from({ length: 49 }, (_, place) => [`http://${place}`, entry]));
    await openWindow().saveServerDialects(many);
    const servers = Object.keys((await openWindow().getServerDialects()) as object);
    assert.deepEqual([servers.length, servers[0]], [50, 'http://two']);
  });
});
