import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transfer.ts';
import { pollIntervalMs, retryWaitMs } from '../../../src/core/monitor/pollSchedule.ts';
import { withNotFound, withStatus, type Watch } from '../../../src/core/monitor/statusReading.ts';
import { busy, dropBeforeAnswer, json, problem } from '../../support/faultBehaviours.ts';
import { Rig, until } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const order = { connectionId: 'c', orcid: 'o', source: 's', destination: 'd', files: [] };
const running: Transfer = { key: 'k', order, id, createdAt: 0, state: 'active', changes: [{ state: 'active', at: 0 }] };
const watch: Watch = { dueAt: 0, movedAt: 0, notFound: 0, unheeded: 0 };
const [second, minute, hour] = [1000, 60_000, 3_600_000];

describe('How often a running transfer is asked for (D33)', () => {
  const pace = { shortestMs: second, hasFocus: true, movedAt: 0 };
  const rows: readonly [string, number, Partial<typeof pace>, Partial<Transfer>, number][] = [
    ['at least a second', 2 * second, {}, {}, second],
    ['a tenth of its age', 100 * second, {}, {}, 10 * second],
    ['at most a minute', 30 * minute, {}, {}, minute],
    ['the setting, where that is more', 2 * second, { shortestMs: 5 * second }, {}, 5 * second],
    ['the setting, also where that is more than a minute', 30 * minute, { shortestMs: 2 * minute }, {}, 2 * minute],
    ['half as often without the focus', 100 * second, { hasFocus: false }, {}, 20 * second],
    ['every five minutes when nothing has moved for an hour', hour, {}, {}, 5 * minute],
    ['as before when it moved within the hour', 2 * hour, { movedAt: 2 * hour - minute }, {}, minute],
    ['every ten minutes when a cancel is not heeded', minute, {}, { cancelUnheeded: true }, 10 * minute],
  ];
  for (const [what, age, change, transfer, wanted] of rows) {
    it(what, () => {
      assert.equal(pollIntervalMs({ ...running, ...transfer }, age, { ...pace, ...change }), wanted);
    });
  }

  it('waits after failures from two seconds, doubling to five minutes, each a quarter more or less', () => {
    assert.deepEqual(
      [1, 2, 3, 20].map((failures) => retryWaitMs(failures, 0.5)),
      [2 * second, 4 * second, 8 * second, 5 * minute],
    );
    assert.deepEqual([retryWaitMs(1, 0), retryWaitMs(1, 1)], [1500, 2500]);
  });
});

describe('Reading an answer', () => {
  it('believes the third "not found" in a row, not the first (D11)', () => {
    const [once, seen] = withNotFound(running, watch, 1);
    const [twice, again] = withNotFound(once, seen, 2);
    const [thrice] = withNotFound(twice, again, 3);
    assert.deepEqual([once.state, twice.state, thrice.state], ['active', 'active', 'expired']);
  });

  it('forgets a "not found" when the transfer is there again (D11)', () => {
    const [, seen] = withNotFound(running, watch, 1);
    assert.equal(withStatus(running, seen, { status: 'active' }, 2)[1].notFound, 0);
  });

  it('says after five unchanged answers that a cancel is not heeded (D13)', () => {
    let [transfer, seen]: [Transfer, Watch] = [{ ...running, state: 'staging', cancelAcceptedAt: 1 }, watch];
    const unheeded = [1, 2, 3, 4, 5].map((at) => {
      [transfer, seen] = withStatus(transfer, seen, { status: 'staging' }, at);
      return transfer.cancelUnheeded ?? false;
    });
    assert.deepEqual(unheeded, [false, false, false, false, true]);
    [transfer] = withStatus(transfer, seen, { status: 'failed', message: 'canceled' }, 6);
    assert.deepEqual([transfer.state, transfer.cancelUnheeded], ['cancelled', undefined]);
  });

  it('allows everything to be absent (D10)', () => {
    assert.equal(withStatus(running, watch, {}, 1)[0].state, 'unknown');
  });
});

describe('The monitor', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
  });
  afterEach(() => rig.end());

  const status = (word: string, moved: number): ReturnType<typeof json> =>
    json({ id, status: word, num_files: 1, num_files_transferred: moved });
  const isState = (state: string) => (): boolean => rig.explorer.transferStore.all()[0]?.state === state;
  const seen = (state: string): Promise<void> => until(rig.explorer.transferStore.onDidChange, isState(state));

  it('follows a transfer to its end, keeps every change, and then asks no more', async () => {
    rig.server.on('GET /api/v1/transfers/*', status('staging', 0), status('active', 0), status('succeeded', 1));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await seen('staging');
    await rig.clock.pass(second);
    await seen('active');
    await rig.clock.pass(second);
    await seen('succeeded');
    await rig.clock.pass(hour);
    const [transfer] = rig.explorer.transferStore.all();
    assert.deepEqual(
      transfer?.changes.map(({ state }) => state),
      ['submitting', 'accepted', 'staging', 'active', 'succeeded'],
    );
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 3);
  });

  it('waits when the network is away, says since when, and goes on', async () => {
    rig.server.on('GET /api/v1/transfers/*', status('active', 0), problem(400, 'odd'), status('succeeded', 1));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await seen('active');
    await rig.clock.pass(second);
    const { transferStore } = rig.explorer;
    await until(transferStore.onDidChange, () => transferStore.all()[0]?.problem?.detail === 'odd');
    assert.equal(transferStore.all()[0]?.state, 'active');
    await rig.clock.pass(3 * second);
    await seen('succeeded');
    assert.equal(transferStore.all()[0]?.problem, undefined);
  });

  it('waits as long as the server asks for (D33)', async () => {
    rig.server.on('GET /api/v1/transfers/*', busy(503, '120'), status('succeeded', 1));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    const { transferStore } = rig.explorer;
    await until(transferStore.onDidChange, () => transferStore.all()[0]?.problem?.retryAfterMs === 120_000);
    await rig.clock.pass(119 * second);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 1);
    await rig.clock.pass(2 * second);
    await seen('succeeded');
  });

  it('goes on after the end of the window, from the ledger', async () => {
    rig.server.on('GET /api/v1/transfers/*', status('active', 0), status('succeeded', 1));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await seen('active');
    rig.restart();
    await rig.explorer.transferFlow.resume();
    assert.equal(rig.explorer.transferStore.running()[0]?.id, id);
    await rig.connect();
    await seen('succeeded');
    assert.equal(rig.explorer.transferStore.finished().length, 1);
  });

  it('asks at once when told to, whatever the schedule says', async () => {
    rig.server.on('GET /api/v1/transfers/*', status('active', 0), status('succeeded', 1));
    await rig.connect();
    const { key } = await rig.explorer.transferFlow.submit(rig.order);
    await seen('active');
    rig.explorer.monitor.askNow(key);
    await seen('succeeded');
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 2);
  });

  it('never asks for a submission that was not confirmed', async () => {
    rig.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await rig.clock.pass(hour);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 0);
  });
});
