import { findFilesUnderWay, wasSent } from '../model/transferOutcome.ts';
import type { Transfer } from '../model/transferModel.ts';
import { getErrorCode } from '../util/errorFacts.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import type { SubmissionRule } from './agentPolicy.ts';
import { requireProposed } from './planStore.ts';
import { requireNoFollowUp } from './planTransferTool.ts';
import { findPlanConnection, toPlannedOrder, type TransferPlan } from './transferPlan.ts';

/** The part of {@link AgentContext} that a submission needs. */
type PlanSubmissionContext = Pick<AgentContext, 'services' | 'plans' | 'policy' | 'open' | 'submit'>;

/** Throws {@link AgentError} if agents aren't allowed to submit transfers, or if the rule can't be read. */
export async function requireSubmissionAllowed({ policy }: Pick<AgentContext, 'policy'>): Promise<void> {
  const rule: SubmissionRule = await policy.read();
  if (rule === 'never')
    throw new AgentError('submissionOff', 'Transfers by agents are switched off. Nothing was submitted.');
}

/**
 * Submits a plan once (D12: never resubmit). `by` names the place where a person confirmed the plan. Resolves to the
 * plan's transfer, whose state shows whether the service accepted it. If nothing was sent, the plan can be decided on
 * again. Throws {@link AgentError} if the plan doesn't
 * exist, has expired or was already decided on, if there is no connection to its service, if agents aren't allowed to
 * submit, or if the decision or the transfer can't be recorded. In these cases, nothing was sent.
 */
export async function submitPlan(context: PlanSubmissionContext, plan: TransferPlan, by: string): Promise<Transfer> {
  const { plans } = context;
  const { id } = plan;
  // The file of the plan may have been written by another program.
  requireNoFollowUp(plan);
  requireProposed(await plans.require(id));
  // Submit `plan`, which the person saw, even if its file has changed since then.
  const connectionId = await openPlanConnection(context, plan);
  // The rule may have changed while the person was deciding.
  await requireSubmissionAllowed(context);
  await plans.decide(id, 'confirmed', by);
  const requestedBy = { agent: plan.requestedBy, plan: id };
  const submitting = context.submit(toPlannedOrder(plan, connectionId), requestedBy);
  const transfer = await submitting.catch((error: unknown) => {
    const cause = `The transfer could not be saved (${getErrorCode(error)})`;
    throw new AgentError('notSaved', `${cause}, so nothing was submitted. Plan it again.`);
  });
  if (wasSent(transfer)) await plans.recordTransfer(id, transfer.key);
  else await plans.reopen(transfer);
  return transfer;
}

/** Returns a plan with the number of its files in other transfers, which may have started after it was made. */
export function withFilesUnderWay({ services }: Pick<AgentContext, 'services'>, plan: TransferPlan): TransferPlan {
  const { sessions, transferStore } = services;
  const connectionId = findPlanConnection(sessions, plan)?.connection.id ?? plan.service.connectionId;
  const order = toPlannedOrder(plan, connectionId);
  const serviceIds = sessions.getServiceIds(connectionId);
  const { count: underWay } = findFilesUnderWay(transferStore.getAll(), [order], serviceIds);
  return { ...plan, copies: { ...plan.copies, underWay } };
}

/**
 * Opens the connection to a plan's service if necessary, and returns the connection's ID. Throws {@link AgentError} if
 * the connection can't be opened or leads to a different service.
 */
async function openPlanConnection({ services, open }: PlanSubmissionContext, plan: TransferPlan): Promise<string> {
  const { connectionId, address } = plan.service;
  if (!findPlanConnection(services.sessions, plan)) await open(connectionId, address);
  const opened = findPlanConnection(services.sessions, plan);
  if (opened) return opened.connection.id;
  throw new AgentError('planElsewhere', `Plan ${plan.id} belongs to a service that isn't connected.`);
}
