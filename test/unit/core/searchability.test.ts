import assert from 'node:assert/strict';
import type { Reason } from '../../../src/core/model/reason.ts';
import {
  isRefused,
  learnSearchability,
  type Searchability,
  type SearchQuery,
} from '../../../src/core/model/searchModel.ts';
import type { Search } from '../../../src/core/search/searchStore.ts';
import { SearchabilityStore } from '../../../src/core/search/searchabilityStore.ts';
import { eventually } from '../../support/eventually.ts';
import { dropBeforeAnswer, html, json, plainProblem, problem, type Behavior } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { Gate } from '../../support/gate.ts';
import { Rig } from './rig.ts';

const jdp = 'JGI Data Portal';
const kbase = 'KBase Workspace Service (KSS)';
const nmdc = 'National Microbiome Data Collaborative';
const plain: SearchQuery = { database: 'Alpha', query: 'salt marsh', pageSize: 2 };

describe('What a refused search reveals about its database (D38)', () => {
  const notImplemented: Reason = {
    kind: 'serverError',
    status: 500,
    detail: 'unexpected error occurred; Search not implemented for kbase database',
  };
  const studyWanted: Reason = { kind: 'refused', status: 400, detail: 'an NMDC study ID is needed' };

  const rows: readonly (readonly [string, Partial<SearchQuery>, Reason, Searchability['kind'] | undefined])[] = [
    ['a search that is not implemented', {}, notImplemented, 'notSearchable'],
    ['the same with 501', {}, { ...notImplemented, status: 501 }, 'notSearchable'],
    ['the same to a filter, which may be what is not supported', { status: 'staged' }, notImplemented, undefined],
    ['the same to a parameter', { specific: { f: 'x' } }, notImplemented, undefined],
    ['plain words that are refused', {}, studyWanted, 'wantsQuery'],
    ['words with a hyphen, a stop or an apostrophe', { query: "C-terminal E. coli O'Neil" }, studyWanted, 'wantsQuery'],
    ['an id', { query: 'JDP:000001' }, studyWanted, undefined],
    ['a word with an operator', { query: '-salt' }, studyWanted, undefined],
    ['a search without words that is refused', { query: ' ' }, studyWanted, 'wantsWords'],
    ['words with an operator, which may be a mistake', { query: 'bytes:>' }, studyWanted, undefined],
    ['a search with parameters', { specific: { f: 'x' } }, studyWanted, undefined],
    ['a search with a status', { status: 'staged' }, studyWanted, undefined],
    ['a refused limit', {}, { ...studyWanted, detail: 'limit must be at most 100' }, undefined],
    ['a refused ORCID iD', {}, { ...studyWanted, detail: 'invalid ORCID' }, undefined],
    ["a gateway's refusal", {}, { ...studyWanted, detail: '400 Bad Request' }, undefined],
    ['a refusal without a text', {}, { kind: 'refused', status: 400 }, undefined],
    ['422, which is about this query', {}, { ...studyWanted, status: 422 }, undefined],
    ['401', {}, { kind: 'unauthorized', status: 401, detail: 'search not supported' }, undefined],
    ['403', {}, { kind: 'forbidden', status: 403, detail: 'search not supported' }, undefined],
    ['404', {}, { kind: 'notFound', status: 404, detail: 'not found' }, undefined],
    ['any other 500', {}, { kind: 'serverError', status: 500, detail: 'the archive is down' }, undefined],
    ['503', {}, { kind: 'serverError', status: 503, detail: 'search is not supported now' }, undefined],
    ['an entry that is rejected', {}, { kind: 'entryRejected', status: 500, detail: "doesn't validate" }, undefined],
    ['a lost connection', {}, { kind: 'dropped' }, undefined],
    ['an unreachable server', {}, { kind: 'unreachable' }, undefined],
    ['a time limit', {}, { kind: 'timeout' }, undefined],
  ];
  for (const [name, query, reason, kind] of rows) {
    it(`${kind ?? 'nothing'}: ${name}`, () => {
      assert.equal(learnSearchability({ ...plain, ...query }, reason)?.kind, kind);
    });
  }

  it('predicts which searches a database refuses', () => {
    const refused = (kind: Searchability['kind'], query: Partial<SearchQuery>): boolean =>
      isRefused({ ...plain, ...query }, { kind });
    assert.deepEqual([refused('notSearchable', {}), refused('notSearchable', { query: 'nmdc:sty-1' })], [true, true]);
    assert.deepEqual(
      [refused('wantsQuery', {}), refused('wantsQuery', { query: '' }), refused('wantsQuery', { query: 'nmdc:sty-1' })],
      [true, true, false],
    );
    assert.deepEqual([refused('wantsWords', { query: '' }), refused('wantsWords', {})], [true, false]);
  });

  it("isn't replaced by a weaker one: a database that refuses words is known to refuse empty queries, too", () => {
    assert.equal(learnSearchability({ ...plain, query: '' }, studyWanted, { kind: 'wantsQuery' }), undefined);
  });
});

