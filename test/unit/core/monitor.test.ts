import assert from 'node:assert/strict';
import {
  busy,
  dropBeforeAnswer,
  json,
  problem,
  resetBeforeAnswer,
  type Behavior,
} from '../../support/faultBehaviors.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { Rig, until } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const other = '7a1b2c3d-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const [second, hour] = [1000, 3_600_000];

describe('The monitor', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
  });
  afterEach(() => rig.end());

  const status = (word: string, moved: number): ReturnType<typeof json> =>
    json({ id, status: word, num_files: 1, num_files_transferred: moved });
  const isState = (state: string) => (): boolean => rig.explorer.transferStore.getAll()[0]?.state === state;
  const seen = (state: string): Promise<void> => until(rig.explorer.transferStore.onDidChange, isState(state));
  const problems = (): readonly (string | undefined)[] =>
    rig.explorer.transferStore.getAll().map((transfer: Transfer) => transfer.problem?.kind);
  const countRequests = (): number => rig.server.requestsTo('GET /api/v1/transfers/*').length;
  const countPolls = (transfer: string): number => rig.server.requestsTo(`GET /api/v1/transfers/${transfer}`).length;

  /** Submits two transfers and waits until both are active. */
  async function submitTwo(): Promise<void> {
    rig.server.on('POST /api/v1/transfers', json({ id }, 201), json({ id: other }, 201));
    rig.server.on('GET /api/v1/transfers/*', reportRequested);
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await rig.explorer.transferFlow.submit(rig.order);
    await rig.advanceUntilSettled(until(rig.explorer.transferStore.onDidChange, areActive));
  }

  const areActive = (): boolean => rig.explorer.transferStore.getAll().every(({ state }) => state === 'active');

  it('polls a transfer until its end, stores every change, and then stops', async () => {
    rig.server.on('GET /api/v1/transfers/*', status('staging', 0), status('active', 0), status('succeeded', 1));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await seen('staging');
    await rig.clock.pass(second);
    await seen('active');
    await rig.clock.pass(second);
    await seen('succeeded');
    await rig.clock.pass(hour);
    const [transfer] = rig.explorer.transferStore.getAll();
    assert.deepEqual(
      transfer?.changes.map(({ state }) => state),
      ['submitting', 'accepted', 'staging', 'active', 'succeeded'],
    );
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 3);
  });

  it('shows on all transfers that the network is down, and clears that when it is back (D33)', async () => {
    await submitTwo();
    rig.server.on('GET /api/v1/transfers/*', resetBeforeAnswer());
    rig.explorer.monitor.pollNow();
    await rig.advanceUntilSettled(until(rig.explorer.transferStore.onDidChange, () => problems().includes('dropped')));
    assert.deepEqual(problems(), ['dropped', 'dropped']);
    assert.ok(areActive());
    rig.server.on('GET /api/v1/transfers/*', reportRequested);
    await rig.advanceUntilSettled(until(rig.explorer.transferStore.onDidChange, () => problems().includes(undefined)));
    assert.deepEqual(problems(), [undefined, undefined]);
  });

  it('continues with the others if the service fails for one transfer', async () => {
    await submitTwo();
    rig.server.on('GET /api/v1/transfers/*', async (request, response) => {
      await (request.path.endsWith(id) ? problem(422, 'odd') : reportRequested)(request, response);
    });
    const [before, others] = [countPolls(id), countPolls(other)];
    await rig.advanceUntilSettled(
      until(rig.explorer.transferStore.onDidChange, () => countPolls(other) >= others + 20 && countPolls(id) > before),
    );
    assert.deepEqual(problems().filter(Boolean), ['refused']);
    assert.ok(countPolls(other) > 2 * (countPolls(id) - before), 'that one is polled less often');
  });

  it('polls each transfer on request, even if the service fails for all of them', async () => {
    await submitTwo();
    rig.server.on('GET /api/v1/transfers/*', problem(500, 'odd'));
    const areReported = (): boolean => problems().every((kind) => kind === 'serverError');
    await rig.advanceUntilSettled(until(rig.explorer.transferStore.onDidChange, areReported));
    const [before, others] = [countPolls(id), countPolls(other)];
    // Requests polls repeatedly, each time while one is pending.
    for (let times = 0; times < 6; times++) {
      rig.explorer.monitor.pollNow();
      await rig.advanceUntilSettled(rig.server.received(rig.server.requests.length + 1));
    }
    assert.deepEqual([countPolls(id) > before, countPolls(other) > others], [true, true]);
  });

  it('polls all transfers of one server in one queue, even over two connections (D33)', async () => {
    let underWay = 0;
    let most = 0;
    await submitTwo();
    rig.server.on('GET /api/v1/transfers/*', async (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      await reportRequested(request, response);
      underWay -= 1;
    });
    const session = await rig.connect();
    const connection = { ...session.connection, id: 'second' };
    rig.explorer.sessions.add({ ...session, connection });
    const [transfer] = rig.explorer.transferStore.getAll();
    assert.ok(transfer);
    rig.explorer.transferStore.put([
      { ...transfer, key: 'over-the-second', order: { ...transfer.order, connectionId: 'second' } },
    ]);
    const before = countRequests();
    await rig.advanceUntilSettled(until(rig.explorer.transferStore.onDidChange, () => countRequests() > before + 12));
    assert.equal(most, 1);
  });

  it('waits as long as the server requires (D33)', async () => {
    rig.server.on('GET /api/v1/transfers/*', busy(503, '120'), status('succeeded', 1));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    const { transferStore } = rig.explorer;
    await until(transferStore.onDidChange, () => transferStore.getAll()[0]?.problem?.retryAfterMs === 120_000);
    await rig.clock.pass(119 * second);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 1);
    await rig.clock.pass(2 * second);
    await seen('succeeded');
  });

  it('continues from the ledger after the window was closed', async () => {
    rig.server.on('GET /api/v1/transfers/*', status('active', 0), status('succeeded', 1));
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await seen('active');
    rig.restart();
    await rig.explorer.transferFlow.resume();
    assert.equal(rig.explorer.transferStore.getRunning()[0]?.id, id);
    await rig.connect();
    await seen('succeeded');
    assert.equal(rig.explorer.transferStore.getFinished().length, 1);
  });

  it('polls immediately on request, whatever the schedule says', async () => {
    rig.server.on('GET /api/v1/transfers/*', status('active', 0), status('succeeded', 1));
    await rig.connect();
    const { key } = await rig.explorer.transferFlow.submit(rig.order);
    await seen('active');
    rig.explorer.monitor.pollNow(key);
    await rig.clock.pass(200);
    await seen('succeeded');
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 2);
  });

  it("never polls a submission that isn't confirmed", async () => {
    rig.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    await rig.clock.pass(hour);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, 0);
  });
});

/** Responds with a status of the requested transfer. */
const reportRequested: Behavior = async (request, response) => {
  const requestedId = request.path.split('/').at(-1);
  await json({ id: requestedId, status: 'active', num_files: 1, num_files_transferred: 1 })(request, response);
};
