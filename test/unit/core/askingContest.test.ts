import assert from 'node:assert/strict';
import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import { KeyWatch } from '../../../src/core/flows/keyWatch.ts';
import { Sessions } from '../../../src/core/flows/sessions.ts';
import { inState, type Transfer } from '../../../src/core/model/transfer.ts';
import { AskingContest } from '../../../src/core/monitor/askingContest.ts';
import { TransferStore } from '../../../src/core/store/transferStore.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { begun, order } from './specimens.ts';

const minute = 60_000;

/** A transfer that runs, over this connection; what the service calls it is left out while it is submitted. */
function running(key: string, connectionId: string, named: { readonly id?: string } = { id: 'id' }): Transfer {
  const state = 'active';
  return { ...begun, key, ...named, order: { ...order, connectionId }, state, changes: [{ state, at: 0 }] };
}

describe('The contest for who asks (D33)', () => {
  let clock: ManualClock;
  let sessions: Sessions;
  let keys: KeyWatch;
  let store: TransferStore;
  let contest: AskingContest;
  /** Each time that something was said: for which connections this window could ask, and whether it matters. */
  let said: { readonly able: readonly string[]; readonly matters: boolean }[];

  beforeEach(() => {
    clock = new ManualClock();
    sessions = new Sessions();
    keys = new KeyWatch(sessions, clock);
    store = new TransferStore();
    said = [];
    const lease = {
      compete: (able: ReadonlySet<string>, matters: boolean): void => void said.push({ able: [...able], matters }),
    };
    contest = new AskingContest({ sessions, keys, store, lease });
  });
  afterEach(() => {
    contest.dispose();
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
  /** What is said from now on, once `act` was done. */
  const saidAfter = (act: () => void): typeof said => {
    said.length = 0;
    act();
    return said;
  };
  const refuse = async (id: string): Promise<void> => {
    for (let times = 0; times < 3; times++) {
      keys.note(id, { kind: 'unauthorized', status: 401 });
      await clock.pass(5 * minute);
    }
  };

  it('is entered for the connections of running transfers that there is a session for', () => {
    open('c', 'd', 'without a transfer');
    const transfers = [running('one', 'c'), running('two', 'd'), running('three', 'c'), running('four', 'no session')];
    assert.deepEqual(
      saidAfter(() => store.put(transfers)),
      [{ able: ['c', 'd'], matters: true }],
    );
  });

  it('is not entered for a transfer that has ended, or has no id yet', () => {
    open('c');
    const submitting = running('one', 'c', {});
    assert.deepEqual(
      saidAfter(() => store.put([submitting, inState(running('two', 'c'), 'failed', 1)])),
      [],
    );
  });

  it('is entered when a session is opened, and left when it is closed, though it still matters', () => {
    store.put([running('one', 'c')]);
    assert.deepEqual(
      saidAfter(() => open('c')),
      [{ able: ['c'], matters: true }],
    );
    assert.deepEqual(
      saidAfter(() => sessions.close('c')),
      [{ able: [], matters: true }],
    );
  });

  it('is left when the last transfer of a connection has ended, or was forgotten', () => {
    open('c', 'd');
    store.put([running('one', 'c'), running('two', 'c'), running('three', 'd')]);
    assert.deepEqual(
      saidAfter(() => store.put([inState(running('one', 'c'), 'succeeded', 1)])),
      [],
    );
    assert.deepEqual(
      saidAfter(() => store.remove(['two'])),
      [{ able: ['d'], matters: true }],
    );
    assert.deepEqual(
      saidAfter(() => store.put([inState(running('three', 'd'), 'failed', 1)])),
      [{ able: [], matters: false }],
    );
  });

  it('matters while anything runs, also where this window could not ask', () => {
    open('c');
    assert.deepEqual(
      saidAfter(() => store.put([running('one', 'no session')])),
      [{ able: [], matters: true }],
    );
    assert.deepEqual(
      saidAfter(() => store.remove(['one'])),
      [{ able: [], matters: false }],
    );
  });

  it('is left while a key is refused, though not while it is only in doubt (D28)', async () => {
    open('c');
    store.put([running('one', 'c')]);
    said.length = 0;
    keys.note('c', { kind: 'unauthorized', status: 401 });
    assert.deepEqual(said, []);
    await refuse('c');
    assert.deepEqual(said, [{ able: [], matters: true }]);
    assert.deepEqual(
      saidAfter(() => keys.note('c', undefined)),
      [{ able: ['c'], matters: true }],
    );
  });

  it('is not spoken of again while nothing of it has changed', () => {
    open('c');
    store.put([running('one', 'c')]);
    const again = (): void => {
      store.put([{ ...running('one', 'c'), askedAt: 5 }, running('two', 'c')]);
      open('e');
    };
    assert.deepEqual(saidAfter(again), []);
  });

  it('is not spoken of after its end', () => {
    contest.dispose();
    open('c');
    store.put([running('one', 'c')]);
    assert.deepEqual(said, []);
  });
});
