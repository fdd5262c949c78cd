import { l10n, ThemeColor, ThemeIcon, TreeItem } from 'vscode';
import type { TransferPlan } from '../../core/agents/transferPlan.ts';
import type { PlanNode } from '../editor/contributions.ts';
import { describeExpiry, describeRequester, formatAgentName, getPlanTitle } from '../words/agentWords.ts';
import { formatTime } from '../words/localeFormats.ts';
import { toPlainLine } from '../words/plainText.ts';
import { setAccessibleLabel } from './placeholders.ts';

/** Lists the transfers that agents propose. */
export interface PlanList {
  /** Returns the plans that await a decision, newest first. */
  getAll(): readonly TransferPlan[];
  get(id: string): TransferPlan | undefined;
  onDidChange(listener: () => void): { dispose(): unknown };
}

const icon = new ThemeIcon('hubot', new ThemeColor('problemsWarningIcon.foreground'));

/** Creates the row for a transfer that an agent proposes. Clicking the row shows the transfer's summary. */
export function createPlanItem(plan: TransferPlan): TreeItem {
  const { id, source, destination, requestedBy, expiresAt, createdAt } = plan;
  const item = new TreeItem(getPlanTitle(plan));
  item.id = `plan/${id}`;
  item.iconPath = icon;
  item.contextValue = 'plan';
  const expiry = l10n.t('expires {0}', formatTime(expiresAt, createdAt));
  item.description = `${expiry} · ${formatAgentName(requestedBy)}`;
  const direction = `${toPlainLine(source)} → ${toPlainLine(destination)}`;
  item.tooltip = [direction, describeRequester(requestedBy), describeExpiry(plan)].join('\n');
  const node: PlanNode = { kind: 'plan', id };
  item.command = { command: 'dataTransfer.confirmPlan', title: l10n.t('Confirm…'), arguments: [node] };
  return setAccessibleLabel(item);
}
