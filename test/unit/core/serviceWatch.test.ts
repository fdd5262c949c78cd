import assert from 'node:assert/strict';
import { dropBeforeAnswer, json, problem } from '../../support/faultBehaviors.ts';
import { Rig, until } from './rig.ts';

const list = 'GET /api/v1/databases';
const search = 'POST /api/v1/files';
const unavailable = problem(503, 'no upstream');
const databases = json([{ id: 'a', name: 'Alpha', organization: 'One', url: '' }]);

describe('A connected service', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    await rig.connect();
  });
  afterEach(() => rig.end());

  const problemKind = (): string | undefined => {
    const { state } = rig.explorer.connectionStore;
    return state.kind === 'connected' ? state.problem?.kind : state.kind;
  };
  const isShown = (kind: string | undefined): Promise<void> =>
    until(rig.explorer.connectionStore.onDidChange, () => problemKind() === kind);
  const refresh = async (): Promise<void> => {
    const refreshing = rig.explorer.connectFlow.refreshDatabases();
    await rig.advanceUntilSettled(refreshing);
  };
  const find = async (): Promise<unknown> => {
    const session = rig.explorer.sessions.active;
    const { orcid } = rig.order;
    return await session?.client.search({ database: 'Alpha', orcid, query: 'x' });
  };

  it('is not responding after a failed refresh, until an automatic check succeeds', async () => {
    assert.equal(problemKind(), undefined);
    await rig.server.stop();
    await refresh();
    assert.equal(problemKind(), 'unreachable');
    await rig.server.startAgain();
    const back = isShown(undefined);
    await rig.advanceUntilSettled(back);
    assert.equal(rig.explorer.connectionStore.listing.reason, undefined, 'the databases are listed again');
  });

  const untilDown = async (): Promise<void> => {
    const down = isShown('serverError');
    await find();
    await rig.advanceUntilSettled(down);
  };
  const isListed = (count: number): Promise<void> =>
    until(
      rig.explorer.connectionStore.onDidChange,
      () => rig.server.requestsTo(list).length >= count && !rig.explorer.connectionStore.listing.isLoading,
    );
  /** Records the problems that are shown until the returned function is called. */
  const recordProblems = (): (() => readonly unknown[]) => {
    const shown: unknown[] = [];
    const listener = rig.explorer.connectionStore.onDidChange(() => shown.push(problemKind()));
    return () => {
      listener.dispose();
      return [...shown, problemKind()].filter((kind) => kind !== undefined);
    };
  };

  it('is checked separately even if the previous session was not responding', async () => {
    rig.server.on(search, unavailable).on(list, unavailable);
    await untilDown();
    rig.server.on(list, databases);
    await rig.connect();
    assert.equal(problemKind(), undefined);
    rig.server.on(list, unavailable);
    await untilDown();
    rig.server.on(list, databases);
    await rig.advanceUntilSettled(isShown(undefined));
  });

  for (const status of [502, 503, 504]) {
    it(`is not responding if a gateway answers its check with ${status}`, async () => {
      rig.server.on(search, problem(status, 'no upstream')).on(list, problem(status, 'no upstream'));
      await untilDown();
    });

    it(`is responding if only searches receive ${status}`, async () => {
      rig.server.on(search, problem(status, 'the database is down'));
      const getProblems = recordProblems();
      const listed = isListed(rig.server.requestsTo(list).length + 1);
      await Promise.all([find(), find(), find()]);
      await listed;
      assert.deepEqual(getProblems(), []);
    });
  }

  it('is responding if a search receives 503 after another request has succeeded', async () => {
    rig.server.on(search, unavailable).on(list, unavailable);
    await untilDown();
    rig.server.on(list, databases);
    await refresh();
    assert.equal(problemKind(), undefined);
    const getProblems = recordProblems();
    const listed = isListed(rig.server.requestsTo(list).length + 1);
    await find();
    await rig.advanceUntilSettled(listed);
    assert.deepEqual(getProblems(), []);
  });

  it('is checked at most every five seconds while searches receive 503', async () => {
    rig.server.on(search, unavailable);
    const before = rig.server.requestsTo(list).length;
    const first = isListed(before + 1);
    await find();
    await first;
    const startedAt = rig.clock.now();
    await find();
    await find();
    assert.equal(rig.server.requestsTo(list).length, before + 1);
    await rig.advanceUntilSettled(isListed(before + 2));
    assert.ok(rig.clock.now() - startedAt >= 5_000);
  });

  it('is responding if only one request made it drop the connection', async () => {
    rig.server.on(search, dropBeforeAnswer());
    const listed = isListed(rig.server.requestsTo(list).length + 1);
    await find();
    await rig.advanceUntilSettled(listed);
    assert.equal(problemKind(), undefined);
  });

  it('lists its databases again after a search has shown that it responds', async () => {
    rig.server.on(list, unavailable);
    await refresh();
    await rig.advanceUntilSettled(isShown('serverError'));
    rig.server.on(list, databases).on(search, json({ resources: [] }));
    await find();
    await rig.advanceUntilSettled(
      until(rig.explorer.connectionStore.onDidChange, () => !rig.explorer.connectionStore.listing.reason),
    );
    assert.equal(problemKind(), undefined);
  });

  it('shows the latest reason for not responding, also if it is of the same kind', async () => {
    const store = rig.explorer.connectionStore;
    const detail = (): string | undefined =>
      store.state.kind === 'connected' ? store.state.problem?.detail : undefined;
    rig.server.on(search, unavailable).on(list, problem(503, 'in maintenance'));
    await untilDown();
    assert.equal(detail(), 'in maintenance');
    rig.server.on(list, problem(503, 'closed until Monday'));
    await rig.advanceUntilSettled(until(store.onDidChange, () => detail() === 'closed until Monday'));
  });

  it('is not responding if it drops every connection', async () => {
    rig.server.on(list, dropBeforeAnswer());
    await refresh();
    await rig.advanceUntilSettled(isShown('dropped'));
    rig.server.on(list, databases);
    await rig.advanceUntilSettled(isShown(undefined));
  });

  it('is responding when it refuses something', async () => {
    rig.server.on(search, problem(500, 'a database failed'));
    await find();
    assert.equal(problemKind(), undefined);
  });
});
