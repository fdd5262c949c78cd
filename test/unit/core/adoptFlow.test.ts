import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transfer.ts';
import { dropBeforeAnswer, json, problem, silence } from '../../support/faultBehaviours.ts';
import { eventually } from '../../support/eventually.ts';
import { Rig } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const active = { id, status: 'active', num_files: 5, num_files_transferred: 2 };

describe('Taking over transfers by their id', () => {
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
  const told = { status: 'active', fileCount: 5, movedFileCount: 2, id };
  const afterRestart = async (): Promise<readonly Transfer[]> => {
    rig.restart();
    await rig.explorer.transferFlow.resume();
    return rig.explorer.transferStore.all();
  };

  it('asks the service once (§4.6)', async () => {
    const look = await rig.explorer.adoptFlow.look('c', id);
    assert.deepEqual(look.kind === 'told' && look.status, told);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 1);
    assert.deepEqual(rig.explorer.transferStore.all(), []);
  });

  it('says why the service tells nothing', async () => {
    rig.server.on('GET /api/v1/transfers/*', problem(404, 'transfer not found'));
    const look = await rig.explorer.adoptFlow.look('c', id);
    assert.equal(look.kind === 'failed' && look.reason.kind, 'notFound');
    const elsewhere = await rig.explorer.adoptFlow.look('another', id);
    assert.equal(elsewhere.kind === 'failed' && elsewhere.reason.kind, 'notConnected');
  });

  it('knows one that was started elsewhere only as far as the service tells, and keeps it', async () => {
    await rig.explorer.adoptFlow.takeOver('c', 'me', id, told);
    const [kept] = await afterRestart();
    assert.deepEqual(
      [kept?.id, kept?.state, kept?.status, kept?.startedElsewhere, kept?.order.orcid, kept?.order.files],
      [id, 'active', told, true, 'me', []],
    );
  });

  it('takes no end from a status that seems to be about another transfer (D11)', async () => {
    const doubtful = { ...told, status: 'failed', doubtful: true };
    const taken = await rig.explorer.adoptFlow.takeOver('c', 'me', id, doubtful);
    const { key } = await notConfirmed();
    const confirmed = await rig.explorer.adoptFlow.confirm(key, id, doubtful);
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

  it('asks for it on like for any other', async () => {
    await rig.explorer.adoptFlow.takeOver('c', 'me', id, told);
    await rig.server.received(3);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 1);
  });

  it('finds one that is known without asking, also one that ended in an earlier session', async () => {
    const { key } = await rig.explorer.adoptFlow.takeOver('c', 'me', id, { ...told, status: 'succeeded' });
    rig.restart();
    await rig.explorer.transferFlow.resume();
    assert.deepEqual(rig.explorer.transferStore.all(), []);
    const look = await rig.explorer.adoptFlow.look('c', id);
    assert.equal(look.kind === 'known' && look.transfer.key, key);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 0);
  });

  it('gives one that was not confirmed its id, in the same record (D12)', async () => {
    const { key } = await notConfirmed();
    await rig.explorer.adoptFlow.confirm(key, id, told);
    const kept = await afterRestart();
    assert.deepEqual(
      kept.map((one) => [one.key, one.id, one.state, one.problem, one.order]),
      [[key, id, 'active', undefined, rig.order]],
    );
    assert.deepEqual(
      kept[0]?.changes.map(({ state }) => state),
      ['submitting', 'notConfirmed', 'active'],
    );
  });

  it('gives no id to a transfer whose standing is known', async () => {
    rig.server.on('POST /api/v1/transfers', problem(400, 'no'));
    const { key } = await rig.explorer.transferFlow.submit(rig.order);
    assert.equal(await rig.explorer.adoptFlow.confirm(key, id, told), undefined);
    assert.equal(rig.explorer.transferStore.get(key)?.id, undefined);
  });

  it('gives one that never began up for the one that is submitted instead (D12)', async () => {
    const old = await notConfirmed();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    const { key } = await rig.explorer.transferFlow.submit(rig.order, old.key);
    const given = rig.explorer.transferStore.get(old.key);
    assert.deepEqual([given?.state, given?.replacedBy], ['refused', key]);
    assert.deepEqual(rig.explorer.transferStore.notConfirmed(), []);
  });

  it('gives up nothing for one that is withdrawn while it waits for its turn (D34)', async () => {
    const old = await notConfirmed();
    rig.server.on('POST /api/v1/transfers', silence());
    const first = rig.explorer.transferFlow.submit(rig.order);
    await eventually(() => Promise.resolve(rig.server.requestsTo('POST /api/v1/transfers').length === 2 || undefined));
    const withdrawal = new AbortController();
    const observer = { didWait: () => withdrawal.abort() };
    const turn = { observer, signal: withdrawal.signal };
    const { state } = await rig.explorer.transferFlow.submit(rig.order, old.key, turn);
    const kept = rig.explorer.transferStore.get(old.key);
    assert.deepEqual([state, kept?.state, kept?.replacedBy], ['cancelled', 'notConfirmed', undefined]);
    rig.explorer.connectFlow.disconnect();
    await first;
  });

  it('gives up none that has ended, or runs', async () => {
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    const old = await rig.explorer.transferFlow.submit(rig.order);
    await rig.explorer.transferFlow.submit(rig.order, old.key);
    assert.equal(rig.explorer.transferStore.get(old.key)?.replacedBy, undefined);
  });

  it('brings back what was forgotten, here and in the ledger', async () => {
    const { key } = await notConfirmed();
    const { transferFlow, transferStore } = rig.explorer;
    const forgotten = transferStore.all();
    await transferFlow.forget([key]);
    assert.deepEqual(transferStore.all(), []);
    await transferFlow.restore([key]);
    assert.deepEqual(transferStore.all(), forgotten);
    assert.deepEqual(await afterRestart(), forgotten);
  });
});
