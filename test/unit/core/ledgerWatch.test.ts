import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordFolderWatch } from '../../../src/core/transfers/recordFolders.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';

type Folder = 'running' | 'ended';
/** A change to one record or, with `folder`, to any records in that folder. */
type LedgerChange = { readonly key: string } | { readonly folder: Folder };

describe('Watching the ledger', () => {
  let parent: string;
  let folder: string;
  let clock: ManualClock;
  let watches: Readonly<Record<Folder, RecordFolderWatch>>;
  let changes: LedgerChange[];

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'watch-'));
    folder = join(parent, 'ledger');
    clock = new ManualClock();
    changes = [];
    const create = (name: Folder): RecordFolderWatch =>
      new RecordFolderWatch(join(folder, name), clock, (key) => {
        changes.push(key === undefined ? { folder: name } : { key });
      });
    watches = { running: create('running'), ended: create('ended') };
  });
  afterEach(async () => {
    watches.running.dispose();
    watches.ended.dispose();
    await rm(parent, { recursive: true });
  });

  const start = async (): Promise<void> => {
    await watches.running.start();
    await watches.ended.start();
  };
  const areReported = (...expected: readonly LedgerChange[]): Promise<unknown> =>
    eventually(() => {
      const known = new Set(changes.map((change) => JSON.stringify(change)));
      return Promise.resolve(expected.every((change) => known.has(JSON.stringify(change))) || undefined);
    });
  /** Advances the clock to the next check of the folders, and waits until the check after that is scheduled. */
  const waitForCheck = async (): Promise<void> => {
    const before = clock.waitingCount;
    await clock.pass(5_000);
    await eventually(() => Promise.resolve(clock.waitingCount === before || undefined));
  };

  it('creates the folders, and reports which record changed in either, but no other file', async () => {
    await start();
    await writeFile(join(folder, 'running', 'one.json.x.part'), '');
    await writeFile(join(folder, 'running', 'one.json'), '');
    await writeFile(join(folder, 'ended', 'two.json'), '');
    await areReported({ key: 'one' }, { key: 'two' });
    assert.deepEqual([...new Set(changes.map((change) => JSON.stringify(change)))].sort(), [
      '{"key":"one"}',
      '{"key":"two"}',
    ]);
    assert.equal(clock.waitingCount, 0, 'folders with reported changes are not checked');
  });

  it('reports a folder that changed after it was prepared, and no other (D48)', async () => {
    for (const name of ['running', 'ended']) {
      await mkdir(join(folder, name), { recursive: true });
      await utimes(join(folder, name), 1, 1);
    }
    await watches.running.prepare();
    await watches.ended.prepare();
    await writeFile(join(folder, 'ended', 'one.json'), '');
    await start();
    assert.deepEqual(changes, [{ folder: 'ended' }]);
  });

  it('reports a folder whose modification time is too recent to show another change (D48)', async () => {
    await mkdir(join(folder, 'ended'), { recursive: true });
    await utimes(join(folder, 'ended'), clock.now() / 1000, clock.now() / 1000);
    await watches.running.prepare();
    await watches.ended.prepare();
    await watches.ended.start();
    assert.deepEqual(changes, [{ folder: 'ended' }]);
  });

  it('reports changes in a folder that was replaced by another one (D48)', async () => {
    await start();
    await rm(folder, { recursive: true });
    await areReported({ folder: 'running' }, { folder: 'ended' });
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(join(folder, 'running', 'one.json'), '');
    changes = [];
    await waitForCheck();
    await areReported({ folder: 'running' });
  });

  it("checks every five seconds if the system doesn't report changes, and reports the folder", async () => {
    await writeFile(folder, 'a file where the folder should be');
    await start();
    assert.equal(clock.waitingCount, 2);
    await waitForCheck();
    assert.deepEqual(changes, []);
    await rm(folder);
    await mkdir(join(folder, 'running'), { recursive: true });
    await clock.pass(4_999);
    assert.deepEqual([changes, clock.waitingCount], [[], 2]);
    await clock.pass(1);
    await areReported({ folder: 'running' });
    assert.deepEqual(changes, [{ folder: 'running' }]);
    await eventually(() => Promise.resolve(clock.waitingCount === 2 || undefined));
    await waitForCheck();
    assert.equal(changes.length, 1);
    await mkdir(join(folder, 'ended'));
    await waitForCheck();
    assert.deepEqual(changes, [{ folder: 'running' }, { folder: 'ended' }]);
    await rm(join(folder, 'running'), { recursive: true });
    await waitForCheck();
    assert.deepEqual(changes[2], { folder: 'running' });
  });

  it('neither reports nor checks after it is disposed', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await start();
    watches.running.dispose();
    watches.ended.dispose();
    assert.equal(clock.waitingCount, 0);
  });

  it('reports nothing if it is disposed while it starts', async () => {
    await mkdir(join(folder, 'ended'), { recursive: true });
    await utimes(join(folder, 'ended'), clock.now() / 1000, clock.now() / 1000);
    await watches.ended.prepare();
    const starting = watches.ended.start();
    watches.ended.dispose();
    await starting;
    assert.deepEqual(changes, []);
  });

  it('neither reports a change nor schedules a check if it is disposed during one', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await start();
    await rm(folder);
    await mkdir(join(folder, 'running'), { recursive: true });
    await clock.pass(5_000);
    changes = [];
    watches.running.dispose();
    watches.ended.dispose();
    for (let times = 0; times < 5; times++) await stat(parent);
    assert.deepEqual([changes, clock.waitingCount], [[], 0]);
  });
});
