import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import fs, { cp } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock } from 'node:test';
import { describeState } from '../../../src/cli/text/transferText.ts';
import { PlanStore } from '../../../src/core/agents/planStore.ts';
import type { TransferPlan } from '../../../src/core/agents/transferPlan.ts';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { CoreWindow } from '../../support/coreWindow.ts';
import { dropBeforeAnswer, json, problem, silence } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';
import { until } from './rig.ts';
import { submittingTransfer } from './specimens.ts';

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const route = 'POST /api/v1/transfers';

describe('A plan whose submission failed', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({ f1: {} });
    stage.rig.server.on(route, json({ id }, 201));
    stage.decide = () => ({ kind: 'yes', by: 'test' });
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    return stage.end();
  });

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

  it('can be confirmed again if another window found that the program ended before it was sent', async () => {
    const { rig } = stage;
    rig.server.on(route, silence());
    const received = rig.server.received(rig.server.requests.length + 1);
    void rig.explorer.transferFlow.submit(rig.order);
    await received;
    const planId = await stage.plan(['f1']);
    const { transferStore } = rig.explorer;
    const isPlanned = ({ requestedBy }: Transfer): boolean => requestedBy?.plan === planId;
    void stage.call('submit_transfer', { planId });
    await until(transferStore.onDidChange, () => transferStore.getAll().some(isPlanned));
    // A process that dies leaves its records, and locks that are free.
    const [folder, left] = [join(rig.folder, 'transfers'), join(rig.folder, 'left')];
    for (const name of ['running', 'plans']) await cp(join(folder, name), join(left, name), { recursive: true });
    const plans = new PlanStore(left, rig.clock, rig.log);
    assert.equal((await plans.require(planId)).state.kind, 'confirmed');
    const place = { ledgerFolder: left, server: rig.server.address, key: 'the-key', now: rig.clock.now() };
    const window = await CoreWindow.open(place);
    assert.equal(window.explorer.transferStore.getAll().find(isPlanned)?.problem?.kind, 'notSent');
    assert.equal((await plans.require(planId)).state.kind, 'proposed');
    await window.end();
  });

  it('keeps the next decision if the program that was thought to have ended continues', async () => {
    const planId = await stage.plan(['f1']);
    const { explorer, folder, log, clock } = stage.rig;
    const ledger = new TransferLedger(join(folder, 'transfers'), log);
    const { plans } = stage.createContext();
    const client = explorer.sessions.active?.client;
    assert.ok(client);
    const original = client.transfer.bind(client);
    client.transfer = async (request, turn) => {
      const [waiting] = explorer.transferStore.getRunning();
      assert.ok(waiting);
      const settled = { ...withState(waiting, 'refused', clock.now()), problem: { kind: 'notSent' } } as const;
      await ledger.update(waiting.key, () => settled);
      await plans.reopen(settled);
      await clock.pass(1);
      await plans.decide(planId, 'confirmed', 'other window');
      return await original(request, turn);
    };
    assert.equal((await submit(planId))['state'], 'not sent');
    const { state } = await plans.require(planId);
    assert.deepEqual([state.kind, 'by' in state && state.by], ['confirmed', 'other window']);
    assert.equal(stage.submissionCount, 0);
  });

  it('keeps the next decision if two windows withdraw the last one at the same time', async () => {
    const planId = await stage.plan(['f1']);
    const { plans } = stage.createContext();
    const now = stage.rig.clock.now();
    const transfer: Transfer = { ...submittingTransfer, createdAt: now, requestedBy: { agent: 'a', plan: planId } };
    await plans.decide(planId, 'confirmed', 'first');
    const { readFile } = fs;
    const other = new EventEmitter();
    let withdrawn: Promise<unknown> | undefined;
    let decided: TransferPlan | undefined;
    mock.method(fs, 'readFile', async (path: string, encoding: 'utf8') => {
      const content = await readFile(path, encoding);
      if (withdrawn && path.endsWith('.lock')) other.emit('waits');
      if (withdrawn || !path.endsWith('.decision.json')) return content;
      // After the first window has read the decision, the second one withdraws it, if it can.
      const waits = once(other, 'waits');
      withdrawn = stage.createContext().plans.reopen(transfer);
      await Promise.race([withdrawn, waits]);
      await stage.rig.clock.pass(1);
      decided = await stage
        .createContext()
        .plans.decide(planId, 'confirmed', 'next')
        .catch(() => undefined);
      return content;
    });
    syncBuiltinESMExports();
    await plans.reopen(transfer);
    await withdrawn;
    const { state } = await plans.require(planId);
    assert.deepEqual([withdrawn === undefined, state.kind], [false, decided ? 'confirmed' : 'proposed']);
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
