import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerWatch, type LedgerChange } from '../../../src/core/ledger/ledgerWatch.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('The watch over the ledger', () => {
  let parent: string;
  let folder: string;
  let clock: ManualClock;
  let watch: LedgerWatch;
  let told: LedgerChange[];

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'watch-'));
    folder = join(parent, 'ledger');
    clock = new ManualClock();
    watch = new LedgerWatch(folder, clock);
    told = [];
    watch.onDidChange((change) => told.push(change));
  });
  afterEach(async () => {
    watch.dispose();
    await rm(parent, { recursive: true });
  });

  const areTold = (...changes: readonly LedgerChange[]): Promise<unknown> =>
    eventually(() => {
      const known = new Set(told.map((change) => JSON.stringify(change)));
      return Promise.resolve(changes.every((change) => known.has(JSON.stringify(change))) || undefined);
    });
  /** Lets the folders be looked at, and the next look be arranged. */
  const look = async (): Promise<void> => {
    const before = clock.waitingCount;
    await clock.pass(5_000);
    await eventually(() => Promise.resolve(clock.waitingCount === before || undefined));
  };

  it('makes the folders, and tells which record changed in either, and of no other file', async () => {
    await watch.start();
    await writeFile(join(folder, 'running', 'one.json.x.part'), '');
    await writeFile(join(folder, 'running', 'one.json'), '');
    await writeFile(join(folder, 'ended', 'two.json'), '');
    await areTold({ key: 'one' }, { key: 'two' });
    assert.deepEqual([...new Set(told.map((change) => JSON.stringify(change)))].sort(), [
      '{"key":"one"}',
      '{"key":"two"}',
    ]);
    assert.equal(clock.waitingCount, 0, 'what is told need not be looked at');
  });

  it('looks every five seconds where the system does not tell, and tells what folder changed', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await watch.start();
    assert.equal(clock.waitingCount, 2);
    await look();
    assert.deepEqual(told, []);
    await rm(folder);
    await mkdir(join(folder, 'running'), { recursive: true });
    await clock.pass(4_999);
    assert.deepEqual([told, clock.waitingCount], [[], 2]);
    await clock.pass(1);
    await areTold({ shelf: 'running' });
    assert.deepEqual(told, [{ shelf: 'running' }]);
    await eventually(() => Promise.resolve(clock.waitingCount === 2 || undefined));
    await look();
    assert.equal(told.length, 1);
    await mkdir(join(folder, 'ended'));
    await look();
    assert.deepEqual(told, [{ shelf: 'running' }, { shelf: 'ended' }]);
    await rm(join(folder, 'running'), { recursive: true });
    await look();
    assert.deepEqual(told[2], { shelf: 'running' });
  });

  it('neither tells nor looks after its end', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await watch.start();
    watch.dispose();
    assert.equal(clock.waitingCount, 0);
  });

  it('arranges no further look when it ends during one', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await watch.start();
    await clock.pass(5_000);
    watch.dispose();
    for (let times = 0; times < 5; times++) await stat(parent);
    assert.equal(clock.waitingCount, 0);
  });
});
