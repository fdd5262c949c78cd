import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import { CatalogThread } from '../../../src/service/catalog/catalogThread.ts';
import { DatabaseRegistry } from '../../../src/service/databases/databaseRegistry.ts';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
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

describe('A queue of transfers whose databases are not served', () => {
  let folder: string;
  let journal: TransferJournal;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-queue-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
  });

  afterEach(async () => {
    journal.close();
    await fs.rm(folder, { recursive: true });
  });

  async function partsWith(clock: Clock, logger: MemoryLog): Promise<Parts> {
    const parts = { clock, logger };
    const known = await KnownFolders.open({ file: nodePath.join(folder, 'databases.json'), ...parts });
    const thread = new CatalogThread(parts.logger);
    const databases = new DatabaseRegistry({ known, catalogFolder: folder, thread, ...parts });
    return { journal, databases, ...parts };
  }

  async function newQueue(clock: Clock, logger = new MemoryLog()): Promise<TransferQueue> {
    const parts = await partsWith(clock, logger);
    return new TransferQueue({ ...parts, retentionMs: 86_400_000, retryDelayMs: 20 });
  }

  async function started(kept: TransferRecord): Promise<TransferRecord | undefined> {
    await journal.add(kept, [{ position: 0, path: 'a', resource: { id: 'a' }, bytes: 1, isLanded: false }]);
    const queue = await newQueue(systemClock);
    queue.start();
    await queue.close();
    return queue.get(kept.id);
  }

  it('keeps it waiting, with its files (D25)', async () => {
    const kept = await started(record);
    assert.equal(kept?.status, 'inactive');
    assert.equal(kept.message, `Transfer ${record.id}: waiting: the database gone is not served`);
    assert.equal(journal.filesOf(record.id).length, 1);
  });

  it('ends it when its cancel was accepted before the service stopped (§4.7)', async () => {
    const kept = await started({ ...record, isCancelRequested: true });
    assert.deepEqual([kept?.status, kept?.message], ['failed', `Transfer ${record.id}: canceled`]);
    assert.ok(kept?.endedAtMs !== undefined);
  });

  it('leaves it as it is, and says so, when the journal cannot be written', async () => {
    await journal.add(record, []);
    const logger = new MemoryLog();
    const unserved = new UnservedTransfers(await partsWith(systemClock, logger));
    journal.close();
    unserved.suspend(record, []);
    assert.match(logger.lines.join(), /The journal cannot be written/);
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    assert.equal(journal.get(record.id)?.status, 'active');
  });

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
