import { env, l10n } from 'vscode';
import type { AgentDecision } from '../../../core/agents/agentContext.ts';
import { toPlannedOrder, type TransferPlan } from '../../../core/agents/transferPlan.ts';
import { createUndecidedDecision } from '../../../core/agents/windowAnswers.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { describeRequester, describeTextOrigin } from '../../words/agentWords.ts';
import { getCancelQuestion, getTransferTitle } from '../../words/transferWords.ts';
import type { CommandServices } from '../services.ts';
import { confirmSubmission } from '../submission/submissionSummary.ts';

/** Maximum length of an agent's description and instructions. Longer text could push the buttons out of view. */
const maxTextLength = 1_000;

/**
 * Shows the summary of a proposed transfer, with buttons to submit or decline it. The transfer's service must be
 * connected.
 */
export async function askAboutPlan(
  services: CommandServices,
  plan: TransferPlan,
  connectionId: string,
): Promise<AgentDecision> {
  const answer = await confirmSubmission(services, [toPlannedOrder(plan, connectionId)], {
    notes: [describeRequester(plan.requestedBy), describeTextOrigin(plan)].filter(Boolean),
    maxTextLength,
    backLabel: l10n.t('Decline'),
  });
  if (answer === 'cancel') return createUndecidedDecision();
  return { kind: answer === 'next' ? 'yes' : 'no', by: getPlace() };
}

/** Asks whether to cancel a transfer. Names the agent that requested the cancellation. */
export async function askAboutCancel(
  { notifications }: CommandServices,
  transfer: Transfer,
  agent: string,
): Promise<AgentDecision> {
  const { question, effect } = getCancelQuestion(getTransferTitle(transfer));
  const detail = `${describeRequester(agent)}\n${effect}`;
  const [label, leave] = [l10n.t('Cancel Transfer'), l10n.t('Keep Running')];
  const isConfirmed = await notifications.confirmOrLeave(question, detail, label, leave);
  return { kind: isConfirmed ? 'yes' : 'no', by: getPlace() };
}

/** Returns the name of this editor, which is recorded with each decision. */
export function getPlace(): string {
  return env.appName;
}
