import assert from 'node:assert/strict';
import type { KeyWatch } from '../../../src/core/connections/openConnections.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { untilIdle } from '../../support/untilIdle.ts';
import { Rig, until } from './rig.ts';

type KeyStatus = ReturnType<KeyWatch['getStatus']>;

const [second, minute] = [1000, 60_000];
const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const refused = problem(401, 'KBase Auth error: 401');

describe('A key that was accepted before (D28)', () => {
  let rig: Rig;
  let reported: KeyStatus[];

  beforeEach(async () => {
    rig = await Rig.start();
    reported = [];
    rig.explorer.keys.onDidChange((connectionId) => reported.push(rig.explorer.keys.getStatus(connectionId)));
  });
  afterEach(() => rig.end());

  const refuseAll = (): void => {
    rig.server.on('GET /api/v1/databases', refused).on('POST /api/v1/files', refused);
    rig.server.on('GET /api/v1/transfers/*', refused);
  };

  const acceptAll = (): void => {
    rig.server.on('GET /api/v1/databases', json([]));
    rig.server.on('GET /api/v1/transfers/*', json({ id, status: 'active', num_files: 1, num_files_transferred: 0 }));
  };

  /**
   * Advances the clock in steps of a second until a condition is true. Returns the elapsed time in milliseconds. Throws
   * after `limitMs`.
   */
  async function passUntil(condition: () => boolean, limitMs: number): Promise<number> {
    const startedAt = rig.clock.now();
    while (!condition()) {
      if (rig.clock.now() - startedAt > limitMs) throw new Error('It did not come in time.');
      await rig.clock.pass(second);
      await untilIdle(2);
    }
    return rig.clock.now() - startedAt;
  }

  async function passMinute(): Promise<void> {
    const endsAt = rig.clock.now() + minute;
    await passUntil(() => rig.clock.now() >= endsAt, 2 * minute);
  }

  const getStatus = (): KeyStatus => rig.explorer.keys.getStatus('c');

  async function search(): Promise<void> {
    const session = rig.explorer.sessions.get('c');
    assert.ok(session);
    await rig.explorer.searchFlow.run(session, { database: 'Alpha', query: 'x', pageSize: 5 });
  }

  it('is doubted at the first 401, and refused after three of them over five minutes', async () => {
    await rig.connect();
    refuseAll();
    await search();
    assert.equal(getStatus(), 'doubted');
    const tookMs = await passUntil(() => getStatus() === 'refused', 6 * minute);
    assert.ok(tookMs >= 5 * minute, `${String(tookMs)} ms`);
    assert.deepEqual(reported, ['doubted', 'refused']);
  });

  it('is reported once, however many requests fail', async () => {
    await rig.connect();
    refuseAll();
    for (let times = 0; times < 5; times++) await search();
    assert.equal(getStatus(), 'doubted', 'five simultaneous failures are not five minutes');
    await passUntil(() => getStatus() === 'refused', 6 * minute);
    for (let times = 0; times < 5; times++) await search();
    assert.deepEqual(reported, ['doubted', 'refused']);
  });

  it('is trusted again as soon as it is accepted', async () => {
    await rig.connect();
    refuseAll();
    await search();
    await rig.clock.pass(second);
    acceptAll();
    await passUntil(() => getStatus() === 'good', minute);
    assert.deepEqual(reported, ['doubted', 'good']);
  });

  it('is not refused for failures that are unrelated to the key', async () => {
    await rig.connect();
    rig.server.on('POST /api/v1/files', problem(403, 'not yours'));
    await search();
    assert.equal(getStatus(), 'good');
  });

  it('is not doubted if the service rejected the ORCID iD, or the account has none (D44)', async () => {
    await rig.connect();
    rig.server.on(
      'POST /api/v1/files',
      problem(401, "invalid ORCID 'x'"),
      problem(401, 'No ORCIDs associated with this user'),
    );
    await search();
    await search();
    assert.deepEqual([getStatus(), reported], ['good', []]);
  });

  it('is no longer doubted once the service has recognized its account (D44)', async () => {
    await rig.connect();
    refuseAll();
    await search();
    assert.equal(getStatus(), 'doubted');
    rig.server.on('GET /api/v1/databases', problem(401, 'KBase Auth2: No ORCIDs associated with this user'));
    await passUntil(() => getStatus() === 'good', minute);
  });

  it('is refused after five minutes of real refusals, but never during an outage of the sign-in service (D44)', async () => {
    await rig.connect();
    const down = problem(401, 'KBase Auth error: 500');
    rig.server.on('GET /api/v1/databases', down).on('POST /api/v1/files', down);
    await search();
    for (let minutes = 0; minutes < 8; minutes++) await passMinute();
    assert.deepEqual([getStatus(), reported], ['doubted', ['doubted']]);
    refuseAll();
    const tookMs = await passUntil(() => getStatus() === 'refused', 16 * minute);
    assert.ok(tookMs >= 5 * minute - 5 * second, `${String(tookMs)} ms`);
  });

  it('is retried no more often if it was doubted, and accepted, shortly before', async () => {
    await rig.connect();
    const down = problem(401, 'KBase Auth error: 500');
    rig.server.on('GET /api/v1/databases', down).on('POST /api/v1/files', down);
    await search();
    for (let minutes = 0; minutes < 5; minutes++) await passMinute();
    rig.server.on('POST /api/v1/files', json({ descriptors: [] }));
    await search();
    assert.deepEqual(reported, ['doubted', 'good']);
    refuseAll();
    await search();
    const before = rig.server.requestsTo('GET /api/v1/databases').length;
    await passUntil(() => getStatus() === 'refused', 6 * minute);
    // The requests are sent after 2, 4, 8, 16, 32, 64 and 128 seconds, and after five minutes.
    assert.equal(rig.server.requestsTo('GET /api/v1/databases').length - before, 8);
  });

  it('provides its last rejection with the message of the service', async () => {
    await rig.connect();
    const { keys, connectionStore } = rig.explorer;
    assert.equal(keys.getRejection('c'), undefined);
    refuseAll();
    await search();
    assert.equal(keys.getRejection('c')?.detail, 'KBase Auth error: 401');
    const shown = (): unknown => connectionStore.state.kind === 'connected' && connectionStore.state.doubt?.detail;
    assert.equal(shown(), 'KBase Auth error: 401');
    assert.equal(connectionStore.listing.databases.length, 2, 'what was listed stays');
    acceptAll();
    await passUntil(() => getStatus() === 'good', minute);
    assert.deepEqual([keys.getRejection('c'), shown()], [undefined, undefined]);
  });

  it('pauses the monitor while it is doubted, and resumes it', async () => {
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    acceptAll();
    await rig.connect();
    await rig.explorer.transferFlow.submit(rig.order);
    const { transferStore } = rig.explorer;
    await until(transferStore.onDidChange, () => transferStore.getAll()[0]?.state === 'active');
    refuseAll();
    await passUntil(() => getStatus() === 'doubted', minute);
    const sent = rig.server.requestsTo('GET /api/v1/transfers/*').length;
    await passUntil(() => getStatus() === 'refused', 6 * minute);
    assert.equal(rig.server.requestsTo('GET /api/v1/transfers/*').length, sent, 'it waits');
    assert.equal(transferStore.getAll()[0]?.state, 'active', 'nothing is given up');
    acceptAll();
    assert.equal(await rig.explorer.connectFlow.tryKey('c'), undefined);
    await passUntil(() => transferStore.getAll()[0]?.problem === undefined, minute);
    assert.ok(rig.server.requestsTo('GET /api/v1/transfers/*').length > sent);
  });

  it('stays refused after one more 401 when a user tries it', async () => {
    await rig.connect();
    refuseAll();
    await search();
    await passUntil(() => getStatus() === 'refused', 6 * minute);
    assert.equal((await rig.explorer.connectFlow.tryKey('c'))?.kind, 'unauthorized');
    assert.deepEqual(reported, ['doubted', 'refused']);
  });

  it('is retried for five minutes if the connection is opened in the background', async () => {
    refuseAll();
    const attempt = rig.explorer.connectFlow.reopen(rig.connection, 'the-key');
    const { connectionStore } = rig.explorer;
    await until(connectionStore.onDidChange, () => {
      const { state } = connectionStore;
      return state.kind === 'connecting' && state.doubt?.kind === 'unauthorized';
    });
    const tookMs = await passUntil(() => connectionStore.state.kind === 'failed', 6 * minute);
    assert.ok(tookMs >= 5 * minute - 2 * second, `${String(tookMs)} ms`);
    assert.equal((await attempt).session, undefined);
    assert.deepEqual(reported, ['doubted', 'refused']);
  });

  it('opens the connection when the service accepts it again', async () => {
    refuseAll();
    const attempt = rig.explorer.connectFlow.reopen(rig.connection, 'the-key');
    await passUntil(() => getStatus() === 'doubted', minute);
    acceptAll();
    await passUntil(() => rig.explorer.sessions.get('c') !== undefined, minute);
    assert.ok((await attempt).session);
    assert.equal(getStatus(), 'good');
  });

  it('is refused immediately when a user connects with it', async () => {
    refuseAll();
    const { reason } = await rig.explorer.connectFlow.open(rig.connection, 'the-key').then((attempt) => {
      assert.ok(!attempt.session);
      return attempt;
    });
    assert.equal(reason.kind, 'unauthorized');
    assert.equal(rig.explorer.connectionStore.state.kind, 'failed');
    assert.deepEqual(reported, []);
  });

  it('is retried for a connection that is opened in the background, too', async () => {
    refuseAll();
    const opened = rig.explorer.connectFlow.openInBackground(rig.connection, 'the-key');
    await passUntil(() => getStatus() === 'doubted', minute);
    assert.equal(rig.explorer.connectionStore.state.kind, 'disconnected', 'nothing of it is shown');
    acceptAll();
    await passUntil(() => rig.explorer.sessions.get('c') !== undefined, minute);
    await opened;
    assert.equal(rig.explorer.sessions.active, undefined);
    refuseAll();
    await rig.explorer.connectFlow.tryKey('c');
    assert.equal(getStatus(), 'doubted', 'it is followed like any other');
  });

  it('is no longer tested once the connection is closed', async () => {
    await rig.connect();
    refuseAll();
    await search();
    rig.explorer.connectFlow.disconnect();
    const before = rig.server.requests.length;
    await rig.clock.pass(10 * minute);
    assert.equal(rig.server.requests.length, before);
  });
});

