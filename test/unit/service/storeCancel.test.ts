import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { text } from 'node:stream/consumers';
import type { ServedDatabases } from '../../../src/service/catalog/servedDatabases.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { TransferJournal, type TransferRecord } from '../../../src/service/transfers/journal.ts';
import { UnservedTransfers } from '../../../src/service/transfers/unservedTransfers.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const record: TransferRecord = {
  status: 'active',
  id: '2c1d5e0a-0000-4000-8000-000000000004',
  orcid: '',
  sourceId: 'a',
  destinationId: 'b',
  fileCount: 0,
  sizeBytes: 0,
  createdAtMs: 1,
  message: '',
  movedCount: 0,
  isCancelRequested: true,
};

const missingFolderError = '{"error":"failed to remove 1 directories: last error: Rmdir: directory not found"}';
const connectionRefusedError = '{"error":"dial tcp: connect: connection refused"}';

describe('A canceled transfer to a store that responds late (D66)', () => {
  /**
   * Cancels a transfer, and then restarts the service and lets 30 s pass. The store responds to the removal of empty
   * folders with `error`, if given. Returns, for the cancellation and the restart, the number of purges so far and the
   * number of leftovers in the journal afterwards.
   */
  async function cancel(error?: string): Promise<readonly (readonly [purged: number, leftovers: number])[]> {
    const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-cancel-'));
    let purgedCount = 0;
    const server = createServer((request, response) => {
      if (request.url === '/operations/purge') purgedCount += 1;
      const isFailing = request.url === '/operations/rmdirs' && error !== undefined;
      void text(request).then(() => response.writeHead(isFailing ? 500 : 200).end(isFailing ? error : '{"list":[]}'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const address = { port, authorization: 'Basic eDp5', stagingFolder: '', program: '' };
    const daemon = { use: async (work: Parameters<RcloneDaemon['use']>[0]) => await work(address) };
    const databases = { findById: () => ({ location: { remote: 'lab:b' } }) };
    const journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    const clock = new ManualClock();
    const options = { journal, clock, logger: new MemoryLog() };
    const fakes = { daemon: daemon as unknown as RcloneDaemon, databases: databases as unknown as ServedDatabases };
    const run = async (work: (unserved: UnservedTransfers) => void, delaysMs: readonly number[]): Promise<void> => {
      const unserved = new UnservedTransfers({ ...options, ...fakes });
      const before = purgedCount;
      work(unserved);
      for (const [index, delayMs] of [0, ...delaysMs].entries()) {
        // The next removal is scheduled when the previous one has ended.
        await eventually(async () => await Promise.resolve(clock.waitingCount === 1 || undefined));
        await clock.pass(delayMs);
        await eventually(async () => await Promise.resolve(purgedCount === before + index + 1 || undefined));
      }
      await unserved.close();
    };
    try {
      await journal.add(record, []);
      const count = (): [number, number] => [purgedCount, journal.listLeftovers().length];
      await run((unserved) => unserved.suspend(record), []);
      const first = count();
      await run((unserved) => unserved.start(), [10_000, 20_000]);
      return [first, count()];
    } finally {
      journal.close();
      server.closeAllConnections();
      server.close();
      await fs.rm(folder, { recursive: true });
    }
  }

  it('has its unfinished objects removed immediately, and several times after a restart', async () => {
    assert.deepEqual(await cancel(), [
      [1, 1],
      [4, 0],
    ]);
  });

  it('has no leftovers if the store rejects the removal of a folder that does not exist', async () => {
    assert.deepEqual((await cancel(missingFolderError)).at(-1), [4, 0]);
  });

  it('keeps its leftovers in the journal if the store becomes unreachable', async () => {
    assert.deepEqual((await cancel(connectionRefusedError)).at(-1), [4, 1]);
  });
});
