import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { chooseBehavior, json } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';

describe('A search by an agent', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({});
  });
  afterEach(() => stage.end());

  const search = async (input: object = {}): Promise<JsonObject> =>
    (await stage.call('search_files', { database: 'Alpha', ...input })).content;
  const listIds = ({ data }: JsonObject): readonly string[] =>
    (data as { readonly files: readonly { readonly id: string }[] }).files.map(({ id }) => id);
  const getLastRequest = (): JsonObject =>
    JSON.parse(stage.rig.server.requestsTo('POST /api/v1/files').at(-1)?.body ?? '') as JsonObject;

  const createEntries = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ id: `f${index}`, path: `f${index}` }));
  const answerFiles = (entries: readonly object[]): void => {
    stage.rig.server.on(
      'POST /api/v1/files',
      chooseBehavior(({ body }) => {
        const { offset = 0, limit = 100 } = JSON.parse(body) as { readonly offset?: number; readonly limit?: number };
        return json({ resources: entries.slice(offset, offset + limit) });
      }),
    );
  };
  const connectToLocalService = async (): Promise<void> => {
    stage.rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
    stage.rig.explorer.connectFlow.disconnect();
    await stage.rig.connect();
  };
  const hint = 'There may be more files. Narrow the query, or continue at nextOffset until a page has nothing new.';

  it('returns twenty rows, and the offset of the next page, which is a multiple of the page size (D9)', async () => {
    answerFiles(createEntries(30));
    const { data, ...rest } = await search();
    assert.equal(listIds({ data }).length, 20);
    assert.deepEqual(rest, { more: 'unknown', nextOffset: 20, hint });
    assert.equal(getLastRequest()['limit'], 20);
    const next = await search({ offset: 20 });
    assert.deepEqual([listIds(next).length, next['more'], next['nextOffset']], [10, 'unknown', 40]);
    assert.partialDeepStrictEqual(getLastRequest(), { offset: 20, limit: 20 });
    assert.deepEqual(await search({ offset: 40 }), { data: { files: [] }, more: 0 });
  });

  it('states that there are no more files after a short page of a service that fills its pages', async () => {
    await connectToLocalService();
    answerFiles(createEntries(20));
    assert.equal((await search())['more'], 'unknown');
    answerFiles(createEntries(19));
    const { data, ...rest } = await search();
    assert.deepEqual([listIds({ data }).length, rest], [19, { more: 0 }]);
  });

  it("returns the local service's cursor, and continues from it (D9)", async () => {
    await connectToLocalService();
    stage.rig.server.on('POST /api/v1/files', json({ resources: createEntries(20), cursor: 'abc' }));
    const { data, ...rest } = await search();
    assert.equal(listIds({ data }).length, 20);
    const cursorHint = 'There may be more files. Narrow the query, or continue with this cursor.';
    assert.deepEqual(rest, { more: 'unknown', cursor: 'abc', hint: cursorHint });
    await search({ cursor: 'abc' });
    assert.partialDeepStrictEqual(getLastRequest(), { cursor: 'abc', limit: 20 });
    assert.equal('offset' in getLastRequest(), false);
  });

  it('counts unreadable entries as part of the page', async () => {
    await connectToLocalService();
    answerFiles([{ id: 5 }, ...createEntries(20)]);
    const found = await search();
    assert.deepEqual([listIds(found).length, found['more'], found['nextOffset']], [19, 'unknown', 20]);
  });

  it('states how many files of a page that is too long are left out', async () => {
    stage.rig.server.on('POST /api/v1/files', json({ resources: createEntries(25) }));
    const found = await search();
    assert.deepEqual([listIds(found).length, found['more']], [20, 'at least 5']);
  });

  it('uses the filters of the agent', async () => {
    answerFiles(createEntries(1));
    await search({ query: 'soil', status: 'staged', specific: { year: 2026 } });
    assert.partialDeepStrictEqual(getLastRequest(), { query: 'soil', status: 'staged', specific: { year: 2026 } });
  });
});
