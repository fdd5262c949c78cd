import { l10n } from 'vscode';
import type { AgentError, AgentErrorCode } from '../../core/agents/agentError.ts';
import type { PlanState, TransferPlan } from '../../core/agents/transferPlan.ts';
import { toShortLine } from '../../core/util/visibleText.ts';
import { formatFileCount, formatTime } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';

const maxAgentLength = 60;

/** Returns the title of a proposed transfer, such as "3 files to My Data". */
export function getPlanTitle({ files, destination }: TransferPlan): string {
  return l10n.t('{0} to {1}', formatFileCount(files.length), toPlainLine(destination));
}

/** Formats an agent's self-reported name as one short line. */
export function formatAgentName(agent: string): string {
  return toShortLine(agent, maxAgentLength) || l10n.t('an agent');
}

/** Names the agent that requested a transfer or a cancellation. */
export function describeRequester(agent: string): string {
  return l10n.t('{0}: {1}', l10n.t('Requested by'), formatAgentName(agent));
}

/** Warns if a plan's texts may have been copied from a server; otherwise, empty. */
export function describeTextOrigin({ textOrigin }: TransferPlan): string {
  return textOrigin === 'server' ? l10n.t('The description or instructions may have been copied from a server.') : '';
}

/** Describes the deadline for confirming a plan. */
export function describeExpiry({ expiresAt, createdAt }: TransferPlan): string {
  return l10n.t('Can be confirmed until {0}', formatTime(expiresAt, createdAt));
}

/** Announces a plan that awaits a decision. */
export function describeProposal(plan: TransferPlan): string {
  return l10n.t('Transfer proposed by {0}: {1}', formatAgentName(plan.requestedBy), getPlanTitle(plan));
}

/** Describes a plan that was declined or has expired. Returns undefined for any other plan. */
export function describeClosedPlan(plan: TransferPlan, state: PlanState | undefined): string | undefined {
  if (state?.kind === 'declined') return l10n.t('Declined the proposed transfer of {0}.', getPlanTitle(plan));
  const isExpired = state === undefined || state.kind === 'expired';
  return isExpired ? l10n.t('The proposed transfer of {0} has expired.', getPlanTitle(plan)) : undefined;
}

/** Describes why a plan could not be submitted or declined. */
export function describeAgentError({ code, message }: AgentError, plan: TransferPlan): string {
  const title = getPlanTitle(plan);
  const sentences: Partial<Readonly<Record<AgentErrorCode, string>>> = {
    planExpired: l10n.t('The proposed transfer of {0} has expired.', title),
    planDecided: l10n.t('The proposed transfer of {0} was already confirmed or declined.', title),
    planElsewhere: l10n.t('This transfer was planned for another service: {0}', toPlainLine(plan.service.address)),
    submissionOff: l10n.t(
      "Nothing was sent: the {0} setting or the {1} file doesn't allow agents to submit transfers.",
      ...['dataTransfer.agents.submit', 'agents.json'],
    ),
    notSaved: l10n.t("Nothing was sent because your decision or the transfer couldn't be saved."),
  };
  return sentences[code] ?? l10n.t('Could not confirm or decline the proposed transfer: {0}', toPlainLine(message));
}
