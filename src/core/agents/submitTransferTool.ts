import * as z from 'zod/mini';
import { AgentError } from './agentError.ts';
import { defineTool } from './agentTool.ts';
import { limitedText } from './inputCheck.ts';
import { requireSubmissionAllowed, submitPlan } from './planSubmission.ts';
import { requireProposed } from './planStore.ts';
import { toTransferAnswer } from './transferAnswer.ts';

/** Asks a person to confirm a plan, and submits the plan if they do. */
export const submitTransferTool = defineTool({
  name: 'submit_transfer',
  title: 'Submit a Planned Transfer',
  description:
    'Asks the user to confirm a plan and then submits it, once. Takes only a planId from plan_transfer. If the ' +
    'answer is "waiting", the user confirms it elsewhere: do not retry, check with transfer_status. If declined, stop.',
  isReadOnly: false,
  input: z.strictObject({ planId: limitedText(100) }),
  run: async (context, { planId }, signal) => {
    await requireSubmissionAllowed(context);
    const saved = await context.plans.require(planId);
    requireProposed(saved);
    const { plan } = saved;
    const decision = await context.confirm({ kind: 'submit', plan }, { signal });
    if (decision.kind === 'waiting') return { state: 'waiting for user confirmation', planId, hint: decision.hint };
    if (decision.kind === 'yes') {
      return toTransferAnswer(await submitPlan(context, plan, decision.by), context.describeReason);
    }
    await context.plans.decide(planId, 'declined', decision.by);
    throw new AgentError('declined', "The user declined. Nothing was submitted; don't plan it again unless asked.");
  },
});