describe('The memory of refused searches (D38)', () => {
  const service = { connectionId: 'c', version: '1' };

  it('is stored by connection, and starts empty for a new version', () => {
    const store = new SearchabilityStore();
    store.set(service, 'Alpha', { kind: 'notSearchable', detail: 'no' });
    assert.equal(store.get(service, 'Alpha')?.kind, 'notSearchable');
    assert.equal(store.get({ ...service, connectionId: 'd' }, 'Alpha'), undefined);
    assert.equal(store.get({ ...service, version: '2' }, 'Alpha'), undefined);
    store.set({ ...service, version: '2' }, 'Beta', { kind: 'wantsWords' });
    assert.equal(store.get(service, 'Alpha'), undefined);
  });

  it('is restored as saved, and skips anything of another form', () => {
    const store = new SearchabilityStore();
    store.set(service, 'Alpha', { kind: 'wantsQuery', detail: 'an id is needed' });
    const saved = JSON.parse(JSON.stringify(store)) as Record<string, unknown>;
    const odd = {
      d: 5,
      e: { version: '1', databases: ['x', ['Alpha'], ['Alpha', { kind: 'odd' }]] },
      f: { version: 1 },
    };
    const again = new SearchabilityStore({ ...saved, ...odd });
    assert.deepEqual(again.get(service, 'Alpha'), { kind: 'wantsQuery', detail: 'an id is needed' });
    assert.equal(again.get({ connectionId: 'e', version: '1' }, 'Alpha'), undefined);
    assert.deepEqual(new SearchabilityStore(5).toJSON(), {});
  });

  it('reports changes only', () => {
    const store = new SearchabilityStore();
    const events: string[] = [];
    store.onDidChange((database) => events.push(database));
    store.set(service, 'Alpha', { kind: 'notSearchable' });
    store.set(service, 'Alpha', { kind: 'notSearchable' });
    store.set(service, 'Alpha', undefined);
    store.set(service, 'Alpha', undefined);
    assert.deepEqual(events, ['Alpha', 'Alpha']);
  });
});

