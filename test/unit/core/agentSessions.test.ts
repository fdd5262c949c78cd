import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AgentDecision } from '../../../src/core/agents/agentContext.ts';
import { chooseBehavior, dropBeforeAnswer, json, problem } from '../../support/faultBehaviors.ts';
import { SeededRandom } from '../../support/random.ts';
import { AgentStage } from './agentStage.ts';

const sessionCount = 200;
const callsPerSession = 6;

describe('Random sessions of agents', () => {
  it(`submit nothing without confirmation, nothing twice, and record each transfer: ${sessionCount} sessions (D64)`, async () => {
    const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000);
    const random = new SeededRandom(seed);
    const stage = await AgentStage.start({ f1: {}, f2: {}, f3: {} });
    const { server, explorer } = stage.rig;
    server.on(
      'POST /api/v1/transfers',
      chooseBehavior(
        () => [json({ id: randomUUID() }, 201), problem(500, 'no'), dropBeforeAnswer()][random.below(3)] ?? json({}),
      ),
    );
    const confirmed = new Set<string>();
    stage.decide = (question): AgentDecision => {
      const kind = (['yes', 'no', 'waiting'] as const)[random.below(3)] ?? 'no';
      if (kind === 'yes' && question.kind === 'submit') confirmed.add(question.plan.id);
      return kind === 'waiting' ? { kind, hint: 'elsewhere' } : { kind, by: 'test' };
    };
    const plans: string[] = [];
    const act = async (agent: ReturnType<AgentStage['createContext']>): Promise<void> => {
      const planId = plans[random.below(plans.length + 1)] ?? 'aaaaaaaaaaaa';
      const ids = [`f${1 + random.below(4)}`];
      const calls = [
        ['plan_transfer', { source: 'Alpha', destination: ['Beta', 'Beta', 'Gamma'][random.below(3)], ids }],
        ['submit_transfer', { planId, confirmed: true, force: 'yes' }],
        ['submit_transfer', { planId }],
        ['submit_transfer', { planId }],
        ['transfer_status', { id: planId }],
        ['cancel_transfer', { id: explorer.transferStore.getAll()[0]?.id ?? 'none' }],
      ] as const;
      const [name, input] = calls[random.below(calls.length)] ?? calls[0];
      const { content } = await stage.call(name, input, agent);
      if (name === 'plan_transfer' && typeof content['planId'] === 'string') plans.push(content['planId']);
      // Pending plans expire after 15 minutes. Without this, their limit would block the remaining sessions.
      if (content['code'] === 'tooManyPlans') await stage.rig.clock.pass(15 * 60_000);
    };
    for (let session = 0; session < sessionCount; session += 1) {
      const agents = [stage.createContext(`one ${session}`), stage.createContext(`two ${session}`)];
      for (let call = 0; call < callsPerSession / 2; call += 1) await Promise.all(agents.map(act));
    }
    await explorer.transferFlow.loadFinished();
    const recorded = explorer.transferStore.getAll().map(({ requestedBy }) => requestedBy?.plan ?? '');
    const remark = `PROPERTY_SEED=${seed}`;
    console.log(`      ${plans.length} plans, ${confirmed.size} confirmed, ${stage.submissionCount} submissions`);
    assert.ok(stage.submissionCount > 0, remark);
    assert.equal(new Set(recorded).size, recorded.length, `a plan was submitted twice: ${remark}`);
    assert.ok(
      recorded.every((plan) => confirmed.has(plan)),
      `no person confirmed a submission: ${remark}`,
    );
    assert.equal(stage.submissionCount, recorded.length, `a submission has no record: ${remark}`);
    await stage.end();
  });
});
