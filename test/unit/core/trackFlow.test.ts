import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { dropBeforeAnswer, json, problem, silence } from '../../support/faultBehaviors.ts';
import { eventually } from '../../support/eventually.ts';
import { Rig } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const active = { id, status: 'active', num_files: 5, num_files_transferred: 2 };

describe('Tracking transfers by their ID', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    await rig.connect();
    rig.server.on('GET /api/v1/transfers/*', json(active), silence());
  });
  afterEach(() => rig.end());

  const notConfirmed = async (): Promise<Transfer> => {
    rig.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    return await rig.explorer.transferFlow.submit(rig.order);
  };
  const status = { status: 'active', fileCount: 5, movedFileCount: 2, id };
  const afterRestart = async (): Promise<readonly Transfer[]> => {
    rig.restart();
    await rig.explorer.transferFlow.resume();
    return rig.explorer.transferStore.getAll();
  };

  it('requests the status once (§4.6)', async () => {
    const found = await rig.explorer.trackFlow.lookUp('c', id);
    assert.deepEqual(found.kind === 'found' && found.status, status);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 1);
    assert.deepEqual(rig.explorer.transferStore.getAll(), []);
  });

  it('reports why there is no status', async () => {
    rig.server.on('GET /api/v1/transfers/*', problem(404, 'transfer not found'));
    const found = await rig.explorer.trackFlow.lookUp('c', id);
    assert.equal(found.kind === 'failed' && found.reason.kind, 'notFound');
    const elsewhere = await rig.explorer.trackFlow.lookUp('another', id);
    assert.equal(elsewhere.kind === 'failed' && elsewhere.reason.kind, 'notConnected');
  });

  it('saves a transfer that was started elsewhere with what the service reports', async () => {
    await rig.explorer.trackFlow.track('c', 'me', id, status);
    const [saved] = await afterRestart();
    assert.deepEqual(
      [saved?.id, saved?.state, saved?.status, saved?.startedElsewhere, saved?.order.orcid, saved?.order.files],
      [id, 'active', status, true, 'me', []],
    );
  });

  it('records the name of the connection, also of a submission', async () => {
    const { service } = await rig.explorer.trackFlow.track('c', 'me', id, status);
    assert.deepEqual([service, (await notConfirmed()).service], ['Test', 'Test']);
    const recorded = (await afterRestart()).map((one) => one.service);
    assert.deepEqual(recorded, ['Test', 'Test']);
  });

  it('does not end a transfer by a doubtful status (D11)', async () => {
    const doubtful = { ...status, status: 'failed', doubtful: true };
    const taken = await rig.explorer.trackFlow.track('c', 'me', id, doubtful);
    const { key } = await notConfirmed();
    const confirmed = await rig.explorer.trackFlow.confirm(key, id, doubtful);
    const states = [taken, confirmed].map((one) => one?.changes.map(({ state }) => state));
    assert.deepEqual(
      states.flat().filter((state) => state === 'failed'),
      [],
    );
    assert.deepEqual(
      [states[0]?.[0], states[1]?.slice(0, 3)],
      ['accepted', ['submitting', 'notConfirmed', 'accepted']],
    );
  });

  it('polls it like any other', async () => {
    await rig.explorer.trackFlow.track('c', 'me', id, status);
    await rig.server.received(3);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 1);
  });

  it('finds a known transfer without a request, even one that ended in an earlier session', async () => {
    const { key } = await rig.explorer.trackFlow.track('c', 'me', id, { ...status, status: 'succeeded' });
    rig.restart();
    await rig.explorer.transferFlow.resume();
    assert.deepEqual(rig.explorer.transferStore.getAll(), []);
    const found = await rig.explorer.trackFlow.lookUp('c', id);
    assert.equal(found.kind === 'known' && found.transfer.key, key);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 0);
  });

  it('requests the status of a running transfer that is saved for a connection not open here', async () => {
    const { connectFlow, trackFlow } = rig.explorer;
    await trackFlow.track('c', 'me', id, status);
    await connectFlow.open({ ...rig.connection, id: 'lab' }, 'the-key');
    const followed = await trackFlow.lookUp('lab', id);
    assert.equal(followed.kind, 'known', 'as long as the connection is open');
    connectFlow.close('c');
    rig.server.on('GET /api/v1/transfers/*', json(active));
    const frozen = await trackFlow.lookUp('lab', id);
    assert.deepEqual(frozen.kind === 'found' && frozen.status, status);
  });

  it('assigns the ID to a transfer that was not confirmed, in the same record (D12)', async () => {
    const { key } = await notConfirmed();
    await rig.explorer.trackFlow.confirm(key, id, status);
    const saved = await afterRestart();
    assert.deepEqual(
      saved.map((one) => [one.key, one.id, one.state, one.problem, one.order]),
      [[key, id, 'active', undefined, rig.order]],
    );
    assert.deepEqual(
      saved[0]?.changes.map(({ state }) => state),
      ['submitting', 'notConfirmed', 'active'],
    );
  });

  it('assigns no ID to a transfer in any other state', async () => {
    rig.server.on('POST /api/v1/transfers', problem(400, 'no'));
    const { key } = await rig.explorer.transferFlow.submit(rig.order);
    assert.equal(await rig.explorer.trackFlow.confirm(key, id, status), undefined);
    assert.equal(rig.explorer.transferStore.get(key)?.id, undefined);
  });

  it('ends one that never started as replaced by the one submitted instead (D12)', async () => {
    const old = await notConfirmed();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    const { key } = await rig.explorer.transferFlow.submit(rig.order, old.key);
    const given = rig.explorer.transferStore.get(old.key);
    assert.deepEqual([given?.state, given?.replacedBy], ['refused', key]);
    assert.deepEqual(rig.explorer.transferStore.getNotConfirmed(), []);
  });

  it('replaces none if the new one is withdrawn while it waits for its turn (D34)', async () => {
    const old = await notConfirmed();
    rig.server.on('POST /api/v1/transfers', silence());
    const first = rig.explorer.transferFlow.submit(rig.order);
    await eventually(() => Promise.resolve(rig.server.requestsTo('POST /api/v1/transfers').length === 2 || undefined));
    const withdrawal = new AbortController();
    const observer = { didWait: () => withdrawal.abort() };
    const turn = { observer, signal: withdrawal.signal };
    const { state } = await rig.explorer.transferFlow.submit(rig.order, old.key, turn);
    const saved = rig.explorer.transferStore.get(old.key);
    assert.deepEqual([state, saved?.state, saved?.replacedBy], ['cancelled', 'notConfirmed', undefined]);
    rig.explorer.connectFlow.disconnect();
    await first;
  });

  it('replaces none if the new one cannot be sent (D36)', async () => {
    const old = await notConfirmed();
    const { transferFlow, transferStore, connectFlow } = rig.explorer;
    const invalid = await transferFlow.submit({ ...rig.order, description: 5 as never }, old.key);
    connectFlow.disconnect();
    const unconnected = await transferFlow.submit(rig.order, old.key);
    const problems = [invalid, unconnected].map(({ problem: given }) => given?.kind);
    assert.deepEqual(problems, ['badArgument', 'notConnected']);
    const saved = transferStore.get(old.key);
    assert.deepEqual([saved?.state, saved?.replacedBy], ['notConfirmed', undefined]);
  });

  it('replaces none that has ended or is running', async () => {
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    const old = await rig.explorer.transferFlow.submit(rig.order);
    await rig.explorer.transferFlow.submit(rig.order, old.key);
    assert.equal(rig.explorer.transferStore.get(old.key)?.replacedBy, undefined);
  });

  it('restores removed transfers, in the window and in the ledger', async () => {
    const { key } = await notConfirmed();
    const { transferFlow, transferStore } = rig.explorer;
    const forgotten = transferStore.getAll();
    await transferFlow.forget([key]);
    assert.deepEqual(transferStore.getAll(), []);
    await transferFlow.restore([key]);
    assert.deepEqual(transferStore.getAll(), forgotten);
    assert.deepEqual(await afterRestart(), forgotten);
  });
});
