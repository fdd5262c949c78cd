import assert from 'node:assert/strict';
import { mergeTransfers } from '../../../src/core/transfers/transferLedger.ts';
import { withState, type Transfer, type TransferOrder } from '../../../src/core/model/transferModel.ts';
import { emptyHistory, applyReply, getServerFailure } from '../../../src/core/transfers/statusUpdates.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { Rig, until } from './rig.ts';
import { running } from './specimens.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const submissions = 'POST /api/v1/transfers';
const statuses = 'GET /api/v1/transfers/*';

describe('A response to a submission that belongs to another request (D35)', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on(submissions, json({ id }, 201));
    rig.server.on(statuses, json({ id, status: 'active', num_files: 1, num_files_transferred: 0 }));
  });
  afterEach(() => rig.end());

  it('leaves a submission not confirmed whose ID this window already has', async () => {
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    const second = await rig.explorer.transferFlow.submit(rig.order);
    assert.deepEqual([second.state, second.id], ['notConfirmed', undefined]);
    assert.deepEqual([second.problem?.code, second.problem?.detail], ['KNOWN_ID', id]);
  });

  it('leaves it not confirmed if another window has a transfer with that ID', async () => {
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    const other = rig.openWindow();
    await rig.connect(other);
    const second = await other.transferFlow.submit(rig.order);
    assert.deepEqual([second.state, second.problem?.code], ['notConfirmed', 'KNOWN_ID']);
  });

  it('leaves it not confirmed if a transfer of an earlier session had that ID', async () => {
    rig.server.on(statuses, json({ id, status: 'succeeded', num_files: 1, num_files_transferred: 1 }));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    const { transferStore } = rig.explorer;
    await until(transferStore.onDidChange, () => transferStore.getAll()[0]?.state === 'succeeded');
    await rig.explorer.transferFlow.save(transferStore.getAll()[0] ?? assert.fail());
    rig.restart();
    await rig.explorer.transferFlow.resume();
    await rig.connect();
    const second = await rig.explorer.transferFlow.submit(rig.order);
    assert.deepEqual([second.state, second.problem?.code], ['notConfirmed', 'KNOWN_ID']);
  });

  it('leaves it not confirmed if a transfer that was removed from the history had that ID', async () => {
    rig.server.on(statuses, json({ id, status: 'succeeded', num_files: 1, num_files_transferred: 1 }));
    await rig.connect();
    const { key } = await rig.explorer.transferFlow.submit(rig.order);
    const { transferStore } = rig.explorer;
    await until(transferStore.onDidChange, () => transferStore.get(key)?.state === 'succeeded');
    await rig.explorer.transferFlow.save(transferStore.get(key) ?? assert.fail());
    await rig.explorer.transferFlow.forget([key]);
    rig.restart();
    await rig.explorer.transferFlow.resume();
    await rig.connect();
    const second = await rig.explorer.transferFlow.submit(rig.order);
    assert.deepEqual([second.state, second.problem?.code], ['notConfirmed', 'KNOWN_ID']);
  });

  it('becomes permanently not confirmed if the first status counts more files than were requested', async () => {
    rig.server.on(statuses, json({ id, status: 'active', num_files: 7, num_files_transferred: 3 }));
    await rig.connect();
    const { key } = await rig.explorer.transferFlow.submit(rig.order);
    const { transferStore } = rig.explorer;
    await rig.advanceUntilSettled(
      until(transferStore.onDidChange, () => transferStore.get(key)?.state === 'notConfirmed'),
    );
    const { id: ownId, status, foreignIds, problem } = transferStore.get(key) ?? assert.fail();
    assert.deepEqual([ownId, status, foreignIds], [undefined, undefined, [id]]);
    assert.deepEqual([problem?.kind, problem?.code, problem?.detail], ['foreignAnswer', 'TOO_MANY_FILES', id]);
    await rig.explorer.transferFlow.save(transferStore.get(key) ?? assert.fail());
    rig.restart();
    await rig.explorer.transferFlow.resume();
    assert.equal(rig.explorer.transferStore.get(key)?.state, 'notConfirmed');
  });

  it('becomes not confirmed if the first status names another size than that of the requested files', async () => {
    const message = `Transfer ${id}: staging 1 file(s) (0.00136 GB)`;
    rig.server.on(statuses, json({ id, status: 'staging', message, num_files: 1, num_files_transferred: 0 }));
    await rig.connect();
    const files = [{ id: 'f', name: 'f', sizeBytes: 10 }];
    const { key } = await rig.explorer.transferFlow.submit({ ...rig.order, files });
    const { transferStore } = rig.explorer;
    await rig.advanceUntilSettled(until(transferStore.onDidChange, () => transferStore.get(key)?.state !== 'accepted'));
    const { state, id: ownId, foreignIds, problem } = transferStore.get(key) ?? assert.fail();
    assert.deepEqual([state, ownId, foreignIds, problem?.code], ['notConfirmed', undefined, [id], 'OTHER_SIZE']);
  });

  for (const text of ["The database 'neon' was not found", 'the transfer belongs to 0000-0001-5109-3700']) {
    it(`does not cancel a transfer, and leaves its row unchanged: ${text}`, async () => {
      await rig.connect();
      const { key } = await rig.explorer.transferFlow.submit(rig.order);
      const before = rig.explorer.transferStore.get(key);
      rig.server.on('DELETE /api/v1/transfers/*', problem(404, text));
      const reason = await rig.explorer.transferFlow.cancel(key);
      assert.deepEqual([reason?.kind, reason?.detail], ['foreignAnswer', undefined]);
      assert.deepEqual(rig.explorer.transferStore.get(key), before);
      assert.equal(before?.id, id);
    });
  }

  it('is not assumed of a cancel if the refusal names the transfer, so that its owner is shown', async () => {
    await rig.connect();
    const { key } = await rig.explorer.transferFlow.submit(rig.order);
    const text = `transfer ${id} belongs to 0000-0001-5109-3700`;
    rig.server.on('DELETE /api/v1/transfers/*', problem(403, text));
    const reason = await rig.explorer.transferFlow.cancel(key);
    assert.deepEqual([reason?.kind, reason?.detail], ['forbidden', text]);
    assert.equal(rig.explorer.transferStore.get(key)?.id, id);
  });

  it('does not count towards the three 404 of an expired transfer, and is no failure of the service (D11)', () => {
    const foreign = { reason: { kind: 'foreignAnswer', code: 'OTHER_REFUSAL', status: 404 } } as const;
    const notFound = { reason: { kind: 'notFound', status: 404 } } as const;
    let [transfer, history]: ReturnType<typeof applyReply> = [running, emptyHistory];
    for (const reply of [foreign, foreign, foreign, notFound, foreign, notFound, foreign]) {
      [transfer, history] = applyReply(transfer, history, reply, 9);
      assert.equal(transfer, running);
    }
    assert.equal(applyReply(transfer, history, notFound, 9)[0].state, 'expired');
    assert.equal(getServerFailure(foreign.reason), undefined);
  });

  describe('a status that counts more files than were requested', () => {
    const two = { ...running, id, order: { ...running.order, files: [1, 2].map((n) => ({ id: `f${n}`, name: 'f' })) } };
    const own = { status: 'active', fileCount: 2, movedFileCount: 1 };
    const foreign = { status: 'failed', fileCount: 5, movedFileCount: 4, doubtful: true };
    const read = (transfer: Transfer, value: typeof own): Transfer =>
      applyReply(transfer, emptyHistory, { value }, 9)[0];

    it('does not affect a transfer that had a status of its own', () => {
      const read2 = read({ ...two, status: own }, foreign);
      assert.deepEqual([read2.state, read2.id], ['active', id]);
      assert.deepEqual(read2.status, { ...own, doubtful: true });
      assert.deepEqual(read(read2, foreign), { ...read2, askedAt: 9 }, 'nor does a second one in a row');
    });

    it('is ignored for a transfer that was started elsewhere, or whose count the user accepted', () => {
      assert.equal(read({ ...two, startedElsewhere: true }, foreign).id, id);
      assert.equal(read({ ...two, status: { ...own, fileCount: 5 } }, foreign).id, id);
    });
  });

  it('is not reverted by the older record of another window', () => {
    const before: Transfer = { ...running, id, status: { status: 'active', fileCount: 9 }, askedAt: 5 };
    const now: Transfer = { ...withState(running, 'notConfirmed', 6), foreignIds: [id] };
    Reflect.deleteProperty(now, 'id');
    const confirmed: Transfer = { ...withState(now, 'active', 7), id: id.replace('3f', '4f') };
    for (const [one, other] of [
      [before, now],
      [now, before],
    ] as const) {
      assert.deepEqual(mergeTransfers(one, other), now);
    }
    assert.equal(mergeTransfers(before, confirmed).id, confirmed.id);
    assert.equal(mergeTransfers(confirmed, now).state, 'active');
    const accepted: Transfer = { ...withState(now, 'active', 8), id };
    assert.equal(mergeTransfers(now, accepted).id, id);
    assert.equal(mergeTransfers(accepted, now).state, 'active');
  });
});