describe('The dialect of a server', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    rig.server
      .on('GET /api/v1/files/by-id', problem(405, 'no'))
      .on('POST /api/v1/files/by-id', json({ resources: [] }));
  });
  afterEach(() => rig.end());

  const describeFile = async (): Promise<void> => {
    await rig.connect();
    await rig.explorer.metadataFlow.fetchFiles('c', 'Alpha', ['f']);
  };
  const countGetRequests = (): number => rig.server.requestsTo('GET /api/v1/files/by-id').length;

  it('is restored after a restart (D7, D8)', async () => {
    await describeFile();
    assert.equal(countGetRequests(), 1);
    rig.restart();
    await describeFile();
    assert.equal(countGetRequests(), 1);
  });

  it('is learned again when the server has another version', async () => {
    await describeFile();
    rig.server.on('GET /', json({ name: 'Test service', version: '2.0' }));
    rig.restart();
    await describeFile();
    assert.equal(countGetRequests(), 2);
  });

  it('is discarded if the saved data has another format', async () => {
    rig.savedDialects = {
      [rig.server.address]: { version: '1.2.3', dialect: { metadataForm: 'carrier pigeon' } },
      x: 5,
    };
    rig.restart();
    await describeFile();
    assert.equal(countGetRequests(), 1);
  });
});
