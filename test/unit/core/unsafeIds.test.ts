import assert from 'node:assert/strict';
import { mayHaveStoppedServer } from '../../../src/core/model/transferOutcome.ts';
import type { Transfer, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { UnsafeIds } from '../../../src/core/search/metadataFlow.ts';
import { dropBeforeAnswer, json, problem, type Behavior } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

const route = 'POST /api/v1/files/by-id';

describe('Ids that may crash a server (D37)', () => {
  let rig: Rig;
  let crashing: readonly string[];
  let unknown: readonly string[];
  beforeEach(async () => {
    rig = await Rig.start();
    crashing = ['bad'];
    unknown = [];
    const respond: Behavior = async (request, response) => {
      const { file_ids: ids } = JSON.parse(request.body) as { file_ids: string[] };
      const isBad = ids.some((id) => crashing.includes(id));
      const resources = ids.filter((id) => !unknown.includes(id)).map((id) => ({ id }));
      await (isBad ? dropBeforeAnswer() : json({ resources }))(request, response);
    };
    rig.server.on(route, respond);
  });
  afterEach(() => rig.end());

  const order = (...ids: string[]): TransferOrder => ({
    ...rig.order,
    files: ids.map((id) => ({ id, name: id })),
  });

  it('are known from a search by ids, until a request for them gets a response', async () => {
    const { searchFlow, metadataFlow, searchStore } = rig.explorer;
    const query = { database: 'Alpha', query: '', pageSize: 10, ids: ['f1', 'bad', 'f2'] };
    await rig.advanceUntilSettled(searchFlow.run(await rig.connect(), query));
    const [search] = searchStore.getAll();
    assert.deepEqual([search?.files.length, search?.missing.map(({ id }) => id)], [2, ['bad']]);
    assert.deepEqual(metadataFlow.findUnsafeIds(order('f1', 'bad')), ['bad']);
    assert.deepEqual(metadataFlow.findUnsafeIds({ ...order('bad'), source: 'Beta' }), []);
    crashing = [];
    await rig.advanceUntilSettled(metadataFlow.fetchFiles('c', 'Alpha', ['bad']));
    assert.deepEqual(metadataFlow.findUnsafeIds(order('bad')), []);
  });

  it('are known from a search by ids that finds none of the others, which are listed as missing', async () => {
    const { searchFlow, metadataFlow, searchStore } = rig.explorer;
    unknown = ['f1'];
    const query = { database: 'Alpha', query: '', pageSize: 10, ids: ['bad', 'f1'] };
    await rig.advanceUntilSettled(searchFlow.run(await rig.connect(), query));
    const [search] = searchStore.getAll();
    assert.deepEqual([search?.reason, search?.missing.map(({ id }) => id)], [undefined, ['bad', 'f1']]);
    assert.deepEqual(metadataFlow.findUnsafeIds(order('f1', 'bad')), ['bad']);
  });

  it('are found by a check before a transfer is submitted again, which covers all ids', async () => {
    await rig.connect();
    const { metadataFlow } = rig.explorer;
    const unchecked = await rig.advanceUntilSettled(metadataFlow.findUncheckedIds(order('f1', 'f2', 'bad', 'f3')));
    assert.deepEqual([unchecked, metadataFlow.findUnsafeIds(order('f1', 'bad'))], [[], ['bad']]);
  });

  it("count as unchecked if they couldn't be looked up", async () => {
    await rig.connect();
    const { metadataFlow } = rig.explorer;
    rig.server.on(route, problem(503, 'unavailable'));
    assert.deepEqual(await rig.advanceUntilSettled(metadataFlow.findUncheckedIds(order('f1', 'f2'))), ['f1', 'f2']);
    rig.explorer.connectFlow.disconnect();
    assert.deepEqual(await metadataFlow.findUncheckedIds(order('f1')), ['f1']);
  });

  it('are stored for each database of each connection', () => {
    const ids = new UnsafeIds();
    ids.update('c', 'Alpha', ['a', 'b'], []);
    ids.update('c', 'Beta', ['c'], []);
    ids.update('c', 'Alpha', [], ['a', 'x']);
    assert.deepEqual(ids.filterUnsafe('c', 'Alpha', ['a', 'b', 'c']), ['b']);
    assert.deepEqual(ids.filterUnsafe('d', 'Alpha', ['b']), []);
  });

  for (const [name, transfer, isSuspected] of [
    ['a lost connection', { state: 'notConfirmed', problem: { kind: 'dropped', maybeDone: true } }, true],
    ['a gateway error', { state: 'notConfirmed', problem: { kind: 'serverError', status: 502 } }, true],
    ['a time limit', { state: 'notConfirmed', problem: { kind: 'timeout', maybeDone: true } }, false],
    ['a poll that failed', { state: 'active', problem: { kind: 'dropped' } }, false],
  ] as const satisfies readonly (readonly [string, Pick<Transfer, 'state' | 'problem'>, boolean])[]) {
    it(`are ${isSuspected ? '' : 'not '}suspected after ${name}`, () => {
      assert.equal(
        mayHaveStoppedServer({ ...transfer, key: 'k', order: rig.order, createdAt: 0, changes: [] }),
        isSuspected,
      );
    });
  }
});