describe('A search of all databases (D38)', () => {
  let rig: Rig;
  let service: ReturnType<typeof publicLike>;
  beforeEach(async () => {
    rig = await Rig.start();
    service = publicLike(rig.server, 'the-key');
    service.refusesSearches = true;
  });
  afterEach(() => rig.end());

  const queries = (query: string): SearchQuery[] =>
    [jdp, kbase, nmdc].map((database) => ({ database, query, pageSize: 10 }));
  const shown = (): readonly Search[] => rig.explorer.searchStore.getAll();
  const searchAll = async (query: string): Promise<void> => {
    const session = rig.explorer.sessions.active ?? (await rig.connect());
    rig.explorer.searchFlow.dismiss(shown().map(({ key }) => key));
    await rig.advanceUntilSettled(rig.explorer.searchFlow.runWhereAccepted(session, queries(query)));
  };
  const outcome = (): unknown[] => shown().map(({ query, reason }) => [query.database, reason?.kind]);
  const leftOut = (): unknown[] | undefined =>
    rig.explorer.searchStore.leftOut?.refused.map((one) => [one.query.database, one.searchability.kind]);

  it('groups databases without results only after its rows were shown (D55)', async () => {
    rig.server.on('POST /api/v1/files', json({ resources: [] }));
    const session = await rig.connect();
    const gate = new Gate();
    gate.hold();
    const running = rig.explorer.searchFlow.runWhereAccepted(session, queries('corn'), () => gate.pass());
    await eventually(async () => shown().every(({ isLoading }) => !isLoading) || undefined);
    const countFolded = (): number => shown().filter(({ batchId }) => batchId !== undefined).length;
    assert.equal(countFolded(), 0);
    gate.release();
    await running;
    assert.equal(countFolded(), 3);
  });

  it('learns from the first refusals, and omits those databases from the next search', async () => {
    await searchAll('JDP');
    assert.deepEqual(outcome(), [
      [jdp, undefined],
      [kbase, 'serverError'],
      [nmdc, 'refused'],
    ]);
    assert.equal(leftOut(), undefined);
    await searchAll('JDP');
    assert.deepEqual(outcome(), [[jdp, undefined]]);
    assert.deepEqual(leftOut(), [
      [kbase, 'notSearchable'],
      [nmdc, 'wantsQuery'],
    ]);
  });

  it('includes a database if the form of the query suits it', async () => {
    await searchAll('JDP');
    await searchAll('nmdc:sty-1');
    assert.deepEqual(outcome(), [
      [jdp, undefined],
      [nmdc, undefined],
    ]);
    await searchAll('JDP');
    assert.deepEqual(outcome(), [[jdp, undefined]], 'plain words are still refused');
  });

  it('searches omitted databases on request, and forgets what a success disproves', async () => {
    await searchAll('JDP');
    await searchAll('JDP');
    service.refusesSearches = false;
    const session = rig.explorer.sessions.active;
    assert.ok(session);
    rig.server.on('POST /api/v1/files', json({ resources: [] }));
    await rig.explorer.searchFlow.runLeftOut(session);
    assert.deepEqual(outcome(), [
      [kbase, undefined],
      [nmdc, undefined],
      [jdp, undefined],
    ]);
    assert.equal(leftOut(), undefined);
    const batchIds = shown().map(({ batchId }) => batchId);
    assert.deepEqual(
      batchIds,
      [shown()[0]?.key, shown()[0]?.key, shown()[0]?.key],
      'the earlier one is in their batch',
    );
    await searchAll('JDP');
    assert.deepEqual([outcome().length, leftOut()], [3, undefined]);
  });

  it('remembers what it learned after a restart', async () => {
    await searchAll('JDP');
    rig.restart();
    await searchAll('JDP');
    assert.deepEqual(outcome(), [[jdp, undefined]]);
  });

  it('searches all databases if every one is known to refuse', async () => {
    await searchAll('JDP');
    const session = await rig.connect();
    await rig.explorer.searchFlow.runWhereAccepted(session, queries('JDP').slice(1));
    assert.deepEqual([outcome().length, leftOut()], [5, undefined]);
  });

  it('removes the row of omitted databases with the searches below it', async () => {
    await searchAll('JDP');
    await searchAll('JDP');
    rig.explorer.searchFlow.dismiss(shown().map(({ key }) => key));
    assert.equal(leftOut(), undefined);
  });

  const failures: readonly (readonly [string, Behavior])[] = [
    ['a lost connection', dropBeforeAnswer()],
    ['401', problem(401, 'who')],
    ['503', problem(503, 'unavailable')],
    ["a gateway's page", html(400, '400 Bad Request')],
    ['another 500', plainProblem(500, 'an error occurred with the JDP database (500)')],
  ];
  for (const [name, failure] of failures) {
    it(`learns nothing from ${name}`, async () => {
      const session = await rig.connect();
      rig.server.on('POST /api/v1/files', failure);
      await rig.advanceUntilSettled(rig.explorer.searchFlow.runAll(session, queries('JDP')));
      assert.deepEqual(
        queries('JDP').map((query) => rig.explorer.searchFlow.getKnownRefusal(session, query)),
        [undefined, undefined, undefined],
      );
    });
  }
});
