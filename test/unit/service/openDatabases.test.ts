import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { CatalogThread } from '../../../src/service/catalog/catalog.ts';
import type { DatabaseConfig } from '../../../src/service/config.ts';
import { openDatabases } from '../../../src/service/databases/databaseRegistry.ts';
import type { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const dayMs = 86_400_000;

describe('The folders and stores that a service has served before (D20)', () => {
  let root: string;
  let clock: ManualClock;
  let lab: { readonly name: string; readonly folder: string };
  let unfinished: readonly { readonly sourceId: string; readonly destinationId: string }[];

  beforeEach(async () => {
    root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-open-')));
    lab = { name: 'Lab', folder: nodePath.join(root, 'lab') };
    await fs.mkdir(lab.folder);
    await fs.mkdir(nodePath.join(root, 'catalog'));
    clock = new ManualClock();
    unfinished = [];
  });
  afterEach(async () => await fs.rm(root, { recursive: true }));

  /**
   * Opens the given databases as a service does, closes them, and creates their catalog files. Returns the databases'
   * IDs.
   */
  async function run(databases: DatabaseConfig[]): Promise<readonly string[]> {
    const thread = { ensureRunning: () => ({ calls: { call: () => Promise.resolve() } }) } as unknown as CatalogThread;
    const journal = { listUnfinished: () => unfinished } as unknown as TransferJournal;
    const dependencies = { clock, logger: new MemoryLog(), thread };
    const registry = await openDatabases({ dataFolder: root, databases }, dependencies, journal);
    const ids = registry.list().map(({ document }) => document.id);
    await registry.close();
    for (const id of ids) await fs.writeFile(nodePath.join(root, 'catalog', `${id}.db`), '');
    return ids;
  }

  async function listCatalogs(): Promise<readonly string[]> {
    return (await fs.readdir(nodePath.join(root, 'catalog'))).toSorted();
  }

  it('keep their IDs and catalogs for as long as they are configured, however long the service ran', async () => {
    const store = { name: 'Store', remote: 'lab:' };
    await run([lab, store]);
    await fs.symlink('lab', nodePath.join(root, 'link'));
    for (const folder of [lab.folder, nodePath.join(root, 'link')]) {
      await clock.pass(181 * dayMs);
      const renamed = [
        { name: 'B', folder },
        { ...store, name: 'C' },
      ];
      assert.deepEqual(await run(renamed), ['lab', 'store']);
      assert.deepEqual(await listCatalogs(), ['lab.db', 'store.db']);
    }
  });

  it('are forgotten 180 days after the last request, unless an unfinished transfer needs them', async () => {
    const other = { name: 'Other', folder: nodePath.join(root, 'other') };
    await run([lab, other]);
    await clock.pass(180 * dayMs);
    assert.deepEqual([await run([]), await listCatalogs()], [[], ['lab.db', 'other.db']]);
    await clock.pass(1);
    unfinished = [{ sourceId: 'other', destinationId: 'other' }];
    assert.deepEqual([await run([]), await listCatalogs()], [[], ['other.db']]);
    assert.deepEqual(await run([{ ...lab, folder: root }]), ['lab']);
  });
});
