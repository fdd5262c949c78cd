import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import { CatalogThread } from '../../../src/service/catalog/catalogThread.ts';
import { DatabaseRegistry } from '../../../src/service/databases/databaseRegistry.ts';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
import { HttpProblem } from '../../../src/service/http/httpProblem.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { TransferQueue } from '../../../src/service/transfers/transferQueue.ts';
import type { TransferRecord } from '../../../src/service/transfers/transferRecord.ts';
import { UnservedTransfers } from '../../../src/service/transfers/unservedTransfers.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const record: TransferRecord = {
  id: '11111111-1111-4111-8111-111111111111',
  orcid: '0000-0002-1825-0097',
  sourceId: 'gone',
  destinationId: 'gone-too',
  fileCount: 1,
  sizeBytes: 1,
  createdAtMs: 1,
  status: 'active',
  message: 'Transfer 11111111-1111-4111-8111-111111111111: transferring 1 file(s) (1 B)',
  movedCount: 0,
  isCancelRequested: false,
};

interface Parts {
  readonly journal: TransferJournal;
  readonly databases: DatabaseRegistry;
  readonly clock: Clock;
  readonly logger: MemoryLog;
}

describe('A queue of transfers', () => {
  let folder: string;
  let journal: TransferJournal;
  let thread: CatalogThread | undefined;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-queue-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
  });

  afterEach(async () => {
    journal.close();
    await thread?.end();
    await fs.rm(folder, { recursive: true });
  });

  async function partsWith(clock: Clock, logger: MemoryLog): Promise<Parts> {
    const parts = { clock, logger };
    const known = await KnownFolders.open({ file: nodePath.join(folder, 'databases.json'), ...parts });
    thread = new CatalogThread(parts.logger);
    const databases = new DatabaseRegistry({ known, catalogFolder: folder, thread, ...parts });
    return { journal, databases, ...parts };
  }

  async function newQueue(clock: Clock, logger = new MemoryLog(), retentionMs = 86_400_000): Promise<TransferQueue> {
    const parts = await partsWith(clock, logger);
    return new TransferQueue({ ...parts, retentionMs, retryDelayMs: 20 });
  }

  async function started(kept: TransferRecord): Promise<TransferRecord | undefined> {
    await journal.add(kept, [{ position: 0, path: 'a', resource: { id: 'a' }, bytes: 1, isLanded: false }]);
    const queue = await newQueue(systemClock);
    queue.start();
    await queue.close();
    return queue.get(kept.id);
  }

  it('keeps one whose databases are not served waiting, with its files (D25)', async () => {
    const kept = await started(record);
    assert.equal(kept?.status, 'inactive');
    assert.equal(kept.message, `Transfer ${record.id}: waiting: the database gone is not served`);
    assert.equal(journal.filesOf(record.id).length, 1);
  });

  it('ends such a one when its cancel was accepted before the service stopped (§4.7)', async () => {
    const kept = await started({ ...record, isCancelRequested: true });
    assert.deepEqual([kept?.status, kept?.message], ['failed', `Transfer ${record.id}: canceled`]);
    assert.ok(kept?.endedAtMs !== undefined);
  });

  it('leaves such a one as it is, and says so, when the journal cannot be written', async () => {
    await journal.add(record, []);
    const logger = new MemoryLog();
    const unserved = new UnservedTransfers(await partsWith(systemClock, logger));
    journal.close();
    unserved.suspend(record, []);
    assert.match(logger.lines.join(), /The journal cannot be written/);
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    assert.equal(journal.get(record.id)?.status, 'active');
  });

  it('has written an accepted cancel down before it tells so (§4.7, D25)', async () => {
    const parts = await partsWith(systemClock, new MemoryLog());
    const wishes = ['source', 'target'].map((name) => ({ name, folder: nodePath.join(folder, name) }));
    for (const wish of wishes) await fs.mkdir(wish.folder);
    await fs.writeFile(nodePath.join(folder, 'source', 'a'), 'a');
    await parts.databases.serve(wishes);
    const queue = new TransferQueue({ ...parts, retentionMs: 86_400_000, retryDelayMs: 20 });
    const { orcid } = record;
    const id = await queue.submit({ orcid, source: 'source', destination: 'target', file_ids: ['a'] });
    assert.equal(queue.cancel(id, orcid), 'accepted');
    assert.equal(journal.get(id)?.isCancelRequested, true);
    await queue.close();
    await parts.databases.close();
  });

  it('refuses a transfer that cannot be written down, and says why', async () => {
    const parts = await partsWith(systemClock, new MemoryLog());
    const wishes = ['source', 'target'].map((name) => ({ name, folder: nodePath.join(folder, name) }));
    for (const wish of wishes) await fs.mkdir(wish.folder);
    await fs.writeFile(nodePath.join(folder, 'source', 'a'), 'a');
    await parts.databases.serve(wishes);
    const queue = new TransferQueue({ ...parts, retentionMs: 86_400_000, retryDelayMs: 20 });
    journal.close();
    const request = { orcid: record.orcid, source: 'source', destination: 'target', file_ids: ['a'] };
    const why = /^The transfer is not accepted: the journal of transfers cannot be written \(database is not open\)\.$/;
    await assert.rejects(queue.submit(request), (error) => error instanceof HttpProblem && why.test(error.message));
    assert.match(parts.logger.lines.join(), /database is not open/);
    await queue.close();
    await parts.databases.close();
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    assert.deepEqual(journal.unfinished(), []);
  });

  it('tells no more of a transfer whose time has passed, and keeps no list of the files of one that has ended', async () => {
    const clock = new ManualClock();
    const queue = await newQueue(clock);
    await journal.add(record, [{ position: 0, path: 'a', resource: { id: 'a' }, bytes: 1, isLanded: false }]);
    const minuteMs = 60_000;
    journal.update({ ...record, status: 'succeeded', endedAtMs: clock.now() + 30 * minuteMs });
    assert.deepEqual(journal.filesOf(record.id), []);
    queue.start();
    await clock.pass(24 * 60 * minuteMs + 30 * minuteMs);
    assert.equal(queue.get(record.id)?.status, 'succeeded');
    await clock.pass(1);
    assert.equal(queue.get(record.id), undefined);
    await queue.close();
  });

  const dayMs = 86_400_000;
  const jumps: [name: string, beforeMs: number, afterMs: number][] = [
    ['was set back before it ended and is put right after', -8 * dayMs, 8 * dayMs],
    ['was set forward before it ended and is put right after', 300 * dayMs, -300 * dayMs],
    ['is set forward after it ended', 0, 300 * dayMs],
    ['is set back after it ended', 0, -300 * dayMs],
  ];
  for (const [name, beforeMs, afterMs] of jumps) {
    it(`remembers an ended transfer for the time that is set when the clock ${name} (D25)`, async () => {
      const clock = new ManualClock();
      const queue = await newQueue(clock, new MemoryLog(), 7 * dayMs);
      await journal.add(record, []);
      queue.start();
      clock.sleep(beforeMs);
      journal.update({ ...record, status: 'succeeded', endedAtMs: clock.now() });
      clock.sleep(afterMs);
      assert.equal(queue.get(record.id)?.status, 'succeeded');
      await clock.pass(5 * dayMs);
      assert.equal(queue.get(record.id)?.status, 'succeeded');
      await clock.pass(2.1 * dayMs);
      assert.equal(queue.get(record.id), undefined);
      await queue.close();
    });
  }

  it('goes on, and says so, when what is past cannot be forgotten because the journal cannot be written', async () => {
    const clock = new ManualClock();
    const logger = new MemoryLog();
    const queue = await newQueue(clock, logger);
    queue.start();
    journal.close();
    await clock.pass(3_600_000);
    assert.match(logger.lines.join(), /The journal cannot be written/);
    await queue.close();
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
  });
});
