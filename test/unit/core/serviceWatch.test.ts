import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { dropBeforeAnswer, json, problem } from '../../support/faultBehaviors.ts';
import { Rig, until } from './rig.ts';

const list = 'GET /api/v1/databases';
const search = 'POST /api/v1/files';
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

  it('is checked separately even if the previous session was not responding', async () => {
    rig.server.on(search, problem(503, 'no upstream')).on(list, problem(503, 'no upstream'));
    await find();
    rig.server.on(list, databases);
    await rig.connect();
    assert.equal(problemKind(), undefined);
    rig.server.on(list, problem(503, 'no upstream'));
    const down = isShown('serverError');
    await find();
    await rig.advanceUntilSettled(down);
    rig.server.on(list, databases);
    await rig.advanceUntilSettled(isShown(undefined));
  });

  it('is not responding while a gateway answers for it', async () => {
    rig.server.on(search, problem(503, 'no upstream')).on(list, problem(503, 'no upstream'));
    const down = isShown('serverError');
    await find();
    await rig.advanceUntilSettled(down);
  });

  it('is responding if only one database is unavailable', async () => {
    rig.server.on(search, problem(503, 'the database is down'));
    const shown: (string | undefined)[] = [];
    const listener = rig.explorer.connectionStore.onDidChange(() => shown.push(problemKind()));
    const before = rig.server.requestsTo(list).length;
    await find();
    await eventually(() => Promise.resolve(rig.server.requestsTo(list).length > before || undefined));
    listener.dispose();
    assert.deepEqual([...shown, problemKind()].filter(Boolean), []);
  });

  it('is responding if only one request made it drop the connection', async () => {
    rig.server.on(search, dropBeforeAnswer());
    const before = rig.server.requestsTo(list).length;
    await find();
    await eventually(() => Promise.resolve(rig.server.requestsTo(list).length > before || undefined));
    assert.equal(problemKind(), undefined);
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
