import assert from 'node:assert/strict';
import type { Reason } from '../../../src/core/model/reason.ts';
import type { MatchKey } from '../../../src/core/tables/tableColumns.ts';
import type { MatchIndex } from '../../../src/core/tables/matchIndex.ts';
import type { MatchProgress } from '../../../src/core/search/tableMatchFlow.ts';
import { localServiceName } from '../../../src/contract/contract.ts';
import { chooseBehavior, json, problem, silence, tooLarge } from '../../support/faultBehaviors.ts';
import { eventually } from '../../support/eventually.ts';
import { Gate } from '../../support/gate.ts';
import { Rig } from './rig.ts';

describe('The flow that matches a table', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    progress = [];
  });
  afterEach(() => rig.end());

  let progress: MatchProgress[];
  const match = async (key: MatchKey, values: readonly string[]): Promise<MatchIndex> => {
    const { signal } = new AbortController();
    const onProgress = (one: MatchProgress): unknown => progress.push(one);
    const session = await rig.connect();
    return await rig.explorer.tableMatchFlow.match(session, { database: 'Alpha', key, values }, { signal, onProgress });
  };
  const counts = (index: MatchIndex): Readonly<Record<string, number | undefined>> =>
    Object.fromEntries(index.values.map((value) => [value, index.get(value)?.count]));

  const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `id-${at}`);

  const getReason = (index: MatchIndex, value: string): Reason | undefined => {
    const gap = index.get(value)?.gap;
    return gap?.kind === 'failed' ? gap.reason : undefined;
  };

  it('requests ids by id, each once', async () => {
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [{ id: '1' }, { id: '2' }] }));
    const index = await match('id', ['1', '2', '1', ' 3 ', '']);
    assert.deepEqual(counts(index), { 1: 1, 2: 1, ' 3 ': 0 });
    assert.equal(rig.server.requestsTo('GET /api/v1/files/by-id').length, 1);
  });

  for (const [service, name, parallel] of [
    ['the local service', localServiceName, 2],
    ['a public service', 'DTS prototype', 1],
  ] as const)
    it(`looks up ids of ${service} in ${parallel} at a time, and none after a failure`, async () => {
      const byId = 'GET /api/v1/files/by-id';
      const gate = new Gate();
      gate.hold();
      rig.server.on('GET /', json({ name, version: '1.0.0' }));
      rig.server.on(byId, problem(400, 'odd')).holdAt(gate, byId);
      const matching = match('id', numbered(9_000));
      await eventually(async () => (gate.waitingCount === parallel ? true : undefined));
      gate.release();
      const index = await matching;
      const requested = rig.server.requestsTo(byId).flatMap(({ query }) => (query.get('ids') ?? '').split(','));
      const isRequested = (batch: number): boolean => requested.includes(`id-${batch * 2_000}`);
      assert.deepEqual([isRequested(parallel - 1), isRequested(parallel)], [true, false]);
      assert.deepEqual([index.gaps.length, getReason(index, 'id-8999')?.detail], [9_000, 'odd']);
    });

  it('searches a public service once for each name, and accepts only exact matches', async () => {
    const resources = [
      { id: '1', name: 'a', path: 'x/a.txt' },
      { id: '2', name: 'a', path: 'x/a.txt.gz' },
      { id: '1', path: 'x/a.txt' },
    ];
    rig.server.on('POST /api/v1/files', json({ resources }));
    const index = await match('name', ['a.txt', 'a.txt']);
    assert.deepEqual(counts(index), { 'a.txt': 1 });
  });

  it('searches a public service for the name of a file if it has no such path', async () => {
    const respond = chooseBehavior(({ body }) => {
      const { query } = JSON.parse(body) as { readonly query: string };
      return json({ resources: query === 'a.txt' ? [{ id: '1', path: 'x/a.txt' }] : [] });
    });
    rig.server.on('POST /api/v1/files', respond);
    const index = await match('name', ['s3://lab/x/a.txt', 's3://lab/x/b.txt']);
    assert.deepEqual(
      index.values.map((value) => index.getByEnd(value)?.files.map(({ id }) => id)),
      [['1'], undefined],
    );
  });

  it('compares the hashes of all files of a service that pages exactly', async () => {
    rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
    const hash = 'a'.repeat(32);
    const many = Array.from({ length: 5_000 }, (_, index) => ({ id: String(index), hash: 'b'.repeat(32) }));
    rig.server.on('POST /api/v1/files', json({ resources: many }), json({ resources: [{ id: 'last', hash }] }));
    const index = await match('hash', [`md5:${hash}`, 'c'.repeat(32)]);
    assert.deepEqual(counts(index), { [hash]: 1, ['c'.repeat(32)]: 0 });
    assert.deepEqual(progress, [
      { unit: 'files', done: 0 },
      { unit: 'files', done: 5_000 },
    ]);
  });

  it('opens the files that it found as a search, and checks the given ones', async () => {
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [{ id: '1' }, { id: '2' }] }));
    const index = await match('id', ['1', '2']);
    const files = index.values.flatMap((value) => index.get(value)?.files ?? []);
    const { searchFlow, searchStore } = rig.explorer;
    const query = { database: 'Alpha', query: '', pageSize: 10, ids: ['1', '2'] };
    const key = searchFlow.openFound(await rig.connect(), query, files, files.slice(1));
    const search = searchStore.get(key);
    assert.deepEqual([search?.files.length, search?.isLoading, search?.mayHaveMore], [2, false, false]);
    assert.deepEqual(
      searchStore.getChecked(key).map(({ id }) => id),
      ['2'],
    );
  });

  it('keeps the reason of a value that was not looked up', async () => {
    rig.server.on('POST /api/v1/files', problem(400, 'odd'));
    const index = await match('name', ['a']);
    assert.deepEqual(getReason(index, 'a')?.detail, 'odd');
  });

  it('keeps the reason of a request that the service rejects with 404', async () => {
    rig.server.on('POST /api/v1/files', problem(404, 'no such database'));
    const index = await match('name', ['a']);
    assert.equal(getReason(index, 'a')?.kind, 'notFound');
  });

  it('does not accept a file of a truncated search as the only match', async () => {
    const resources = Array.from({ length: 100 }, (_, at) => ({ id: String(at), path: at === 0 ? 'a' : `a${at}` }));
    rig.server.on('POST /api/v1/files', json({ resources }));
    const index = await match('name', ['a']);
    assert.deepEqual(counts(index), { a: 1 });
    assert.deepEqual(index.get('a')?.gap, { kind: 'truncated', comparedCount: 100 });
  });

  const tooManyBytes = 33 * 1024 * 1024;

  it('halves the number of requested results while the response is too large', async () => {
    const respond = chooseBehavior(({ body }) => {
      const { limit } = JSON.parse(body) as { readonly limit: number };
      return limit > 25 ? tooLarge(tooManyBytes) : json({ resources: [{ id: '1', path: 'a' }] });
    });
    rig.server.on('POST /api/v1/files', respond);
    const index = await match('name', ['a']);
    assert.deepEqual([counts(index), index.gaps], [{ a: 1 }, []]);
    assert.equal(rig.server.requestsTo('POST /api/v1/files').length, 3);
  });

  it('halves the number of requested ids while the response is too large, and reports the one that is too large', async () => {
    const respond = chooseBehavior(({ query }) => {
      const ids = (query.get('ids') ?? '').split(',');
      return ids.includes('2') ? tooLarge(tooManyBytes) : json({ resources: ids.map((id) => ({ id })) });
    });
    rig.server.on('GET /api/v1/files/by-id', respond);
    const index = await match('id', ['1', '2', '3', '4']);
    assert.deepEqual(counts(index), { 1: 1, 2: 0, 3: 1, 4: 1 });
    assert.equal(getReason(index, '2')?.kind, 'tooLarge');
    assert.equal(index.gaps.length, 1);
  });

  it('requests ids that look like formulas unchanged, and skips an id of 10 MB', async () => {
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [{ id: '=1+1' }] }));
    const large = 'x'.repeat(10_000_000);
    const index = await match('id', ['=1+1', large]);
    assert.equal(index.get('=1+1')?.count, 1);
    assert.deepEqual(index.get(large)?.gap, { kind: 'tooLong' });
  });

  it('stops when it is canceled', async () => {
    rig.server.on('POST /api/v1/files', silence());
    const cancellation = new AbortController();
    const session = await rig.connect();
    const { tableMatchFlow } = rig.explorer;
    const before = rig.server.requests.length;
    const request = { database: 'Alpha', key: 'name', values: ['a', 'b'] } as const;
    const matching = tableMatchFlow.match(session, request, {
      signal: cancellation.signal,
      onProgress: () => undefined,
    });
    await rig.server.received(before + 2);
    cancellation.abort();
    await assert.rejects(matching, { name: 'AbortError' });
  });
});
