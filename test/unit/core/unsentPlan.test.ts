import assert from 'node:assert/strict';
import { describeState } from '../../../src/cli/text/transferDocument.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { dropBeforeAnswer, json, problem } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const route = 'POST /api/v1/transfers';

describe('A plan whose submission failed', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({ f1: {} });
    stage.rig.server.on(route, json({ id }, 201));
    stage.decide = () => ({ kind: 'yes', by: 'test' });
  });
  afterEach(() => stage.end());

  const submit = async (planId: string): Promise<JsonObject> =>
    (await stage.call('submit_transfer', { planId })).content;

  /** Withdraws the next submission before it is sent, for a reason on this machine. */
  function preventSending(): void {
    const client = stage.rig.explorer.sessions.active?.client;
    assert.ok(client);
    const original = client.transfer.bind(client);
    client.transfer = async (request, turn) => {
      client.transfer = original;
      const willSend = () => Promise.resolve({ kind: 'unreachable', code: 'ENETUNREACH' } as const);
      return await original(request, { ...turn, willSend });
    };
  }

  it('gives the reason, is "not sent" in the history, and can be confirmed again if nothing was sent', async () => {
    const planId = await stage.plan(['f1']);
    preventSending();
    const first = await submit(planId);
    const { reason } = first['data'] as { readonly reason: string };
    assert.deepEqual([first['transferId'], first['state']], ['none', 'not sent']);
    assert.equal(reason, 'unreachable');
    assert.match(String(first['note']), /call submit_transfer again/);
    const [transfer] = stage.rig.explorer.transferStore.getAll();
    assert.equal(transfer && describeState(transfer), 'not sent');
    assert.equal((await stage.call('transfer_status', { id: planId })).content['state'], 'not sent');
    const { plans } = stage.createContext();
    assert.equal((await plans.require(planId)).state.kind, 'proposed');
    const second = await submit(planId);
    assert.equal(second['transferId'], id);
    assert.equal((await plans.require(planId)).state.kind, 'submitted');
    assert.equal((await stage.call('transfer_status', { id: planId })).content['transferId'], id);
    assert.equal(stage.submissionCount, 1);
  });

  it('cannot be confirmed again if the service may have accepted it (D12)', async () => {
    stage.rig.server.on(route, dropBeforeAnswer());
    const planId = await stage.plan(['f1']);
    assert.equal((await submit(planId))['state'], 'not confirmed');
    assert.match(String((await submit(planId))['error']), /was already confirmed/);
    assert.equal(stage.submissionCount, 1);
  });

  it('gives the reason if the service refused it', async () => {
    stage.rig.server.on(route, problem(400, 'no such folder'));
    const planId = await stage.plan(['f1']);
    const { state, data } = await submit(planId);
    assert.equal(state, 'not started');
    assert.match(JSON.stringify(data), /refused: no such folder/);
    assert.match(String((await submit(planId))['error']), /was already confirmed/);
  });
});
