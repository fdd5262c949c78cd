import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { ServedDatabase, ServedDatabases } from '../../../src/service/catalog/servedDatabases.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import type { TransferRecord } from '../../../src/service/transfers/journalRecord.ts';
import { UnservedTransfers } from '../../../src/service/transfers/unservedTransfers.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const id = '2c1d5e0a-0000-4000-8000-000000000004';
const ended: TransferRecord = {
  ...{ id, orcid: '', sourceId: 'a', destinationId: 'b', createdAtMs: 0, sizeBytes: 0, fileCount: 0 },
  ...{ status: 'succeeded', message: '', isCancelRequested: false, movedCount: 0, endedAtMs: 0 },
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
  let isAvailable: boolean;
  /** Number of times the store was looked up while it was not served. */
  let misses: number;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-unserved-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    clock = new ManualClock();
    log = new MemoryLog();
    removals = 0;
    isServed = true;
    isAvailable = true;
    misses = 0;
    const daemon = {
      use: async () => await Promise.resolve((removals += 1) > 0 && isAvailable),
    } as unknown as RcloneDaemon;
    const store = { location: { remote: 'lab:store' } } as ServedDatabase;
    const findById = (): ServedDatabase | undefined => {
      if (!isServed) misses += 1;
      return isServed ? store : undefined;
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

  it('are removed several times during ten minutes, and once more with those of other transfers', async () => {
    unserved.removeLateObjects(id);
    // The queue does this, for example, when the databases have changed.
    unserved.removeLeftoversInBackground();
    await waitForRemovals(1);
    for (const [index, seconds] of [10, 20, 40, 80, 160, 320].entries()) {
      assert.equal(journal.listLeftovers().length, 1);
      await clock.pass(1000 * seconds);
      await waitForRemovals(index + 2);
    }
    await clock.pass(3_600_000);
    assert.deepEqual([removals, journal.listLeftovers().length], [7, 1]);
    unserved.removeLeftoversInBackground();
    await waitUntilForgotten();
    assert.equal(removals, 8);
  });

  it('are removed again even if the first removals fail', async () => {
    isAvailable = false;
    unserved.removeLateObjects(id);
    await clock.pass(10_000);
    await waitForRemovals(1);
    isAvailable = true;
    await clock.pass(20_000);
    await waitForRemovals(2);
  });

  it('are also removed several times after the service was restarted', async () => {
    unserved.start();
    unserved.removeLeftoversInBackground();
    await waitForRemovals(1);
    assert.equal(journal.listLeftovers().length, 1);
    await clock.pass(10_000);
    await waitForRemovals(2);
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
    isAvailable = false;
    for (const count of [1, 2]) {
      unserved.removeLeftoversInBackground();
      await waitForRemovals(count);
    }
    isAvailable = true;
    unserved.removeLeftoversInBackground();
    await waitUntilForgotten();
    assert.deepEqual(log.lines, [
      `warn Transfer ${id}: unfinished files may remain at the destination; will try again to remove them`,
    ]);
  });

  it('remain in the journal for the next start if the service ends within 10 s', async () => {
    unserved.removeLateObjects(id);
    await unserved.close();
    await clock.pass(10_000);
    assert.deepEqual([removals, journal.listLeftovers().length], [0, 1]);
  });
});
