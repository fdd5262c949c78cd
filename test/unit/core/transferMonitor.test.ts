import assert from 'node:assert/strict';
import type { Session } from '../../../src/core/flows/sessions.ts';
import type { WantedAnswer } from '../../../src/core/ledger/askingLease.ts';
import { inState, type Transfer } from '../../../src/core/model/transfer.ts';
import { TransferMonitor } from '../../../src/core/monitor/transferMonitor.ts';
import { TransferStore } from '../../../src/core/store/transferStore.ts';
import { Emitter } from '../../../src/core/util/emitter.ts';
import { eventually } from '../../support/eventually.ts';
import { json, problem } from '../../support/faultBehaviours.ts';
import { Gate } from '../../support/gate.ts';
import { Rig } from './rig.ts';
import { begun, order } from './specimens.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const hour = 3_600_000;
const statusRequest = 'GET /api/v1/transfers/*';

/** A transfer that runs, over this connection; what the service calls it is left out while it is submitted. */
function running(key: string, connectionId = 'c', named: { readonly id?: string } = { id }): Transfer {
  const state = 'accepted';
  return { ...begun, key, ...named, order: { ...order, connectionId }, state, changes: [{ state, at: 0 }] };
}

describe('The monitor of one window', () => {
  let rig: Rig;
  let session: Session;
  let store: TransferStore;
  let monitor: TransferMonitor;
  let held: Set<string>;
  let kept: (readonly Transfer[])[];
  let wanted: WantedAnswer[];
  let leaseChanged: Emitter<void>;
  let wantedHere: Emitter<WantedAnswer>;

  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on(statusRequest, json({ id, status: 'active', num_files: 2, num_files_transferred: 1 }));
    session = await rig.connect();
    store = new TransferStore();
    held = new Set(['c']);
    [kept, wanted, leaseChanged, wantedHere] = [[], [], new Emitter(), new Emitter()];
    const lease = {
      isHeld: (connectionId: string): boolean => held.has(connectionId),
      wantNow: async (answer: WantedAnswer): Promise<void> => void wanted.push(answer),
      onDidChange: leaseChanged.event,
      onDidWantNow: wantedHere.event,
    };
    monitor = new TransferMonitor({
      ...{ sessions: rig.explorer.sessions, keys: rig.explorer.keys, store, clock: rig.clock, lease },
      keep: async (...transfers) => {
        kept.push(transfers);
        store.put(transfers);
      },
      shortestMs: () => 1_000,
      hasFocus: () => true,
    });
  });
  afterEach(async () => {
    monitor.dispose();
    await rig.end();
  });

  const asked = (): number => rig.server.requestsTo(statusRequest).length;
  const isAsked = (times: number): Promise<unknown> =>
    eventually(() => Promise.resolve(asked() === times || undefined));
  const isKept = (times: number): Promise<unknown> =>
    eventually(() => Promise.resolve(kept.length === times || undefined));
  /** An hour passes, and what was sent meanwhile has arrived. */
  const anHourPasses = async (): Promise<void> => {
    await rig.clock.pass(hour);
    await session.client.databases();
  };
  /** Holds the next answer back until it is let through. */
  const holdAnswer = (): Gate => {
    const gate = new Gate();
    gate.hold();
    rig.server.on(statusRequest, async (request, response) => {
      await gate.pass();
      await json({ id, status: 'staging', num_files: 2 })(request, response);
    });
    return gate;
  };

  it('asks from the moment that this window holds the lease, and no longer than that', async () => {
    held.clear();
    store.put([running('k')]);
    await anHourPasses();
    assert.equal(asked(), 0);
    held.add('c');
    leaseChanged.fire();
    await isKept(1);
    held.clear();
    leaseChanged.fire();
    await anHourPasses();
    assert.equal(asked(), 1);
  });

  it('shows the age of the last answers while a submission keeps a status request waiting (D34)', async () => {
    const gate = new Gate();
    gate.hold();
    rig.server.on('POST /api/v1/transfers', problem(400, 'no')).behind(gate, 'POST /api/v1/transfers');
    store.put([running('k')]);
    await isKept(1);
    const problems = (): readonly (string | undefined)[] => store.all().map(({ problem: why }) => why?.kind);
    const submission = session.client.transfer({ orcid: 'O', source: 'A', destination: 'B', fileIds: ['f'] });
    await eventually(() => Promise.resolve(gate.waitingCount === 1 || undefined));
    monitor.askNow();
    await rig.clock.pass(4_000);
    assert.deepEqual(problems(), [undefined]);
    await rig.clock.pass(2_000);
    assert.deepEqual([problems(), asked()], [['queued'], 1]);
    gate.release();
    await submission;
    await eventually(() => Promise.resolve(problems().every((why) => why === undefined) || undefined));
  });

  it('withdraws a status request that waits for its turn when nobody needs it any longer (D34)', async () => {
    const gate = new Gate();
    gate.hold();
    rig.server.on('POST /api/v1/transfers', problem(400, 'no')).behind(gate, 'POST /api/v1/transfers');
    store.put([running('k')]);
    await isKept(1);
    const submission = session.client.transfer({ orcid: 'O', source: 'A', destination: 'B', fileIds: ['f'] });
    await eventually(() => Promise.resolve(gate.waitingCount === 1 || undefined));
    monitor.askNow();
    await rig.clock.pass(1_000);
    store.put([inState(running('k'), 'succeeded', 1)]);
    gate.release();
    await submission;
    await session.client.cancelTransfer({ id, orcid: 'O' });
    assert.equal(asked(), 1);
    assert.equal(store.get('k')?.problem, undefined);
  });

  it('asks no more once the session is closed, and again when there is one', async () => {
    store.put([running('k')]);
    await isKept(1);
    rig.explorer.sessions.close('c');
    await rig.clock.pass(hour);
    session = await rig.connect();
    await isAsked(2);
  });

  it('asks no more while the key is in doubt, and again when it is good (D28)', async () => {
    store.put([running('k')]);
    await isKept(1);
    rig.server.on('GET /api/v1/databases', problem(401, 'refused'));
    rig.explorer.keys.note('c', { kind: 'unauthorized', status: 401 });
    await anHourPasses();
    assert.equal(asked(), 1);
    rig.explorer.keys.note('c', undefined);
    await isAsked(2);
  });

  it('asks no more for what has ended or was forgotten, nor for what has no id', async () => {
    const submitting = running('new', 'c', {});
    store.put([running('k'), submitting]);
    await isKept(1);
    store.put([inState(running('k'), 'failed', 1), running('other')]);
    await rig.clock.pass(500);
    await isKept(2);
    store.remove(['other']);
    await anHourPasses();
    assert.equal(asked(), 2);
  });

  it('lets the windows that ask know what is wanted at once, each connection once', () => {
    const submitting = running('new', 'e', {});
    const ended = inState(running('over', 'f'), 'failed', 1);
    store.put([running('one', 'd'), running('two', 'd'), running('here', 'c'), submitting, ended]);
    monitor.askNow();
    assert.deepEqual(wanted.splice(0), [{ connectionId: 'd' }]);
    monitor.askNow('two');
    assert.deepEqual(wanted.splice(0), [{ connectionId: 'd', key: 'two' }]);
    for (const key of ['here', 'new', 'over', 'unknown']) monitor.askNow(key);
    assert.deepEqual(wanted, []);
  });

  it('asks at once for what another window wants to know', async () => {
    store.put([running('k')]);
    await isKept(1);
    wantedHere.fire({ connectionId: 'c', key: 'another' });
    await rig.clock.pass(500);
    assert.equal(asked(), 1);
    wantedHere.fire({ connectionId: 'c', key: 'k' });
    await rig.clock.pass(500);
    await isAsked(2);
  });

  it('does not believe an answer that comes after its session was closed', async () => {
    const gate = holdAnswer();
    store.put([running('k')]);
    await isAsked(1);
    rig.explorer.sessions.close('c');
    gate.release();
    session = await rig.connect();
    await session.client.databases();
    assert.deepEqual(
      kept.flat().filter(({ problem: trouble }) => trouble),
      [],
    );
  });

  it('does not bring back what was forgotten while it was asked for', async () => {
    const gate = holdAnswer();
    store.put([running('k')]);
    await isAsked(1);
    store.remove(['k']);
    gate.release();
    await anHourPasses();
    assert.deepEqual([kept, store.all()], [[], []]);
  });

  it('keeps what changed while it asked together with the answer', async () => {
    const gate = holdAnswer();
    store.put([running('k')]);
    await isAsked(1);
    store.put([{ ...running('k'), cancelAcceptedAt: 7 }]);
    gate.release();
    await isKept(1);
    assert.deepEqual([store.get('k')?.state, store.get('k')?.cancelAcceptedAt], ['staging', 7]);
  });

  it('says once of all transfers over one server that it does not answer, and of no other', async () => {
    const otherService = { ...session.service, address: 'http://127.0.0.1:9' };
    rig.explorer.sessions.add({ ...session, service: otherService, connection: { ...session.connection, id: 'd' } });
    rig.server.on(statusRequest, problem(503, 'down'));
    store.put([running('one'), running('elsewhere', 'd'), running('without a session', 'e')]);
    await eventually(async () => {
      await rig.clock.pass(1_000);
      return asked() >= 5 || undefined;
    });
    assert.equal(kept.length, 1, 'it is said once');
    assert.deepEqual(
      kept[0]?.map(({ key, problem: trouble }) => [key, trouble?.kind]),
      [['one', 'serverError']],
    );
  });

  it('asks nothing more after its end, and believes no answer that comes then', async () => {
    const gate = holdAnswer();
    store.put([running('k')]);
    await isAsked(1);
    monitor.dispose();
    gate.release();
    store.put([running('late')]);
    leaseChanged.fire();
    await anHourPasses();
    assert.deepEqual([asked(), kept], [1, []]);
  });
});
