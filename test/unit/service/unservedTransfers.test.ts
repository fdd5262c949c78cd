import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { ServedDatabase, ServedDatabases } from '../../../src/service/catalog/servedDatabases.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { TransferJournal, type TransferRecord } from '../../../src/service/transfers/journal.ts';
import type { Removal } from '../../../src/service/transfers/storeRoute.ts';
import { UnservedTransfers } from '../../../src/service/transfers/unservedTransfers.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const id = '2c1d5e0a-0000-4000-8000-000000000004';
const ended: TransferRecord = {
  id,
  orcid: '',
  sourceId: 'a',
  destinationId: 'b',
  createdAtMs: 0,
  sizeBytes: 0,
  fileCount: 0,
  status: 'succeeded',
  message: '',
  isCancelRequested: false,
  movedCount: 0,
  endedAtMs: 0,
};

describe('The leftovers of an interrupted transfer in a store (D62)', () => {
  let folder: string;
  let journal: TransferJournal;
  let clock: ManualClock;
  let log: MemoryLog;
  let unserved: UnservedTransfers;
  /** Number of attempts to remove leftovers. */
  let removals: number;
  let isServed: boolean;
  /** The result of the next attempts. */
  let result: Removal;
  let location: Partial<ServedDatabase['location']>;
  /** Number of times the store was looked up while it was not served. */
  let misses: number;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-unserved-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    clock = new ManualClock();
    log = new MemoryLog();
    removals = 0;
    isServed = true;
    result = 'complete';
    location = { remote: 'lab:store' };
    misses = 0;
    const use = async (): Promise<Removal> => {
      removals += 1;
      return await Promise.resolve(result);
    };
    const daemon = { use } as unknown as RcloneDaemon;
    const findById = (): ServedDatabase | undefined => {
      if (!isServed) misses += 1;
      return isServed ? ({ location } as ServedDatabase) : undefined;
    };
    const databases = { findById } as unknown as ServedDatabases;
    unserved = new UnservedTransfers({ journal, databases, clock, logger: log, daemon });
    await journal.add(ended, []);
    journal.endWithLeftovers(ended, '');
  });
  afterEach(async () => {
    await unserved.close();
    journal.close();
    await fs.rm(folder, { recursive: true });
  });

  async function waitForRemovals(count: number): Promise<void> {
    await eventually(async () => await Promise.resolve(removals === count || undefined));
  }

  async function waitUntilForgotten(): Promise<void> {
    await eventually(async () => await Promise.resolve(journal.listLeftovers().length === 0 || undefined));
  }

  /** Lets `seconds` pass, and waits until leftovers have been removed `count` times in total. */
  async function pass(seconds: number, count: number): Promise<void> {
    // The next removal is scheduled when the previous one has ended.
    await eventually(async () => await Promise.resolve(clock.waitingCount === 1 || undefined));
    await clock.pass(1000 * seconds);
    await waitForRemovals(count);
  }

  it('are removed six times during ten minutes, and then forgotten', async () => {
    unserved.removeLateObjects(id);
    // The queue does this, for example, when the databases have changed.
    unserved.removeLeftoversInBackground();
    await waitForRemovals(1);
    for (const [index, seconds] of [10, 20, 40, 80, 160, 320].entries()) {
      assert.equal(journal.listLeftovers().length, 1);
      await pass(seconds, index + 2);
    }
    await waitUntilForgotten();
    await clock.pass(24 * 3_600_000);
    assert.deepEqual([removals, clock.waitingCount], [7, 0]);
  });

  it('are removed until that has succeeded twice in succession, at least once per hour', async () => {
    unserved.start();
    await waitForRemovals(1);
    await pass(10, 2);
    result = 'failed';
    await pass(20, 3);
    result = 'incomplete';
    const delays = [40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600];
    for (const [index, seconds] of delays.entries()) await pass(seconds, index + 4);
    result = 'complete';
    await pass(3_600, 13);
    assert.equal(journal.listLeftovers().length, 1);
    await pass(3_600, 14);
    await waitUntilForgotten();
  });

  it('are removed immediately and twice more after a restart, and then forgotten', async () => {
    unserved.start();
    await waitForRemovals(1);
    await pass(10, 2);
    assert.equal(journal.listLeftovers().length, 1);
    await pass(20, 3);
    await waitUntilForgotten();
    assert.deepEqual([removals, clock.waitingCount], [3, 0]);
  });

  it('are forgotten at once if they were in a folder, in which nothing can reappear', async () => {
    location = { folder };
    unserved.start();
    await waitUntilForgotten();
    await clock.pass(10_000);
    assert.deepEqual([removals, clock.waitingCount], [0, 0]);
  });

  it('are not removed after the service was closed', async () => {
    await unserved.close();
    unserved.removeLateObjects(id);
    assert.equal(clock.waitingCount, 0);
  });

  it('are removed several times if the transfer was canceled while its store was not served, because the store may still be copying (D66)', async () => {
    const suspended = '2c1d5e0a-0000-4000-8000-000000000005';
    const record = { ...ended, id: suspended, status: 'inactive' } as const;
    await journal.add(record, []);
    journal.forgetLeftovers(id);
    isServed = false;
    unserved.cancel(record);
    assert.equal(journal.get(suspended)?.message, `Transfer ${suspended}: canceled`);
    await eventually(async () => await Promise.resolve(misses === 1 || undefined));
    isServed = true;
    unserved.removeLeftoversInBackground();
    await waitForRemovals(1);
    assert.equal(journal.listLeftovers().length, 1);
    await clock.pass(10_000);
    await waitForRemovals(2);
    assert.equal(journal.listLeftovers().length, 1);
  });

  it('are removed later if the store is unavailable, which is logged once', async () => {
    for (const [index, next] of (['failed', 'failed', 'incomplete', 'complete'] as const).entries()) {
      result = next;
      unserved.removeLeftoversInBackground();
      await waitForRemovals(index + 1);
    }
    await unserved.close();
    assert.deepEqual(log.lines, [
      `warn Transfer ${id}: unfinished files could not be removed from the destination; will try again`,
    ]);
  });

  it('remain in the journal for the next start if the service ends within 10 s', async () => {
    unserved.removeLateObjects(id);
    await unserved.close();
    await clock.pass(10_000);
    assert.deepEqual([removals, journal.listLeftovers().length], [0, 1]);
  });
});
