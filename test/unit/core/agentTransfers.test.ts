import assert from 'node:assert/strict';
import { AgentError } from '../../../src/core/agents/agentError.ts';
import { callAgentTool } from '../../../src/core/agents/callAgentTool.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const elsewhere = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';
const active = { id, status: 'active', message: 'moving', num_files: 1, num_files_transferred: 0 };

describe('The results of tools for agents', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({ f1: { license: 'MIT' }, f2: {} });
    stage.rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    stage.decide = () => ({ kind: 'yes', by: 'test' });
  });
  afterEach(() => stage.end());

  const get = async (name: string, input: object = {}): Promise<JsonObject> => (await stage.call(name, input)).content;
  const submit = async (): Promise<string> => {
    const planId = await stage.plan(['f1']);
    await get('submit_transfer', { planId });
    return planId;
  };

  describe('about transfers', () => {
    it('have the current status of the service, by the ID of the transfer, its record or its plan', async () => {
      stage.rig.server.on(`GET /api/v1/transfers/${id}`, json(active));
      const planId = await submit();
      const [transfer] = stage.rig.explorer.transferStore.getAll();
      for (const one of [id, id.toUpperCase(), planId, transfer?.key]) {
        const { transferId, state, files, data } = await get('transfer_status', { id: one });
        assert.deepEqual([transferId, state, files], [id, 'active', 1], one);
        assert.equal((data as JsonObject)['message'], 'moving');
      }
    });

    it('list all transfers if no ID is given, and state what a plan waits for', async () => {
      await submit();
      const planId = await stage.plan(['f2']);
      const { data } = await get('transfer_status');
      const { transfers } = data as { readonly transfers: readonly JsonObject[] };
      assert.deepEqual(
        transfers.map((one) => [one['transferId'], one['destination']]),
        [[id, 'Beta']],
      );
      const waiting = await get('transfer_status', { id: planId });
      assert.deepEqual([waiting['planId'], waiting['state']], [planId, 'proposed']);
    });

    it('request the status of a transfer that was started elsewhere, and record nothing', async () => {
      stage.rig.server.on(`GET /api/v1/transfers/${elsewhere}`, json({ ...active, id: elsewhere, num_files: 3 }));
      const { transferId, state, files } = await get('transfer_status', { id: elsewhere });
      assert.deepEqual([transferId, state, files], [elsewhere, 'active', 3]);
      assert.deepEqual(stage.rig.explorer.transferStore.getAll(), []);
    });

    it('state that there is no such transfer, or that its status could not be requested', async () => {
      assert.deepEqual(await get('transfer_status', { id: 'x' }), {
        error: 'There is no such transfer or plan.',
        code: 'notFound',
      });
      stage.rig.server.on(`GET /api/v1/transfers/${elsewhere}`, problem(404, 'no'));
      const missing = "This transfer is neither in the user's records nor known to the service.";
      assert.deepEqual(await get('transfer_status', { id: elsewhere }), { error: missing, code: 'notFound' });
      stage.rig.server.on(`GET /api/v1/transfers/${elsewhere}`, problem(400, 'no'));
      const { error, code, data } = await get('transfer_status', { id: elsewhere });
      assert.deepEqual([error, code], ["The status couldn't be requested.", 'requestFailed']);
      assert.match(JSON.stringify(data), /refused: no/);
    });

    it('ask with the current number of files in other transfers, not with that of the time of planning', async () => {
      stage.rig.server.on(`GET /api/v1/transfers/${id}`, json(active));
      const planIds = [await stage.plan(['f1', 'f2']), await stage.plan(['f1'])];
      for (const planId of planIds) await get('submit_transfer', { planId });
      const counts = stage.questions.map((one) => one.kind === 'submit' && one.plan.copies.underWay);
      assert.deepEqual(counts, [0, 1]);
    });

    it('cancel nothing without a decision', async () => {
      stage.rig.server.on(`GET /api/v1/transfers/${id}`, json(active));
      await submit();
      stage.decide = () => ({ kind: 'waiting', hint: 'later' });
      assert.deepEqual(await get('cancel_transfer', { id }), { state: 'waiting for user confirmation', hint: 'later' });
      assert.equal(stage.questions.at(-1)?.kind, 'cancel');
      assert.equal(stage.rig.server.requestsTo(`DELETE /api/v1/transfers/${id}`).length, 0);
    });

    it('state that a transfer continues with its stopped service (D70)', async () => {
      stage.rig.server.on(`GET /api/v1/transfers/${id}`, json({ ...active, paused: false }));
      await submit();
      const { transferStore } = stage.rig.explorer;
      transferStore.put(transferStore.getAll().map((one) => ({ ...one, problem: { kind: 'serviceStopped' } })));
      const open = (): Promise<never> => Promise.reject(new AgentError('notConnected', 'Its service is stopped.'));
      const { content } = await stage.call('resume_transfer', { id }, { ...stage.createContext(), open });
      const note = 'Its local service is stopped. It continues when the service starts.';
      assert.deepEqual([content['state'], content['note']], ['paused', note]);
    });

    it('cancel nothing that has ended', async () => {
      const done = { ...active, status: 'succeeded', num_files_transferred: 1 };
      stage.rig.server.on(`GET /api/v1/transfers/${id}`, json(done));
      await submit();
      const count = stage.questions.length;
      assert.equal((await get('transfer_status', { id }))['state'], 'succeeded');
      const { state, note } = await get('cancel_transfer', { id });
      assert.deepEqual([state, note, stage.questions.length], ['succeeded', 'It has already ended.', count]);
    });

    it('state why a transfer was not canceled', async () => {
      stage.rig.server.on(`GET /api/v1/transfers/${id}`, json(active));
      stage.rig.server.on(`DELETE /api/v1/transfers/${id}`, problem(403, 'not yours'));
      await submit();
      const { error, code, data } = await get('cancel_transfer', { id });
      assert.deepEqual([error, code], ["The cancellation wasn't confirmed.", 'requestFailed']);
      assert.match(JSON.stringify(data), /not yours/);
      stage.decide = () => ({ kind: 'no', by: 'test' });
      assert.equal((await get('cancel_transfer', { id }))['error'], 'The user declined. The transfer continues.');
    });

    it('submit nothing that does not exist', async () => {
      const missing = await get('submit_transfer', { planId: 'aaaaaaaaaaaa' });
      assert.deepEqual(missing, { error: 'There is no such plan.', code: 'notFound' });
      await stage.policy.write('never');
      const off = 'Transfers by agents are switched off. Nothing was submitted.';
      assert.deepEqual(await get('submit_transfer', { planId: await stage.plan(['f1']) }), {
        error: off,
        code: 'submissionOff',
      });
      assert.deepEqual([stage.questions, stage.submissionCount], [[], 0]);
    });
  });

  describe('about files', () => {
    it('list the IDs that a database does not have', async () => {
      const { data, missing } = await get('describe_files', { database: 'Alpha', ids: ['f1', 'nope'] });
      const { files } = data as { readonly files: readonly JsonObject[] };
      assert.deepEqual([files.map((one) => [one['id'], one['licenses']]), missing], [[['f1', ['MIT']]], ['nope']]);
      assert.deepEqual(await get('describe_files', { database: 'Alpha', ids: ['no'] }), {
        data: { files: [] },
        missing: ['no'],
      });
    });

    it('state why metadata could not be fetched', async () => {
      stage.rig.server.on('GET /api/v1/files/by-id', problem(403, 'secret'));
      const { error, code, data } = await get('describe_files', { database: 'Alpha', ids: ['f1'] });
      assert.deepEqual([error, code], ["The metadata couldn't be fetched.", 'requestFailed']);
      assert.match(JSON.stringify(data), /secret/);
    });
  });

  describe('about databases', () => {
    const listing = { state: 'listed', files: 5 };
    const databases = [
      { id: 'a', name: 'Alpha', organization: 'One', url: '' },
      { id: 'b', name: 'Beta', organization: '', url: '', readOnly: true, listing },
    ];

    it('have the known properties of each', async () => {
      stage.rig.server.on('GET /api/v1/databases', json(databases));
      const { service, data, more } = await get('list_databases');
      assert.deepEqual([service, more], [stage.rig.server.address, undefined]);
      assert.deepEqual(data, {
        serviceName: 'Test service',
        databases: [
          { name: 'Alpha', organization: 'One' },
          { name: 'Beta', readOnly: true, listing: 'listed', files: 5 },
        ],
      });
    });

    it('reject a read-only one as a destination', async () => {
      stage.rig.server.on('GET /api/v1/databases', json(databases));
      stage.rig.explorer.connectFlow.disconnect();
      await stage.rig.connect();
      const { error, code } = await get('plan_transfer', { source: 'Alpha', destination: 'Beta', ids: ['f1'] });
      assert.deepEqual([error, code], ['The destination is read-only.', 'cannotTransfer']);
    });

    it('include those that the service added after the window listed them', async () => {
      stage.rig.server.on('GET /api/v1/databases', json([...databases, { id: 'c', name: 'Gamma' }]));
      const before = stage.rig.server.requestsTo('GET /api/v1/databases').length;
      for (const database of ['Alpha', 'Gamma'])
        assert.equal((await get('search_files', { database }))['error'], undefined);
      assert.equal(stage.rig.server.requestsTo('GET /api/v1/databases').length, before + 1);
      assert.deepEqual((await get('search_files', { database: 'Gamna' }))['data'], {
        reason: 'The nearest name is "Gamma".',
      });
    });

    it('suggest no name if none is similar', async () => {
      const { code, data } = await get('search_files', { database: 'Nothing like it' });
      assert.deepEqual([code, data], ['notFound', undefined]);
    });

    it('state that they could not be listed', async () => {
      stage.rig.server.on('GET /api/v1/databases', problem(403, 'secret'));
      const { error, code } = await get('list_databases');
      assert.deepEqual([error, code], ["The databases couldn't be listed.", 'requestFailed']);
    });
  });

  describe('about plans', () => {
    it('list at most ten unknown IDs', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => `no${index}`);
      const { error, code } = await get('plan_transfer', { source: 'Alpha', destination: 'Beta', ids });
      assert.equal(code, 'notFound');
      assert.match(String(error), /^The source doesn't have 12 of these IDs: "no0", .*"no9" and 2 more\.$/);
    });

    it('start nothing after a transfer (D64, D72)', async () => {
      const order = { source: 'Alpha', destination: 'Beta', ids: ['f1'] };
      for (const then of [{ program: '/bin/sh' }, 'later'])
        assert.deepEqual(await get('plan_transfer', { ...order, instructions: { then } }), {
          error: `Agents can't have anything started after a transfer: remove "then".`,
          code: 'badInput',
        });
      // A plan's file may have been written by another program.
      const { plans } = stage.createContext();
      await stage.plan(['f1']);
      const [saved] = await plans.list();
      assert.ok(saved);
      const { id: planId } = await plans.create({ ...saved.plan, instructions: { then: { program: '/bin/sh' } } });
      stage.decide = () => ({ kind: 'yes', by: 'test' });
      assert.equal((await get('submit_transfer', { planId }))['code'], 'badInput');
      assert.equal(stage.submissionCount, 0);
    });

    it('have the licenses, copies and text that the user needs for a decision', async () => {
      const listing = { state: 'listed', files: 0, freeBytes: 1_000 };
      const names = ['Alpha', 'Beta'];
      const databases = names.map((name) => ({ id: name.toLowerCase(), name, organization: 'Org', url: '', listing }));
      stage.rig.server.on('GET /api/v1/databases', json(databases));
      await stage.rig.explorer.connectFlow.refreshDatabases();
      const { data, freeBytes, expiresAt } = await get('plan_transfer', {
        source: 'Alpha',
        destination: 'Beta',
        ids: ['f1', 'f2'],
        description: 'For May',
        instructions: { a: 1 },
      });
      assert.partialDeepStrictEqual(data, {
        licenses: [
          { license: 'MIT', files: 1 },
          { license: 'not stated', files: 1 },
        ],
      });
      const [saved] = await stage.createContext().plans.list();
      const { createdAt = 0 } = saved?.plan ?? {};
      assert.deepEqual([freeBytes, expiresAt], [1_000, new Date(createdAt + 15 * 60_000).toISOString()]);
      const { requestedBy, service, source, destination, description, instructions } = saved?.plan ?? {};
      assert.deepEqual(
        [requestedBy, source, destination, description, instructions],
        ['test-agent', 'Alpha', 'Beta', 'For May', { a: 1 }],
      );
      assert.deepEqual(service?.address, stage.rig.server.address);
    });

    it('state that their texts were copied from a server, if the agent says so', async () => {
      const details = { description: 'As the readme says' };
      const planIds = [
        await stage.plan(['f1'], { ...details, textFromServer: true }),
        await stage.plan(['f1'], details),
      ];
      const { plans } = stage.createContext();
      const saved = await Promise.all(planIds.map((planId) => plans.require(planId)));
      assert.deepEqual(
        saved.map(({ plan }) => plan.textOrigin),
        ['server', 'agent'],
      );
    });

    it('keep only the paths that match, and use the filters of a search', async () => {
      const { files } = await get('plan_transfer', {
        source: 'Alpha',
        destination: 'Beta',
        ids: ['f1', 'f2'],
        paths: ['f2*'],
      });
      assert.equal(files, 1);
      await get('plan_transfer', {
        source: 'Alpha',
        destination: 'Beta',
        query: 'x',
        status: 'staged',
        specific: { y: 1 },
      });
      const body = JSON.parse(stage.rig.server.requestsTo('POST /api/v1/files').at(-1)?.body ?? '') as JsonObject;
      assert.partialDeepStrictEqual(body, { query: 'x', status: 'staged', specific: { y: 1 } });
    });

    it('state why the files could not be determined', async () => {
      stage.rig.server.on('POST /api/v1/files', problem(400, 'bad query'));
      const { error, data } = await get('plan_transfer', { source: 'Alpha', destination: 'Beta', query: 'x' });
      assert.equal(error, "The files couldn't be determined.");
      assert.match(JSON.stringify(data), /bad query/);
    });
  });

  describe('that fail', () => {
    it('state that the call was canceled, or that the log has the details', async () => {
      const context = stage.createContext();
      const fail = { ...context, connect: () => Promise.reject(new Error('broken')) };
      const internal = { error: 'The tool failed unexpectedly. See the log.', code: 'internal' };
      assert.deepEqual((await stage.call('list_databases', {}, fail)).content, internal);
      assert.ok(stage.rig.log.lines.some((line) => line.includes('A tool failed: Error: broken')));
      const { content } = await callAgentTool(context, 'list_databases', {}, AbortSignal.abort());
      assert.deepEqual(content, { error: 'The call was canceled.', code: 'cancelled' });
    });

    it('are logged with short arguments and their outcome', async () => {
      await stage.call('search_files', {
        database: 'Alpha',
        ids: ['1', '2', '3', '4', '5', '6'],
        few: ['a'],
        more: { a: 1 },
        n: 5,
      });
      await stage.call('search_files', 'text');
      const lines = stage.rig.log.lines.filter((line) => line.includes('Agent test-agent: search_files'));
      const shown = '{"database":"Alpha","ids":"(6 values)","few":["a"],"more":"(1 fields)","n":5}';
      assert.ok(lines[0]?.includes(`search_files ${shown}: 0 ms, failed: Unknown field "ids".`), lines[0]);
      assert.ok(lines[1]?.includes('search_files (string): 0 ms, failed: The input must be an object.'), lines[1]);
    });
  });
});
