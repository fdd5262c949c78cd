import assert from 'node:assert/strict';
import type { OpenConnection } from '../../../src/core/connections/openConnections.ts';
import type { PollingLease } from '../../../src/core/transfers/pollingLease.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { TransferMonitor } from '../../../src/core/transfers/transferMonitor.ts';
import { TransferStore } from '../../../src/core/transfers/transferStore.ts';
import { Emitter } from '../../../src/core/util/lifetime.ts';
import { eventually } from '../../support/eventually.ts';
import { json, problem, text } from '../../support/faultBehaviors.ts';
import { Gate } from '../../support/gate.ts';
import { Rig } from './rig.ts';
import { submittingTransfer, order } from './specimens.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const hour = 3_600_000;
const statusRequest = 'GET /api/v1/transfers/*';

/** Returns a running transfer of a connection. If `named` is empty, the transfer has no ID, as during submission. */
function running(key: string, connectionId = 'c', named: { readonly id?: string } = { id }): Transfer {
  const state = 'accepted';
  return {
    ...submittingTransfer,
    key,
    ...named,
    order: { ...order, connectionId },
    state,
    changes: [{ state, at: 0 }],
  };
}

type PollRequest = Parameters<PollingLease['requestPoll']>[0];

describe('The monitor of one window', () => {
  let rig: Rig;
  let session: OpenConnection;
  let store: TransferStore;
  let monitor: TransferMonitor;
  let leased: Set<string>;
  let saved: (readonly Transfer[])[];
  let requests: PollRequest[];
  let leaseChanged: Emitter<void>;
  let pollRequested: Emitter<PollRequest>;

  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on(statusRequest, json({ id, status: 'active', num_files: 2, num_files_transferred: 1 }));
    session = await rig.connect();
    store = new TransferStore();
    leased = new Set(['c']);
    [saved, requests, leaseChanged, pollRequested] = [[], [], new Emitter(), new Emitter()];
    const lease = {
      hasLease: (connectionId: string): boolean => leased.has(connectionId),
      isAnyWindowFocused: () => true,
      setEligible: () => undefined,
      requestPoll: async (request: PollRequest): Promise<void> => void requests.push(request),
      onDidChange: leaseChanged.event,
      onDidRequestPoll: pollRequested.event,
    };
    const saveAll = async (transfers: readonly Transfer[]): Promise<void> => {
      saved.push(transfers);
      store.put(transfers);
    };
    monitor = new TransferMonitor({
      sessions: rig.explorer.sessions,
      keys: rig.explorer.keys,
      store,
      clock: rig.clock,
      lease,
      saved: {
        saveAll,
        save: async (transfer) => {
          await saveAll([transfer]);
          return transfer;
        },
      },
      getMinIntervalMs: () => 1_000,
    });
  });
  afterEach(async () => {
    monitor.dispose();
    await rig.end();
  });

  const countRequests = (): number => rig.server.requestsTo(statusRequest).length;
  const isPolled = (times: number): Promise<unknown> =>
    eventually(() => Promise.resolve(countRequests() === times || undefined));
  const isSaved = (times: number): Promise<unknown> =>
    eventually(() => Promise.resolve(saved.length === times || undefined));
  /** Advances the clock by an hour and waits until the server has received all pending requests. */
  const passHour = async (): Promise<void> => {
    await rig.clock.pass(hour);
    await session.client.databases();
  };
  /** Delays the next response until it is released. */
  const delayResponse = (): Gate => {
    const gate = new Gate();
    gate.hold();
    rig.server.on(statusRequest, async (request, response) => {
      await gate.pass();
      await json({ id, status: 'staging', num_files: 2 })(request, response);
    });
    return gate;
  };

  it('polls while this window has the lease', async () => {
    leased.clear();
    store.put([running('k')]);
    await passHour();
    assert.equal(countRequests(), 0);
    leased.add('c');
    leaseChanged.fire();
    await isSaved(1);
    leased.clear();
    leaseChanged.fire();
    await passHour();
    assert.equal(countRequests(), 1);
  });

  it('attributes a failed status request only to the transfers that it polls', async () => {
    rig.server.on(statusRequest, text(200, 'Welcome to our proxy'));
    const reason = { kind: 'dropped', maybeDone: true } as const;
    const unclear = { ...withState(submittingTransfer, 'notConfirmed', 0), key: 'unclear', problem: reason };
    store.put([running('k'), { ...submittingTransfer, key: 'submitting' }, unclear]);
    await isSaved(1);
    const problems = ['k', 'submitting', 'unclear'].map((key) => store.get(key)?.problem?.kind);
    assert.deepEqual(problems, ['unreadable', undefined, 'dropped']);
  });

  it('shows the age of the last status while a submission delays a status request (D34)', async () => {
    const gate = new Gate();
    gate.hold();
    rig.server.on('POST /api/v1/transfers', problem(400, 'no')).holdAt(gate, 'POST /api/v1/transfers');
    store.put([running('k')]);
    await isSaved(1);
    const problems = (): readonly (string | undefined)[] => store.getAll().map(({ problem: why }) => why?.kind);
    const submission = session.client.transfer({ orcid: 'O', source: 'A', destination: 'B', fileIds: ['f'] });
    await eventually(() => Promise.resolve(gate.waitingCount === 1 || undefined));
    monitor.pollNow();
    await rig.clock.pass(4_000);
    assert.deepEqual(problems(), [undefined]);
    await rig.clock.pass(2_000);
    assert.deepEqual([problems(), countRequests()], [['queued'], 1]);
    gate.release();
    await submission;
    await eventually(() => Promise.resolve(problems().every((why) => why === undefined) || undefined));
  });

  it('shows no age if the submission has ended and a cancel delays the status request instead (D34)', async () => {
    const [submitted, canceled] = [new Gate(), new Gate()];
    for (const gate of [submitted, canceled]) gate.hold();
    rig.server.on('POST /api/v1/transfers', problem(400, 'no')).holdAt(submitted, 'POST /api/v1/transfers');
    rig.server.on('DELETE /api/v1/transfers/*', problem(400, 'no')).holdAt(canceled, 'DELETE /api/v1/transfers/*');
    store.put([running('k')]);
    await isSaved(1);
    const submission = session.client.transfer({ orcid: 'O', source: 'A', destination: 'B', fileIds: ['f'] });
    await eventually(() => Promise.resolve(submitted.waitingCount === 1 || undefined));
    monitor.pollNow();
    const cancel = session.client.cancelTransfer({ id, orcid: 'O' });
    await rig.clock.pass(1_000);
    submitted.release();
    await submission;
    await eventually(() => Promise.resolve(canceled.waitingCount === 1 || undefined));
    await rig.clock.pass(10_000);
    assert.deepEqual([store.get('k')?.problem, countRequests()], [undefined, 1]);
    canceled.release();
    await cancel;
  });

  it('withdraws a waiting status request when it is no longer needed (D34)', async () => {
    const gate = new Gate();
    gate.hold();
    rig.server.on('POST /api/v1/transfers', problem(400, 'no')).holdAt(gate, 'POST /api/v1/transfers');
    store.put([running('k')]);
    await isSaved(1);
    const submission = session.client.transfer({ orcid: 'O', source: 'A', destination: 'B', fileIds: ['f'] });
    await eventually(() => Promise.resolve(gate.waitingCount === 1 || undefined));
    monitor.pollNow();
    await rig.clock.pass(1_000);
    store.put([withState(running('k'), 'succeeded', 1)]);
    gate.release();
    await submission;
    await session.client.cancelTransfer({ id, orcid: 'O' });
    assert.equal(countRequests(), 1);
    assert.equal(store.get('k')?.problem, undefined);
  });

  it('stops polling when the connection is closed, and resumes when it is open', async () => {
    store.put([running('k')]);
    await isSaved(1);
    rig.explorer.sessions.close('c');
    await rig.clock.pass(hour);
    session = await rig.connect();
    await isPolled(2);
  });

  it('stops polling while the key is in doubt, and resumes when it is accepted (D28)', async () => {
    store.put([running('k')]);
    await isSaved(1);
    rig.server.on('GET /api/v1/databases', problem(401, 'refused'));
    rig.explorer.keys.recordReply('c', { kind: 'unauthorized', status: 401 });
    await passHour();
    assert.equal(countRequests(), 1);
    rig.explorer.keys.recordReply('c', undefined);
    await isPolled(2);
  });

  it("stops polling transfers that have ended or were removed, and doesn't poll those without an id", async () => {
    const submitting = running('new', 'c', {});
    store.put([running('k'), submitting]);
    await isSaved(1);
    store.put([withState(running('k'), 'failed', 1), running('other')]);
    await rig.clock.pass(500);
    await isSaved(2);
    store.remove(['other']);
    await passHour();
    assert.equal(countRequests(), 2);
  });

  it('forwards a requested poll to the polling windows, once for each connection', () => {
    const submitting = running('new', 'e', {});
    const ended = withState(running('over', 'f'), 'failed', 1);
    store.put([running('one', 'd'), running('two', 'd'), running('here', 'c'), submitting, ended]);
    monitor.pollNow();
    assert.deepEqual(requests.splice(0), [{ connectionId: 'd' }]);
    monitor.pollNow('two');
    assert.deepEqual(requests.splice(0), [{ connectionId: 'd', key: 'two' }]);
    for (const key of ['here', 'new', 'over', 'unknown']) monitor.pollNow(key);
    assert.deepEqual(requests, []);
  });

  it('polls immediately when another window requests it', async () => {
    store.put([running('k')]);
    await isSaved(1);
    pollRequested.fire({ connectionId: 'c', key: 'another' });
    await rig.clock.pass(500);
    assert.equal(countRequests(), 1);
    pollRequested.fire({ connectionId: 'c', key: 'k' });
    await rig.clock.pass(500);
    await isPolled(2);
  });

  it('ignores a response that comes after its connection was closed', async () => {
    const gate = delayResponse();
    store.put([running('k')]);
    await isPolled(1);
    rig.explorer.sessions.close('c');
    gate.release();
    session = await rig.connect();
    await session.client.databases();
    assert.deepEqual(
      saved.flat().filter(({ problem: failure }) => failure),
      [],
    );
  });

  it("doesn't restore a transfer that was removed during its poll", async () => {
    const gate = delayResponse();
    store.put([running('k')]);
    await isPolled(1);
    store.remove(['k']);
    gate.release();
    await passHour();
    assert.deepEqual([saved, store.getAll()], [[], []]);
  });

  it('keeps changes during a poll together with its response', async () => {
    const gate = delayResponse();
    store.put([running('k')]);
    await isPolled(1);
    store.put([{ ...running('k'), cancelAcceptedAt: 7 }]);
    gate.release();
    await isSaved(1);
    assert.deepEqual([store.get('k')?.state, store.get('k')?.cancelAcceptedAt], ['staging', 7]);
  });

  it("shows once on all transfers of a server that it doesn't respond, and on no others", async () => {
    const otherService = { ...session.service, address: 'http://127.0.0.1:9' };
    rig.explorer.sessions.add({ ...session, service: otherService, connection: { ...session.connection, id: 'd' } });
    rig.server.on(statusRequest, problem(503, 'down'));
    store.put([running('one'), running('elsewhere', 'd'), running('without a session', 'e')]);
    await eventually(async () => {
      await rig.clock.pass(1_000);
      return countRequests() >= 5 || undefined;
    });
    assert.equal(saved.length, 1, 'it is shown once');
    assert.deepEqual(
      saved[0]?.map(({ key, problem: failure }) => [key, failure?.kind]),
      [['one', 'serverError']],
    );
  });

  it('stops polling when it is disposed, and ignores later responses', async () => {
    const gate = delayResponse();
    store.put([running('k')]);
    await isPolled(1);
    monitor.dispose();
    gate.release();
    store.put([running('late')]);
    leaseChanged.fire();
    await passHour();
    assert.deepEqual([countRequests(), saved], [1, []]);
  });
});
