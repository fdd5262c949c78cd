import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { callAgentTool } from '../../../src/core/agents/callAgentTool.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { json, silence } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const active = { id, status: 'active', message: 'moving', num_files: 1, num_files_transferred: 0 };
const statusRequest = `GET /api/v1/transfers/${id}`;

describe('The transfer of an agent', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({ f1: {} });
    stage.rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    stage.rig.server.on(statusRequest, json(active));
    stage.decide = () => ({ kind: 'yes', by: 'test' });
  });
  afterEach(() => stage.end());

  const get = async (name: string, input: object = {}): Promise<JsonObject> => (await stage.call(name, input)).content;

  /** Submits a plan. Returns its ID and its transfer. */
  async function submit(): Promise<{ readonly planId: string; readonly transfer: Transfer }> {
    const planId = await stage.plan(['f1']);
    await get('submit_transfer', { planId });
    const [transfer] = stage.rig.explorer.transferStore.getAll();
    assert.ok(transfer);
    return { planId, transfer };
  }

  /** Requests the status without advancing the clock. */
  async function getStatus(): Promise<JsonObject> {
    const { signal } = new AbortController();
    return (await callAgentTool(stage.createContext(), 'transfer_status', { id }, signal)).content;
  }

  it('has its last known status at once if its service is not connected', async () => {
    await submit();
    await get('transfer_status', { id });
    stage.rig.explorer.connectFlow.disconnect();
    const count = stage.rig.server.requestsTo(statusRequest).length;
    assert.equal((await getStatus())['state'], 'active');
    assert.equal(stage.rig.server.requestsTo(statusRequest).length, count);
  });

  it('is recorded with its plan, which states where it was confirmed', async () => {
    const { planId, transfer } = await submit();
    const saved = await stage.createContext().plans.get(planId);
    assert.partialDeepStrictEqual(saved?.state, { kind: 'submitted', by: 'test', transferKey: transfer.key });
  });

  it('has a destination by its name, even if the agent gave its ID', async () => {
    await get('submit_transfer', { planId: await stage.plan(['f1'], { destination: 'b' }) });
    assert.equal(stage.rig.explorer.transferStore.getAll()[0]?.order.destination, 'Beta');
  });

  it('is not canceled if the service assigned no ID to it, and is not found by another ID', async () => {
    stage.rig.server.on('POST /api/v1/transfers', silence());
    const { transfer } = await submit();
    const count = stage.questions.length;
    const { error, code } = await get('cancel_transfer', { id: transfer.key });
    assert.deepEqual([error, code], ["The service hasn't returned an ID for it.", 'cannotTransfer']);
    assert.equal(stage.questions.length, count);
    assert.equal((await get('transfer_status', { id: 'x' }))['code'], 'notFound');
  });

  it('is not submitted if its plan is deleted while the prompt is open', async () => {
    const planId = await stage.plan(['f1']);
    stage.decide = async () => {
      await rm(join(stage.rig.folder, 'transfers', 'plans', `${planId}.json`));
      return { kind: 'yes', by: 'test' };
    };
    assert.deepEqual(await get('submit_transfer', { planId }), {
      error: 'There is no such plan.',
      code: 'notFound',
    });
    assert.equal(stage.submissionCount, 0);
  });

  it('is not submitted if it cannot be recorded, and the agent receives the reason', async () => {
    const planId = await stage.plan(['f1']);
    const context = stage.createContext();
    const { transferFlow } = stage.rig.explorer;
    Object.assign(transferFlow, { submit: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) });
    const { content } = await stage.call('submit_transfer', { planId }, context);
    const error = 'The transfer could not be saved (ENOSPC), so nothing was submitted. Plan it again.';
    assert.deepEqual(content, { error, code: 'notSaved' });
  });

  it('is planned without the entries of the service that cannot be read', async () => {
    stage.rig.server.on('POST /api/v1/files', json({ resources: [{ id: 'f1', name: 'f1' }, 5] }));
    const { files, error } = await get('plan_transfer', { source: 'Alpha', destination: 'Beta', query: 'x' });
    assert.deepEqual([files, error], [1, undefined]);
  });
});
