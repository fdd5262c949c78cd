import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import { filterMissingIds, filterTrimmedIds } from '../../../src/core/model/idList.ts';
import type { SearchQuery } from '../../../src/core/model/searchModel.ts';
import { getEmptySearches, type Search } from '../../../src/core/search/searchStore.ts';
import { json, plainProblem, problem, silence, type Behavior } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

const page = (...ids: string[]): Behavior => json({ resources: ids.map((id) => ({ id, bytes: 5 })) });
const query: SearchQuery = { database: 'Alpha', query: 'x', pageSize: 2 };

describe('The search flow', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  const ids = (search: Search | undefined): string[] =>
    (search?.files ?? []).flatMap((file) => (file.kind === 'file' ? [file.id] : []));
  const all = (): readonly Search[] => rig.explorer.searchStore.getAll();

  it('looks up ids exactly, and only those not found without the spaces around them', async () => {
    const known = [' a', 'a', 'b', 'c', 'd '];
    rig.server.on('GET /api/v1/files/by-id', (request, response) => {
      const asked = (request.query.get('ids') ?? '').split(',');
      return page(...known.filter((id) => asked.includes(id)))(request, response);
    });
    const given = [' a', ' b', 'b ', 'c', ' c', 'd ', ' e'];
    const key = await rig.explorer.searchFlow.run(await rig.connect(), { ...query, ids: given });
    const search = rig.explorer.searchStore.get(key);
    assert.ok(search);
    assert.deepEqual(ids(search), [' a', 'c', 'd ', 'b'], 'the file "a" was not requested');
    assert.deepEqual(filterTrimmedIds(search), [' b', 'b ', ' c']);
    assert.deepEqual(filterMissingIds(search, true), [{ id: ' e' }]);
  });

  describe('loading more pages', () => {
    const findsAll = async (pageSize: number, ...pages: Behavior[]): Promise<Search | undefined> => {
      rig.server.on('POST /api/v1/files', ...pages);
      const key = await rig.explorer.searchFlow.run(await rig.connect(), { ...query, pageSize });
      await rig.explorer.searchFlow.loadUpTo(key, Infinity);
      return rig.explorer.searchStore.get(key);
    };

    it('requests pages until one has no new file (D9)', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'), page('2', '3'), page('3', '1'));
      const key = await rig.explorer.searchFlow.run(await rig.connect(), query);
      await rig.explorer.searchFlow.loadUpTo(key, Infinity);
      const [search] = all();
      assert.deepEqual([ids(search), search?.mayHaveMore, search?.isLoading], [['1', '2', '3'], false, false]);
    });

    it('stops at the requested number of files, and continues from there', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'), page('3', '4'), page('5', '6'), page('7', '8'));
      const { searchFlow } = rig.explorer;
      const key = await searchFlow.run(await rig.connect(), query);
      await searchFlow.loadUpTo(key, 5);
      assert.deepEqual([ids(all()[0]).length, all()[0]?.mayHaveMore, all()[0]?.nextOffset], [6, true, 6]);
      await searchFlow.loadMore(key);
      assert.equal(ids(all()[0]).length, 8);
    });

    it('stops with the reason of a failed page, and keeps the earlier ones', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'), page('3', '4'), problem(400, 'odd'));
      const { searchFlow } = rig.explorer;
      const key = await searchFlow.run(await rig.connect(), query);
      await searchFlow.loadUpTo(key, Infinity);
      assert.deepEqual([ids(all()[0]).length, all()[0]?.reason?.detail, all()[0]?.isLoading], [4, 'odd', false]);
    });

    it('keeps the pages that came before one with an entry that the server itself rejects (D38)', async () => {
      const rejected = plainProblem(500, 'I[#] S[#] doesn\'t validate with "data-resource#"');
      const search = await findsAll(2, page('1', '2'), page('3', '4'), rejected);
      assert.deepEqual([ids(search), search?.reason?.kind], [['1', '2', '3', '4'], 'entryRejected']);
      assert.deepEqual([search?.mayHaveMore, search?.nextOffset], [true, 4]);
    });

    it('loads more as soon as a page is announced as the last for now', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'), page('3', '4'), page('5', '6'), page());
      const { searchFlow, searchStore } = rig.explorer;
      const following: Promise<void>[] = [];
      const listener = searchStore.onDidChange(([key = '']) => {
        if (searchStore.get(key)?.isLoading !== false) return;
        listener.dispose();
        following.push(Promise.resolve().then(async () => await searchFlow.loadUpTo(key, Infinity)));
      });
      await searchFlow.run(await rig.connect(), query);
      await Promise.all(following);
      const [search] = all();
      assert.deepEqual([ids(search).length, search?.mayHaveMore, search?.isLoading], [6, false, false]);
    });

    it('is stopped without a reason, and stores nothing afterwards', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'), silence());
      const { searchFlow } = rig.explorer;
      const key = await searchFlow.run(await rig.connect(), query);
      const loading = searchFlow.loadUpTo(key, Infinity);
      await rig.server.received(4);
      searchFlow.stop([key]);
      await loading;
      const [search] = all();
      assert.deepEqual([ids(search), search?.isLoading, search?.reason], [['1', '2'], false, undefined]);
    });

    const requestCount = (): number => rig.server.requestsTo('POST /api/v1/files').length;

    it('continues after full pages without a new file, such as an organism with repeats (D9)', async () => {
      const search = await findsAll(1, page('1'), page('1'), page('1'), page('2'), page('2'), page());
      assert.deepEqual([ids(search), search?.mayHaveMore, search?.pagesWithoutNew], [['1', '2'], false, 0]);
    });

    it('stops after three full pages in a row without a new file, and reports that there may be more (D9)', async () => {
      const search = await findsAll(1, page('1'));
      assert.deepEqual([ids(search), requestCount()], [['1'], 4]);
      assert.deepEqual([search?.mayHaveMore, search?.isLoading, search?.pagesWithoutNew], [true, false, 3]);
    });

    it('continues for up to three more pages with Load More (D9)', async () => {
      const search = await findsAll(1, page('1'));
      rig.server.on('POST /api/v1/files', page('1'), page('2'), page('3'));
      await rig.explorer.searchFlow.loadMore(search?.key ?? '');
      const [after] = all();
      assert.deepEqual([ids(after), after?.nextOffset, after?.pagesWithoutNew], [['1', '2'], 6, 0]);
    });

    it('loads the next new file with one Load More, past pages without any (D9)', async () => {
      rig.server.on('POST /api/v1/files', page('1'), page('1'), page('2'), page('3'));
      const key = await rig.explorer.searchFlow.run(await rig.connect(), { ...query, pageSize: 1 });
      assert.deepEqual([ids(all()[0]), requestCount()], [['1'], 1]);
      await rig.explorer.searchFlow.loadMore(key);
      assert.deepEqual([ids(all()[0]), requestCount()], [['1', '2'], 3]);
    });

    it('is complete at a page of several files equal to the one before: the database ignores offset (D9)', async () => {
      const search = await findsAll(2, page('1', '2', '3'));
      assert.deepEqual([ids(search), requestCount()], [['1', '2', '3'], 2]);
      assert.deepEqual([search?.mayHaveMore, search?.pagesWithoutNew], [false, 0]);
    });

    it('is complete at a page without a new file that is not full (D9)', async () => {
      const search = await findsAll(2, page('1', '2'), page('3', '4'), page('2'));
      assert.deepEqual([ids(search).length, search?.mayHaveMore, requestCount()], [4, false, 3]);
    });

    it('starts without its earlier pages when it is restarted (D9)', async () => {
      const search = await findsAll(2, page('1', '2'));
      rig.server.requests.length = 0;
      await rig.explorer.searchFlow.restart(search?.key ?? '');
      const [after] = all();
      assert.deepEqual([ids(after), after?.mayHaveMore, requestCount()], [['1', '2'], true, 1]);
    });

    const pageAt = (cursor: string, ...ids: string[]): Behavior =>
      json({ resources: ids.map((id) => ({ id, bytes: 5 })), cursor });
    const getPositions = (): unknown[] =>
      rig.server.requestsTo('POST /api/v1/files').map(({ body }) => {
        const { offset, cursor } = JSON.parse(body) as { readonly offset?: number; readonly cursor?: string };
        return cursor ?? offset ?? 0;
      });

    it("continues from the local service's cursor instead of an offset, and from 0 after a restart (D9)", async () => {
      rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
      const search = await findsAll(2, pageAt('a', '1', '2'), pageAt('b', '3', '4'), pageAt('c', '5'));
      assert.deepEqual([ids(search).length, search?.mayHaveMore, getPositions()], [5, false, [0, 'a', 'b']]);
      await rig.explorer.searchFlow.restart(search?.key ?? '');
      assert.deepEqual(getPositions(), [0, 'a', 'b', 0]);
    });

    it('continues from a cursor after the files were refreshed (D9)', async () => {
      rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
      rig.server.on('POST /api/v1/files', pageAt('a', '1', '2'), pageAt('b', '1', '2'), pageAt('c', '3', '4'));
      const key = await rig.explorer.searchFlow.run(await rig.connect(), query);
      await rig.explorer.searchFlow.refresh(key);
      await rig.explorer.searchFlow.loadMore(key);
      assert.deepEqual(getPositions(), [0, 0, 'b']);
    });

    it('never sends a cursor to another service, whatever its responses contain (D9)', async () => {
      const search = await findsAll(
        2,
        pageAt('a', '1', '2'),
        pageAt('b', '3', '4'),
        pageAt('c', '5', '4'),
        pageAt('d'),
      );
      assert.deepEqual([ids(search).length, getPositions()], [5, [0, 2, 4, 6]]);
    });

    it('continues at the offset if the connection now leads to a service without cursors (D9)', async () => {
      rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
      rig.server.on('POST /api/v1/files', pageAt('a', '1', '2'));
      const key = await rig.explorer.searchFlow.run(await rig.connect(), query);
      rig.server.on('GET /', json({ name: 'Test service', version: '1.0.0' }));
      rig.explorer.connectFlow.disconnect();
      await rig.connect();
      await rig.explorer.searchFlow.loadMore(key);
      assert.equal(getPositions()[1], 2);
    });

    it('takes little time for very many pages', async () => {
      const { searchStore } = rig.explorer;
      searchStore.open('s', 'c', query);
      for (let start = 0; start < 200_000; start += 100) {
        const files = Array.from({ length: 100 }, (_, index) => {
          const id = `f${start + index}`;
          return { kind: 'file', id, database: 'Alpha', name: id, resource: {} } as const;
        });
        searchStore.add('s', files);
        searchStore.update('s', { nextOffset: start + 100 });
      }
      assert.equal(searchStore.get('s')?.files.length, 200_000);
    });
  });

  describe('searching several databases', () => {
    const queries = ['Alpha', 'Beta'].map((database) => ({ ...query, database }));

    it('shows each with its own files, reason and pages, in the given order', async () => {
      const respond: Behavior = async (request, response) => {
        const { database } = JSON.parse(request.body) as { database: string };
        await (database === 'Alpha' ? problem(400, 'odd') : page('1', '2'))(request, response);
      };
      rig.server.on('POST /api/v1/files', respond);
      await rig.explorer.searchFlow.runAll(await rig.connect(), queries);
      assert.deepEqual(
        all().map((search) => [search.query.database, search.reason?.detail, ids(search), search.mayHaveMore]),
        [
          ['Alpha', 'odd', [], true],
          ['Beta', undefined, ['1', '2'], true],
        ],
      );
    });

    it('searches a few at a time', async () => {
      rig.server.on('POST /api/v1/files', silence());
      const session = await rig.connect();
      const countRequests = (): number => rig.server.requestsTo('POST /api/v1/files').length;
      const many = Array.from({ length: 9 }, () => query);
      const running = rig.explorer.searchFlow.runAll(session, many);
      await rig.server.received(2 + 4);
      assert.deepEqual([countRequests(), all().filter(({ isLoading }) => isLoading).length], [4, 9]);
      rig.explorer.searchFlow.stop(all().map(({ key }) => key));
      await running;
      assert.equal(countRequests(), 4, 'searches that were stopped while they waited are not sent');
    });

    it('marks those of all databases as a batch once all have ended, until one is repeated', async () => {
      rig.server.on('POST /api/v1/files', page());
      const { searchFlow, searchStore } = rig.explorer;
      const running = searchFlow.runWhereAccepted(await rig.connect(), queries);
      assert.deepEqual(
        all().map(({ batchId }) => batchId),
        [undefined, undefined],
      );
      await running;
      const [alpha, beta] = all();
      assert.equal(alpha?.batchId, alpha?.key);
      assert.equal(getEmptySearches(searchStore, alpha?.key ?? '').length, 2);
      await searchFlow.restart(beta?.key ?? '');
      assert.equal(getEmptySearches(searchStore, alpha?.key ?? '').length, 0);
      assert.deepEqual(
        all().map(({ isCollapsed }) => isCollapsed),
        [true, false],
      );
    });

    it('skips one that was dismissed while it waited', async () => {
      rig.server.on('POST /api/v1/files', page('1'));
      const session = await rig.connect();
      const running = rig.explorer.searchFlow.runAll(session, [...queries, ...queries, ...queries]);
      const [last] = all().slice(-1);
      rig.explorer.searchFlow.dismiss([last?.key ?? '']);
      await running;
      assert.equal(rig.server.requestsTo('POST /api/v1/files').length, 5);
    });
  });

  describe('searching by IDs (D8)', () => {
    const byId = (given: readonly string[]): SearchQuery => ({ ...query, query: '', ids: given });

    const answerAll: Behavior = async (request, response) => {
      const { file_ids } = JSON.parse(request.body) as { file_ids: string[] };
      const known = file_ids.filter((id) => id.startsWith('f'));
      await page(...known)(request, response);
    };
    beforeEach(() => rig.server.on('POST /api/v1/files/by-id', answerAll));

    it('loads all files in batches, and lists the missing IDs', async () => {
      const many = Array.from({ length: 1200 }, (_, index) => (index === 700 ? 'missing' : `f${index}`));
      await rig.explorer.searchFlow.run(await rig.connect(), byId(many));
      const [search] = all();
      assert.deepEqual([search?.files.length, search?.missing], [1199, [{ id: 'missing' }]]);
      assert.deepEqual([search?.mayHaveMore, search?.isLoading, search?.nextOffset], [false, false, 1200]);
    });

    it('reports the reason of each ID if all are refused', async () => {
      rig.server.on('POST /api/v1/files/by-id', problem(404, 'not here'));
      await rig.advanceUntilSettled(rig.explorer.searchFlow.run(await rig.connect(), byId(['x', 'y'])));
      const [search] = all();
      assert.deepEqual(
        search?.missing.map(({ id, reason }) => [id, reason?.detail]),
        [
          ['x', 'not here'],
          ['y', 'not here'],
        ],
      );
      assert.deepEqual([search.reason, search.mayHaveMore], [undefined, false]);
    });

    it('continues with the batch that failed', async () => {
      const many = Array.from({ length: 600 }, (_, index) => `f${index}`);
      rig.server.on('POST /api/v1/files/by-id', answerAll, json({ resources: 'odd' }), answerAll);
      const key = await rig.explorer.searchFlow.run(await rig.connect(), byId(many));
      assert.deepEqual([all()[0]?.files.length, all()[0]?.reason?.kind], [500, 'unreadable']);
      await rig.explorer.searchFlow.loadMore(key);
      assert.deepEqual([all()[0]?.files.length, all()[0]?.reason], [600, undefined]);
    });

    it('reports that there is no connection', async () => {
      const session = await rig.connect();
      rig.explorer.connectFlow.disconnect();
      await rig.explorer.searchFlow.run(session, byId(['f1']));
      assert.equal(all()[0]?.reason?.kind, 'notConnected');
    });
  });

  describe('the search parameters of a database (D26)', () => {
    const route = 'GET /api/v1/databases/a/search-parameters';
    const countRequests = (): number => rig.server.requestsTo(route).length;

    it('are requested once, even by two concurrent callers, and again after a new listing', async () => {
      rig.server.on(route, json({ d: { type: 'array(string)', value: ['asc'] } }));
      await rig.connect();
      const { parameterFlow, connectFlow } = rig.explorer;
      const [first] = await Promise.all([parameterFlow.load('Alpha'), parameterFlow.load('Alpha')]);
      await parameterFlow.load('Alpha');
      assert.deepEqual([first.parameters['d']?.values, countRequests()], [['asc'], 1]);
      await connectFlow.refreshDatabases();
      await parameterFlow.load('Alpha');
      assert.equal(countRequests(), 2);
    });

    it('are empty if the service has no such route', async () => {
      await rig.connect();
      assert.deepEqual(await rig.explorer.parameterFlow.load('Alpha'), { parameters: {} });
    });

    it('are put into the store, with the reason if they failed', async () => {
      rig.server.on(route, problem(403, 'not you'), json({}));
      await rig.connect();
      const { parameterFlow, parameterStore } = rig.explorer;
      const names: string[] = [];
      parameterStore.onDidChange((name) => names.push(name));
      await parameterFlow.load('Alpha');
      assert.deepEqual(names, ['Alpha']);
      assert.equal(parameterStore.get('Alpha')?.reason?.detail, 'not you');
      assert.deepEqual(await parameterFlow.load('Alpha'), { parameters: {} }, 'a failed request is repeated');
    });

    it('require a connection', async () => {
      const { reason } = await rig.explorer.parameterFlow.load('Alpha');
      assert.equal(reason?.kind, 'notConnected');
      assert.equal((await rig.explorer.parameterFlow.load('Alpha')).reason?.kind, 'notConnected');
    });
  });
});
