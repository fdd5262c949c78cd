import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Explorer } from '../../../src/core/explorer.ts';
import type { TransferOrder } from '../../../src/core/model/transferModel.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { orcid, createExplorerDependencies } from '../../support/explorerDependencies.ts';
import { bySize } from '../../support/testSize.ts';
import { untilIdle } from '../../support/untilIdle.ts';

const rounds = bySize(4, 16);

describe('A cancel during a submission, on a server like the public one (D34)', () => {
  let server: FaultServer;
  let service: PublicState;
  let folder: string;
  let windows: Explorer[];

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    folder = await mkdtemp(join(tmpdir(), 'dts-rounds-'));
    windows = [];
  });
  afterEach(async () => {
    for (const window of windows) window.dispose();
    await server.stop();
    // What a disposed window is still writing would create the folder again.
    await untilIdle(1);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  /** Opens a window with a connection to the server that all windows share. */
  const open = async (connectionId: string): Promise<Explorer> => {
    const own = { log: new MemoryLog(), clock: systemClock, ledgerFolder: join(folder, 'transfers') };
    const window = new Explorer(createExplorerDependencies(own));
    windows.push(window);
    await window.transferFlow.resume();
    await window.connectFlow.open({ id: connectionId, name: connectionId, server: server.address }, 'the-key');
    return window;
  };

  const createOrder = (connectionId: string, file: number): TransferOrder => {
    const id = `JDP:${String(file).padStart(6, '0')}`;
    const [source, destination] = ['JGI Data Portal', 'KBase Workspace Service (KSS)'];
    return { connectionId, orcid, source, destination, files: [{ id, name: id }] };
  };

  /** Submits a transfer in one window while canceling one in the other. Checks that each got its own response. */
  const runRound = async (submitting: Explorer, cancelling: Explorer, file: number): Promise<void> => {
    service.dispatcher.createMs = 0;
    const running = await cancelling.transferFlow.submit(createOrder('two', file));
    assert.equal(running.state, 'accepted', running.problem?.detail);
    const ofService = service.transfers.get(running.id ?? '');
    assert.ok(ofService);
    ofService.status = 'active';
    service.dispatcher.createMs = 60;
    const received = server.requestsTo('POST /api/v1/transfers').length + 1;
    const submission = submitting.transferFlow.submit(createOrder('one', file + rounds));
    await eventually(() =>
      Promise.resolve(server.requestsTo('POST /api/v1/transfers').length === received || undefined),
    );
    for (const window of windows) window.monitor.pollNow();
    assert.equal(await cancelling.transferFlow.cancel(running.key), undefined);
    const submitted = await submission;
    assert.equal(submitted.state, 'accepted', submitted.problem?.detail);
    assert.equal(service.transfers.size, 2 * (file + 1));
    assert.ok(service.transfers.has(submitted.id ?? ''));
    const shown = cancelling.transferStore;
    await eventually(() => {
      cancelling.monitor.pollNow(running.key);
      return Promise.resolve(shown.get(running.key)?.state === 'cancelled' || undefined);
    });
  };

  for (const count of [1, 2]) {
    it(`never overlaps with another request in ${String(rounds)} rounds, with ${String(count)} windows`, async () => {
      const first = await open('one');
      const second = count === 2 ? await open('two') : first;
      if (count === 1) {
        const beside = { id: 'two', name: 'two', server: server.address };
        await first.connectFlow.openInBackground(beside, 'the-key');
      }
      for (let round = 0; round < rounds; round++) await runRound(first, second, round);
      assert.equal(service.dispatcher.maxConcurrentCount, 1);
      const states = first.transferStore.getAll().map(({ state }) => state);
      assert.ok(!states.includes('unknown') && !states.includes('notConfirmed'), states.join(' '));
    });
  }
});
