import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { TransferJournal, type TransferRecord } from '../../../src/service/transfers/journal.ts';
import { LiveTransfer } from '../../../src/service/transfers/liveTransfer.ts';
import { TransferSuspension } from '../../../src/service/transfers/transferErrors.ts';
import type { TransferRunOptions } from '../../../src/service/transfers/transferRun.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const record: TransferRecord = {
  status: 'active',
  id: '2c1d5e0a-0000-4000-8000-000000000007',
  orcid: '',
  sourceId: 'a',
  destinationId: 'b',
  fileCount: 1,
  sizeBytes: 1,
  createdAtMs: 1,
  message: '',
  movedCount: 0,
  isCancelRequested: false,
};
const file = { position: 0, path: 'a', resource: { id: 'a' }, bytes: 1, isTransferred: false };

describe('A suspended transfer', () => {
  let folder: string;
  let journal: TransferJournal;
  let live: LiveTransfer;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-live-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    await journal.add(record, [file]);
    const side = { location: { folder } };
    const run = { source: side, destination: side, isResumed: false } as unknown as TransferRunOptions;
    live = new LiveTransfer(record, [file], { journal, clock: new ManualClock(), logger: new MemoryLog() }, run);
  });
  afterEach(async () => {
    journal.close();
    await fs.rm(folder, { recursive: true });
  });

  function suspend(): number {
    live.suspend(new TransferSuspension('waiting: the destination is full'));
    return live.getRetryMs(3_000);
  }

  it('doubles its delay with each suspension from the fifth on, until a file is staged or transferred (D23)', () => {
    const delays = Array.from({ length: 5 }, suspend);
    live.reportAdvanced([]);
    delays.push(suspend());
    live.reportAdvanced([{ ...file, isTransferred: true }]);
    delays.push(suspend());
    assert.deepEqual(delays, [3_000, 3_000, 3_000, 3_000, 6_000, 12_000, 3_000]);
    assert.equal(live.getRecord().status, 'inactive');
  });

  it('does not wait longer because of suspensions with their own delay, such as for a restore (D67)', () => {
    const restoring = new TransferSuspension('waiting for archived files', 0, 60_000);
    for (let count = 0; count < 10; count += 1) live.suspend(restoring);
    assert.equal(suspend(), 3_000);
  });

  it('waits at most ten minutes (D23)', () => {
    assert.equal(Math.max(...Array.from({ length: 2_000 }, suspend)), 600_000);
  });
});
