import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { CatalogThread } from '../../../src/service/catalog/catalog.ts';
import { isReadOnly } from '../../../src/service/catalog/servedDatabases.ts';
import { DatabaseRegistry } from '../../../src/service/databases/databaseRegistry.ts';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
import { Gate } from '../../support/gate.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The registry of databases', () => {
  let folder: string;
  let registry: DatabaseRegistry;
  /** The file names of the open catalogs. */
  let open: string[];
  /** The file names of the catalogs that were opened although they were already open. */
  let openedTwice: string[];
  /** The settings that open catalogs have received, in order of arrival. */
  let configured: unknown[];
  let gates: Readonly<Record<string, Gate>>;
  let handleSave: () => void;
  let logger: MemoryLog;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-registry-'));
    [open, openedTwice, configured] = [[], [], []];
    handleSave = () => undefined;
    gates = { 'a.db': new Gate(), 'b.db': new Gate() };
    const clock = new ManualClock();
    logger = new MemoryLog();
    const knownFolders = await KnownFolders.open({ file: nodePath.join(folder, 'known.json'), clock, logger });
    const save = knownFolders.save.bind(knownFolders);
    Object.assign(knownFolders, { save: async () => await save().then(() => handleSave()) });
    const run = { calls: { call: handleCall } };
    const thread = { ensureRunning: () => run } as unknown as CatalogThread;
    registry = new DatabaseRegistry({ knownFolders, catalogFolder: folder, thread, logger });
  });
  afterEach(async () => {
    await registry.close();
    await fs.rm(folder, { recursive: true });
  });

  async function handleCall(
    method: string,
    file: string,
    called?: unknown,
    args: readonly unknown[] = [],
  ): Promise<void> {
    const name = nodePath.basename(file);
    if (method === 'open') {
      if (open.includes(name)) openedTwice.push(name);
      open.push(name);
    } else if (method === 'close') {
      await gates[name]?.pass();
      open = open.filter((one) => one !== name);
    } else if (called === 'configure') {
      configured.push(...args);
    }
  }

  async function serve(...names: string[]): ReturnType<DatabaseRegistry['serve']> {
    return await registry.serve(names.map((name) => ({ name, folder: nodePath.join(folder, name) })));
  }

  it('reopens a catalog only after it has closed, even if others close meanwhile', async () => {
    const [a, b] = [await serve('a'), await serve('b')];
    for (const gate of Object.values(gates)) gate.hold();
    b.dispose();
    const whenNamed = new Promise<void>((resolve) => (handleSave = resolve));
    const both = serve('a', 'b');
    // The registry saves the names before it waits for the catalogs.
    await whenNamed;
    await new Promise(setImmediate);
    a.dispose();
    gates['b.db']?.release();
    await new Promise(setImmediate);
    gates['a.db']?.release();
    await both;
    assert.deepEqual([openedTwice, open.toSorted()], [[], ['a.db', 'b.db']]);
  });

  it('passes changed settings of a store to its open catalog (D67)', async () => {
    const store = { name: 'Lab', remote: 'lab:' };
    const restore = { days: 7 };
    for (const settings of [{}, { restore }, { restore: { days: 1 } }, { rescanMinutes: 1 }, { rescanMinutes: 1 }])
      await registry.serve([{ ...store, ...settings }]);
    assert.deepEqual(configured, [
      { rescanMs: 3_600_000, hasRestore: true },
      { rescanMs: 60_000, hasRestore: false },
    ]);
  });

  it('logs once which folder was given a number because another one has the name', async () => {
    const [first, second] = ['a', 'b'].map((name) => nodePath.join(folder, name));
    await Promise.all([first, second].map(async (path) => await fs.mkdir(path ?? '')));
    const configs = [first, second].map((path = '') => ({ name: 'data', folder: path }));
    for (const requests of [configs, configs]) await registry.serve(requests);
    assert.deepEqual(
      registry.list().map(({ document }) => document.name),
      ['data', 'data (2)'],
    );
    assert.deepEqual(logger.lines, [
      `warn ${second} is served as "data (2)", because another folder or store already had the name "data".`,
    ]);
  });

  it('is read-only for everyone while anyone serves it as read-only, and then writable again (D43)', async () => {
    const config = { name: 'a', folder: nodePath.join(folder, 'a') };
    const listReadOnly = (): boolean[] => registry.list().map(isReadOnly);
    await registry.serve([config]);
    const states = [listReadOnly()];
    const [first, second] = [
      await registry.serve([{ ...config, readOnly: true }]),
      await registry.serve([{ ...config, readOnly: true }]),
    ];
    await registry.serve([config]);
    registry.onDidChange(() => states.push(listReadOnly()));
    for (const serving of [first, first, second]) {
      serving.dispose();
      states.push(listReadOnly());
    }
    assert.deepEqual(states, [[false], [true], [true], [false], [false]]);
    assert.deepEqual(Object.keys(registry.list()[0]?.document ?? {}), ['id', 'name', 'organization', 'url']);
  });

  it('is writable again while only a transfer uses it (D43)', async () => {
    const serving = await registry.serve([{ name: 'a', folder: nodePath.join(folder, 'a'), readOnly: true }]);
    const retained = registry.retain(['a']);
    serving.dispose();
    assert.deepEqual(registry.list().map(isReadOnly), [false]);
    retained.dispose();
    assert.deepEqual(registry.list(), []);
  });
});