describe('The naming of databases on a server (D7, D36)', () => {
  let rig: Rig;
  let order: TransferOrder;
  beforeEach(async () => {
    rig = await Rig.start();
    rig.savedDialects = undefined;
    rig.restart();
    rig.server.on(submissions, json({ id }, 201));
    rig.server.on(statuses, json({ id, status: 'active' }));
    order = { ...rig.order, files: ['f1', 'f2'].map((file) => ({ id: file, name: file })) };
  });
  afterEach(() => rig.end());

  const lookups = 'GET /api/v1/files/by-id';
  const acceptOnly = (...databases: readonly string[]): void => {
    rig.server.on(lookups, async (request, response) => {
      const isKnown = databases.includes(request.query.get('database') ?? '');
      await (isKnown ? json({ resources: [] }) : problem(404, 'no such database'))(request, response);
    });
  };
  const sent = (): readonly unknown[] =>
    rig.server.requestsTo(submissions).map(({ body }) => {
      const { source, destination } = JSON.parse(body) as Record<string, string>;
      return [source, destination];
    });

  it('is learned by a metadata request before the first submission to this version, for both databases', async () => {
    acceptOnly('a', 'b');
    await rig.connect();
    assert.equal((await rig.explorer.transferFlow.submit(order)).state, 'accepted');
    assert.deepEqual(sent(), [['a', 'b']]);
    assert.equal(rig.server.requestsTo(lookups)[0]?.query.get('ids'), 'f1,f2');
  });

  it('is learned once, even if the server uses names', async () => {
    acceptOnly('Alpha', 'Beta');
    await rig.connect();
    for (let times = 0; times < 2; times++) {
      rig.server.on(submissions, json({ id: id.replace('3f', `${times}f`) }, 201));
      await rig.explorer.transferFlow.submit(order);
    }
    assert.deepEqual(sent(), [
      ['Alpha', 'Beta'],
      ['Alpha', 'Beta'],
    ]);
    assert.equal(rig.server.requestsTo(lookups).length, 1);
  });

  it('is learned again after an upgrade of the server', async () => {
    acceptOnly('Alpha', 'Beta');
    await rig.connect();
    await rig.explorer.transferFlow.submit(order);
    rig.server.on('GET /', json({ name: 'Test service', version: '1.3.0' }));
    rig.server.on(submissions, json({ id: id.replace('3f', '4f') }, 201));
    acceptOnly('a', 'b');
    await rig.connect();
    assert.equal((await rig.explorer.transferFlow.submit(order)).state, 'accepted');
    assert.deepEqual(sent()[1], ['a', 'b']);
  });

  it('stays unknown if the metadata request fails: nothing is sent or replaced', async () => {
    rig.server.on(lookups, problem(400, 'no such file'));
    await rig.connect();
    const lost = withState({ ...running, key: 'lost' }, 'notConfirmed', 5);
    await rig.explorer.transferFlow.save(lost);
    const { state, problem: failure } = await rig.explorer.transferFlow.submit(order, 'lost');
    assert.deepEqual([state, failure?.kind, failure?.cause?.detail], ['refused', 'lookupFailed', 'no such file']);
    assert.deepEqual(sent(), []);
    assert.equal(rig.explorer.transferStore.get('lost')?.state, 'notConfirmed');
  });

  it('is irrelevant if names and IDs are the same', async () => {
    rig.server.on('GET /api/v1/databases', json(['Alpha', 'Beta'].map((name) => ({ id: name, name }))));
    await rig.connect();
    await rig.explorer.transferFlow.submit(order);
    assert.deepEqual(sent(), [['Alpha', 'Beta']]);
    assert.equal(rig.server.requestsTo(lookups).length, 0);
  });

  it('is learned at the destination if the name of the source is its ID', async () => {
    const listed = [
      { id: 'Alpha', name: 'Alpha' },
      { id: 'b', name: 'Beta' },
    ];
    rig.server.on('GET /api/v1/databases', json(listed));
    acceptOnly('Alpha');
    rig.server.on('POST /api/v1/files', async (request, response) => {
      const isKnown = (JSON.parse(request.body) as { readonly database: string }).database === 'b';
      await (isKnown ? json({ resources: [] }) : problem(404, 'no such database'))(request, response);
    });
    await rig.connect();
    const { state, problem: failure } = await rig.explorer.transferFlow.submit(order);
    assert.deepEqual([state, failure], ['accepted', undefined]);
    assert.deepEqual(sent(), [['Alpha', 'b']]);
  });

  it('is never guessed by a submission: a refused one is not sent again', async () => {
    acceptOnly('Alpha', 'Beta');
    rig.server.on(submissions, problem(404, 'Destination database not found: Beta'));
    await rig.connect();
    assert.equal((await rig.explorer.transferFlow.submit(order)).state, 'refused');
    assert.equal(sent().length, 1);
  });
});
