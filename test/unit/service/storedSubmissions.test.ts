import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import type { CatalogThread } from '../../../src/service/catalog/catalog.ts';
import type { DatabaseRegistry } from '../../../src/service/databases/databaseRegistry.ts';
import { FollowUps } from '../../../src/service/transfers/followUps.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { TransferQueue } from '../../../src/service/transfers/transferQueue.ts';
import { eventually } from '../../support/eventually.ts';
import { Gate } from '../../support/gate.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { createQueueRig } from './queueRig.ts';

const request = { orcid: '0000-0002-1825-0097', source: 'source', destination: 'target', file_ids: ['a'] };

describe('A submission that is being stored', () => {
  let folder: string;
  let journal: TransferJournal;
  let thread: CatalogThread;
  let databases: DatabaseRegistry;
  let queue: TransferQueue;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-submission-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    const logger = new MemoryLog();
    const rig = await createQueueRig(folder, systemClock, logger);
    ({ thread, databases } = rig);
    const folders = ['source', 'target'].map((name) => ({ name, folder: nodePath.join(folder, name) }));
    for (const { folder: path } of folders) await fs.mkdir(path);
    await fs.writeFile(nodePath.join(folder, 'source', 'a'), 'a');
    await databases.serve(folders);
    const options = { journal, databases, clock: systemClock, logger };
    const followUps = new FollowUps({ ...options, dataFolder: folder, isAllowed: true });
    queue = new TransferQueue({ ...options, daemon: rig.daemon, followUps, retentionMs: 86_400_000, retryDelayMs: 20 });
    queue.start();
  });

  afterEach(async () => {
    await queue.close();
    await databases.close();
    journal.close();
    await thread.end();
    await fs.rm(folder, { recursive: true });
  });

  it('starts once if a folder is served before the disk has confirmed it (D25)', async () => {
    const [gate, add] = [new Gate(), journal.add.bind(journal)];
    gate.hold();
    Object.assign(journal, {
      add: async (...args: Parameters<typeof add>) => await add(...args).then(() => gate.pass()),
    });
    const submitted = queue.submit(request);
    await eventually(async () => await Promise.resolve(gate.waitingCount || undefined));
    await databases.serve([{ name: 'other', folder }]);
    assert.equal(queue.activeCount, 0);
    gate.release();
    const id = await submitted;
    await eventually(async () => await Promise.resolve(queue.get(id)?.endedAtMs));
    assert.deepEqual([queue.get(id)?.status, queue.activeCount], ['succeeded', 0]);
  });

  it('is accepted even if the journal cannot be read in the meantime (D25)', async () => {
    const get = journal.get.bind(journal);
    Object.assign(journal, {
      get: () => {
        throw new Error('unreadable');
      },
    });
    const id = await queue.submit(request);
    Object.assign(journal, { get });
    await eventually(async () => await Promise.resolve(queue.get(id)?.endedAtMs));
    assert.equal(queue.get(id)?.status, 'succeeded');
  });
});
