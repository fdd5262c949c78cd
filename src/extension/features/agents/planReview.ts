import { env, l10n } from 'vscode';
import { createUndecidedDecision, type AgentDecision, type ChangeQuestion } from '../../../core/agents/agentContext.ts';
import { AgentError } from '../../../core/agents/agentError.ts';
import {
  findPlanConnection,
  findPlannedOmission,
  findPlanTransfer,
  toPlannedOrder,
  type TransferPlan,
} from '../../../core/agents/transferPlan.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { PlanNode } from '../../editor/contributions.ts';
import { chooseOne } from '../../editor/quickInput.ts';
import {
  describeAgentError,
  describeExpiry,
  describeRequester,
  describeTextOrigin,
  getPlanTitle,
} from '../../words/agentWords.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { formatLeftOutLine } from '../../words/searchWords.ts';
import { describeListing } from '../../words/serviceNames.ts';
import { getChangeQuestion, getTransferTitle } from '../../words/transferWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';
import { confirmSubmission } from '../submission/submissionSummary.ts';
import { reportSubmission, sendOrder } from '../submission/submitTransfers.ts';

/** Shows the summary of a proposed transfer. Submits or declines the transfer, depending on the answer. */
export async function confirmPlan(services: CommandServices, node: PlanNode | undefined): Promise<void> {
  const plan = await choosePlan(services, node, l10n.t('Select the proposed transfer to confirm'));
  const connectionId = plan && (await openPlanService(services, plan));
  if (!plan || connectionId === undefined) return;
  const decision = await askAboutPlan(services, plan, connectionId);
  if (decision.kind === 'yes') await submit(services, plan);
  else if (decision.kind === 'no') await decline(services, plan);
}

/** Declines a proposed transfer. The agent learns of this when it next submits or checks the plan. */
export async function declinePlan(services: CommandServices, node: PlanNode | undefined): Promise<void> {
  const plan = await choosePlan(services, node, l10n.t('Select the proposed transfer to decline'));
  if (plan) await decline(services, plan);
}

/** Shows the row of the transfer that was created from a plan. If the service refused it, also shows the reason. */
export function reportPlanSubmission(services: CommandServices, planId: string): void {
  const transfer = findPlanTransfer(services, planId);
  if (transfer) reportSubmission(services, transfer);
}

async function choosePlan(
  { proposedPlans }: CommandServices,
  node: PlanNode | undefined,
  placeholder: string,
): Promise<TransferPlan | undefined> {
  await proposedPlans.refresh();
  if (node) return proposedPlans.get(node.id);
  const plans = proposedPlans.getAll();
  if (plans.length === 0) throw new CommandHint(l10n.t('There are no proposed transfers.'));
  const choices = plans.map((plan) => ({ label: getPlanTitle(plan), description: describeExpiry(plan), value: plan }));
  return await chooseOne(l10n.t('Proposed Transfers'), { placeholder, choices });
}

/** Opens the connection to a plan's service if needed. Returns its ID; undefined if the user cancels. */
async function openPlanService(services: CommandServices, plan: TransferPlan): Promise<string | undefined> {
  const { connectionId, address } = plan.service;
  const isOpen = findPlanConnection(services.sessions, plan) !== undefined;
  if (!isOpen && !(await getOrOpenConnection(services, connectionId))) return undefined;
  const open = findPlanConnection(services.sessions, plan);
  if (open) return open.connection.id;
  throw new CommandFailure(l10n.t('This transfer was planned for another service: {0}', address));
}

async function submit(services: CommandServices, plan: TransferPlan): Promise<void> {
  const { proposedPlans, agentPolicy: policy } = services;
  const { submitPlan } = await import('../../../core/agents/planSubmission.ts');
  const plans = await proposedPlans.openStore();
  const open = (): never => failElsewhere(plan);
  const context: Parameters<typeof submitPlan>[0] = {
    services,
    plans,
    policy,
    open: async () => open(),
    submit: (order, requestedBy) => sendOrder(services, order, { requestedBy }),
  };
  reportSubmission(services, await catchAgentError(plan, () => submitPlan(context, plan, getPlace())));
  await proposedPlans.refresh();
}

async function decline({ proposedPlans }: CommandServices, plan: TransferPlan): Promise<void> {
  const store = await proposedPlans.openStore();
  await catchAgentError(plan, () => store.decide(plan.id, 'declined', getPlace()));
  await proposedPlans.refresh();
}

/**
 * Runs `work` and resolves to its result. Replaces an {@link AgentError}, whose message is for the agent, with a
 * {@link CommandFailure} for the user.
 */
async function catchAgentError<T>(plan: TransferPlan, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AgentError ? new CommandFailure(describeAgentError(error, plan)) : error;
  }
}

function failElsewhere({ id }: TransferPlan): never {
  throw new AgentError('planElsewhere', id);
}

/** Maximum length of an agent's description and instructions. Longer text could push the buttons out of view. */
const maxTextLength = 1_000;

/** Shows a proposed transfer of a connected service, with buttons to submit or decline it. */
export async function askAboutPlan(
  services: CommandServices,
  plan: TransferPlan,
  connectionId: string,
): Promise<AgentDecision> {
  const { place = '', leftOut } = findPlannedOmission(plan) ?? {};
  const label = plan.folder === undefined ? l10n.t('Database: {0}', place) : l10n.t('Folder: {0}', place);
  const omissions = leftOut ? [toPlainLine(label), formatLeftOutLine(leftOut)] : [];
  const listed = (plan.listing && describeListing(plan.listing)) ?? '';
  const answer = await confirmSubmission(services, [toPlannedOrder(plan, connectionId)], {
    notes: [describeRequester(plan.requestedBy), describeTextOrigin(plan), ...omissions, listed].filter(Boolean),
    maxTextLength,
    backLabel: l10n.t('Decline'),
  });
  if (answer === 'cancel') return createUndecidedDecision();
  return { kind: answer === 'next' ? 'yes' : 'no', by: getPlace() };
}

/** Asks whether to cancel, pause or resume a transfer. Names the agent that requested it. */
export async function askAboutChange(
  { notifications }: CommandServices,
  { kind, transfer }: ChangeQuestion,
  agent: string,
): Promise<AgentDecision> {
  const { question, effect, label, leave } = getChangeQuestion(kind, getTransferTitle(transfer));
  const detail = `${describeRequester(agent)}\n${effect}`;
  const isConfirmed = await notifications.confirmOrLeave(question, detail, label, leave);
  return { kind: isConfirmed ? 'yes' : 'no', by: getPlace() };
}

function getPlace(): string {
  return env.appName;
}
