import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { ServedDatabase, ServedDatabases } from '../../../src/service/catalog/servedDatabases.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { UnservedTransfers } from '../../../src/service/transfers/unservedTransfers.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const id = '2c1d5e0a-0000-4000-8000-000000000004';

describe('The leftovers of an interrupted transfer in a store (D62)', () => {
  let folder: string;
  let journal: TransferJournal;
  let clock: ManualClock;
  let unserved: UnservedTransfers;
  /** Number of times that leftovers were removed. */
  let removals: number;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-unserved-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    clock = new ManualClock();
    removals = 0;
    const daemon = { use: async () => await Promise.resolve((removals += 1) > 0) } as unknown as RcloneDaemon;
    const store = { location: { remote: 'lab:store' } } as ServedDatabase;
    const databases = { findById: () => store } as unknown as ServedDatabases;
    unserved = new UnservedTransfers({ journal, databases, clock, logger: new MemoryLog(), daemon });
    const record = { id, orcid: '', sourceId: 'a', destinationId: 'b', createdAtMs: 0, sizeBytes: 0, fileCount: 0 };
    const ended = { status: 'succeeded', message: '', isCancelRequested: false, movedCount: 0, endedAtMs: 0 } as const;
    await journal.add({ ...record, ...ended }, []);
    journal.endWithLeftovers({ ...record, ...ended }, '');
  });
  afterEach(async () => {
    await unserved.close();
    journal.close();
    await fs.rm(folder, { recursive: true });
  });

  async function waitForRemovals(count: number): Promise<void> {
    await eventually(async () => await Promise.resolve(removals === count || undefined));
  }

  it('are removed after 10 s, and once more with those of other transfers', async () => {
    unserved.removeLateObjects(id);
    // For example because the databases have changed.
    unserved.removeLeftoversInBackground();
    await waitForRemovals(1);
    await clock.pass(10_000);
    await waitForRemovals(2);
    assert.equal(journal.listLeftovers().length, 1);
    unserved.removeLeftoversInBackground();
    await eventually(async () => await Promise.resolve(journal.listLeftovers().length === 0 || undefined));
    assert.equal(removals, 3);
  });

  it('remain in the journal for the next start if the service ends within 10 s', async () => {
    unserved.removeLateObjects(id);
    await unserved.close();
    await clock.pass(10_000);
    assert.deepEqual([removals, journal.listLeftovers().length], [0, 1]);
  });
});
