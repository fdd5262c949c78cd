import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { FollowUps } from '../../../src/service/transfers/followUps.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { TransferSuspension } from '../../../src/service/transfers/transferErrors.ts';
import { TransferQueue } from '../../../src/service/transfers/transferQueue.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { createQueueRig } from './queueRig.ts';

describe('A transfer that is suspended repeatedly', () => {
  let folder: string;
  beforeEach(async () => (folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-suspensions-'))));
  afterEach(async () => await fs.rm(folder, { recursive: true }));

  it('waits longer for the next attempt if it made no progress (D23)', async () => {
    const [clock, logger, delays] = [new ManualClock(), new MemoryLog(), Array<number>()];
    const { databases, daemon, thread } = await createQueueRig(folder, clock, logger);
    const journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    const [source, destination] = ['source', 'target'];
    for (const name of [source, destination]) await fs.mkdir(nodePath.join(folder, name));
    await fs.writeFile(nodePath.join(folder, source, 'a'), 'a');
    await databases.serve([source, destination].map((name) => ({ name, folder: nodePath.join(folder, name) })));
    const pauseTracking = async (): Promise<never> => await Promise.reject(new TransferSuspension('waiting'));
    Object.assign(databases.findById(destination)?.catalog ?? {}, { pauseTracking });
    const after = clock.after.bind(clock);
    Object.assign(clock, { after: (ms: number, call: () => void) => (delays.push(ms), after(ms, call)) });
    const options = { journal, databases, clock, logger };
    const followUps = new FollowUps({ ...options, dataFolder: folder, isAllowed: true });
    const times = { retentionMs: 86_400_000, retryDelayMs: 2_100 };
    const queue = new TransferQueue({ ...options, daemon, followUps, ...times });
    await queue.submit({ orcid: '0000-0002-1825-0097', source, destination, file_ids: ['a'] });
    const listRetries = (): number[] => delays.filter((ms) => ms % 2_100 === 0);
    for (const count of [1, 2, 3, 4, 5]) {
      await eventually(async () => await Promise.resolve(listRetries().length >= count || undefined));
      await clock.pass(listRetries().at(-1) ?? 0);
    }
    await queue.close();
    await databases.close();
    journal.close();
    await thread.end();
    assert.deepEqual(listRetries().slice(0, 5), [2_100, 2_100, 2_100, 2_100, 4_200]);
  });
});
