import assert from 'node:assert/strict';
import { describeOmissions } from '../../../src/cli/recipes/planText.ts';
import { describeListing } from '../../../src/cli/text/sentences.ts';
import { localServiceName } from '../../../src/contract/contract.ts';
import { formatPlanSummary } from '../../../src/cli/agents/planActions.ts';
import type { StoreListing } from '../../../src/core/model/databaseModel.ts';
import { json, type Behavior } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';

const asOf = '2026-11-30T01:00:00.000Z';
const failed = { state: 'failed', files: 1, asOf, problem: 'its server\ndenies access' } as const;
const sentence = `The listing is from ${asOf}, because the last scan failed: its server denies access.`;

/** The answer of the local service to a request for files by IDs that it doesn't have. */
function unknownIds(listing: StoreListing): Behavior {
  const errors = [{ message: 'unknown: "gone"', location: 'query.ids' }];
  return json(
    { title: 'Not Found', status: 404, detail: 'The database does not have all of the files.', errors, listing },
    404,
  );
}

describe('A listing of a store that is old or incomplete (D62)', () => {
  let stage: AgentStage;

  beforeEach(async () => {
    stage = await AgentStage.start({ f1: {} });
    stage.rig.server
      .on('GET /', json({ name: localServiceName, version: '1.2.3' }))
      .on('POST /api/v1/files', json({ resources: [{ id: 'f1', path: 'f1.csv', bytes: 5 }], listing: failed }))
      .on('GET /api/v1/files/by-id', json({ resources: [{ id: 'f1', path: 'f1.csv', bytes: 5 }], listing: failed }));
    await stage.rig.connect();
  });
  afterEach(() => stage.end());

  for (const [listing, text] of [
    [failed, sentence],
    [{ ...failed, state: 'scanning' }, sentence],
    [
      { state: 'failed', files: 1, asOf },
      `The listing is from ${asOf}, because the last scan failed: the service gave no reason.`,
    ],
    [
      { state: 'failed', files: 1, problem: 'it is full' },
      'The listing is incomplete, because the last scan failed: it is full.',
    ],
    [{ state: 'scanning', files: 1, asOf }, `The listing is from ${asOf}, and a scan is running.`],
    [{ state: 'scanning', files: 1 }, 'The listing is incomplete, and a scan is running.'],
    [{ state: 'listed', files: 1, asOf }, undefined],
  ] as const)
    it(`is described: ${JSON.stringify(listing)}`, () => {
      assert.equal(describeListing(listing), text);
    });

  const searchById = async (...ids: readonly string[]): Promise<unknown> => {
    const { sessions, searchFlow, searchStore } = stage.rig.explorer;
    const session = sessions.active ?? assert.fail();
    const key = await searchFlow.run(session, { database: 'Alpha', query: '', pageSize: 10, ids });
    return searchStore.get(key)?.listing;
  };

  it('is known of a search by IDs, even if none of them is found', async () => {
    assert.deepEqual(await searchById('f1'), failed);
    stage.rig.server.on('GET /api/v1/files/by-id', unknownIds(failed));
    assert.deepEqual(await searchById('gone'), failed);
  });

  it('is not believed of another service', async () => {
    stage.rig.server.on('GET /', json({ name: 'KBase DTS', version: '1.2.3' }));
    await stage.rig.connect();
    for (const behavior of [json({ resources: [], listing: failed }), unknownIds(failed)]) {
      stage.rig.server.on('GET /api/v1/files/by-id', behavior);
      assert.equal(await searchById('f1'), undefined);
    }
  });

  it('is named to agents, as data, in searches, metadata and plans', async () => {
    for (const [tool, input] of [
      ['search_files', { database: 'Alpha' }],
      ['describe_files', { database: 'Alpha', ids: ['f1'] }],
      ['plan_transfer', { source: 'Alpha', destination: 'Beta', ids: ['f1'] }],
      ['plan_transfer', { source: 'Alpha', destination: 'Beta', query: '' }],
    ] as const) {
      const { content } = await stage.call(tool, input);
      assert.equal((content['data'] as { listing?: string }).listing, sentence, tool);
    }
    stage.rig.server.on('GET /api/v1/files/by-id', unknownIds(failed));
    const { content } = await stage.call('plan_transfer', { source: 'Alpha', destination: 'Beta', ids: ['gone'] });
    assert.deepEqual([content['code'], content['data']], ['notFound', { reason: sentence }]);
  });

  it('is named to the person who decides on the plan of an agent', async () => {
    const planId = await stage.plan(['f1']);
    const { plan } = await stage.createContext().plans.require(planId);
    assert.ok(formatPlanSummary(plan).split('\n').includes(sentence), formatPlanSummary(plan));
  });

  it('is known of the matches of a table', async () => {
    const { sessions, tableMatchFlow } = stage.rig.explorer;
    const session = sessions.active ?? assert.fail();
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    for (const key of ['id', 'name', 'hash'] as const) {
      const index = await tableMatchFlow.match(session, { database: 'Alpha', key, values: ['f1'] }, options);
      assert.deepEqual(index.listing, failed, key);
    }
  });

  it('is named in the dry run of a recipe, however it selects its files', async () => {
    const { sessions, recipeFlow } = stage.rig.explorer;
    const session = sessions.active ?? assert.fail();
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    for (const selection of [{ ids: ['f1'] }, { folder: '/' }, { search: { query: 'f1' } }]) {
      const recipe = { from: { database: 'Alpha', ...selection } };
      const plan = await recipeFlow.plan(session, { recipe, folder: '' }, options);
      assert.deepEqual(describeOmissions(plan), [sentence], JSON.stringify(selection));
    }
  });
});
