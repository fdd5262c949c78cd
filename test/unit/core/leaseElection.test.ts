import assert from 'node:assert/strict';
import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import { KeyWatch, OpenConnections } from '../../../src/core/connections/openConnections.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { TransferMonitor } from '../../../src/core/transfers/transferMonitor.ts';
import { TransferStore } from '../../../src/core/transfers/transferStore.ts';
import { Emitter } from '../../../src/core/util/lifetime.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { submittingTransfer, order } from './specimens.ts';

const minute = 60_000;

/** Returns a running transfer of a connection. If `named` is empty, the transfer has no ID, as during submission. */
function running(key: string, connectionId: string, named: { readonly id?: string } = { id: 'id' }): Transfer {
  const state = 'active';
  return {
    ...submittingTransfer,
    key,
    ...named,
    order: { ...order, connectionId },
    state,
    changes: [{ state, at: 0 }],
  };
}

describe('Electing the polling window (D33)', () => {
  let clock: ManualClock;
  let sessions: OpenConnections;
  let keys: KeyWatch;
  let store: TransferStore;
  let monitor: TransferMonitor;
  /** The arguments of all calls to `setEligible`. */
  let calls: { readonly connectionIds: readonly string[]; readonly hasRunning: boolean }[];

  beforeEach(() => {
    clock = new ManualClock();
    sessions = new OpenConnections();
    keys = new KeyWatch(sessions, clock);
    store = new TransferStore();
    calls = [];
    const lease = {
      hasLease: () => false,
      isAnyWindowFocused: () => true,
      onDidChange: new Emitter<void>().event,
      onDidRequestPoll: new Emitter<never>().event,
      requestPoll: () => Promise.resolve(),
      setEligible: (connectionIds: ReadonlySet<string>, hasRunning: boolean): void =>
        void calls.push({ connectionIds: [...connectionIds], hasRunning }),
    };
    const saved = { save: (transfer: Transfer) => Promise.resolve(transfer), saveAll: () => Promise.resolve() };
    monitor = new TransferMonitor({ sessions, keys, store, clock, lease, saved, getMinIntervalMs: () => 1_000 });
  });
  afterEach(() => {
    monitor.dispose();
    keys.dispose();
    sessions.dispose();
  });

  const open = (...ids: readonly string[]): void => {
    for (const id of ids) {
      const client = new DataTransferClient({ log: new MemoryLog(), clock });
      const service = { address: 'http://127.0.0.1:1', name: 'Test', version: '1' };
      sessions.add({ connection: { id, name: id, server: service.address }, service, client });
    }
  };
  /** Returns the arguments of the calls to `setEligible` during `act`. */
  const callsDuring = (act: () => void): typeof calls => {
    calls.length = 0;
    act();
    return calls;
  };
  const refuse = async (id: string): Promise<void> => {
    for (let times = 0; times < 3; times++) {
      keys.recordReply(id, { kind: 'unauthorized', status: 401 });
      await clock.pass(5 * minute);
    }
  };

  it('enters for connections that are open and have running transfers', () => {
    open('c', 'd', 'without a transfer');
    const transfers = [running('one', 'c'), running('two', 'd'), running('three', 'c'), running('four', 'not open')];
    assert.deepEqual(
      callsDuring(() => store.put(transfers)),
      [{ connectionIds: ['c', 'd'], hasRunning: true }],
    );
  });

  it("doesn't enter for a transfer that has ended or has no id yet", () => {
    open('c');
    const submitting = running('one', 'c', {});
    assert.deepEqual(
      callsDuring(() => store.put([submitting, withState(running('two', 'c'), 'failed', 1)])),
      [],
    );
  });

  it('enters when a connection is opened, and withdraws when it is closed while transfers are running', () => {
    store.put([running('one', 'c')]);
    assert.deepEqual(
      callsDuring(() => open('c')),
      [{ connectionIds: ['c'], hasRunning: true }],
    );
    assert.deepEqual(
      callsDuring(() => sessions.close('c')),
      [{ connectionIds: [], hasRunning: true }],
    );
  });

  it('withdraws when the last transfer of a connection has ended or was removed', () => {
    open('c', 'd');
    store.put([running('one', 'c'), running('two', 'c'), running('three', 'd')]);
    assert.deepEqual(
      callsDuring(() => store.put([withState(running('one', 'c'), 'succeeded', 1)])),
      [],
    );
    assert.deepEqual(
      callsDuring(() => store.remove(['two'])),
      [{ connectionIds: ['d'], hasRunning: true }],
    );
    assert.deepEqual(
      callsDuring(() => store.put([withState(running('three', 'd'), 'failed', 1)])),
      [{ connectionIds: [], hasRunning: false }],
    );
  });

  it("reports running transfers even if this window can't poll them", () => {
    open('c');
    assert.deepEqual(
      callsDuring(() => store.put([running('one', 'not open')])),
      [{ connectionIds: [], hasRunning: true }],
    );
    assert.deepEqual(
      callsDuring(() => store.remove(['one'])),
      [{ connectionIds: [], hasRunning: false }],
    );
  });

  it('withdraws while a key is rejected, but not while it is in doubt (D28)', async () => {
    open('c');
    store.put([running('one', 'c')]);
    calls.length = 0;
    keys.recordReply('c', { kind: 'unauthorized', status: 401 });
    assert.deepEqual(calls, []);
    await refuse('c');
    assert.deepEqual(calls, [{ connectionIds: [], hasRunning: true }]);
    assert.deepEqual(
      callsDuring(() => keys.recordReply('c', undefined)),
      [{ connectionIds: ['c'], hasRunning: true }],
    );
  });

  it('reports nothing while nothing has changed', () => {
    open('c');
    store.put([running('one', 'c')]);
    const again = (): void => {
      store.put([{ ...running('one', 'c'), askedAt: 5 }, running('two', 'c')]);
      open('e');
    };
    assert.deepEqual(callsDuring(again), []);
  });

  it('reports nothing after it is disposed', () => {
    monitor.dispose();
    open('c');
    store.put([running('one', 'c')]);
    assert.deepEqual(calls, []);
  });
});
