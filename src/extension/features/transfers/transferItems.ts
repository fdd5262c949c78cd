import { l10n, ThemeColor, ThemeIcon, TreeItem } from 'vscode';
import type { TransferPlan } from '../../../core/agents/transferPlan.ts';
import {
  getEndedAt,
  getPauseChange,
  hasEnded,
  isPaused,
  isPausedByUser,
  type Transfer,
  type TransferState,
} from '../../../core/model/transferModel.ts';
import { getOutcome, mayHaveFiles } from '../../../core/model/transferOutcome.ts';
import type { PlanNode, TransferNode } from '../../editor/contributions.ts';
import { describeExpiry, describeRequester, formatAgentName, getPlanTitle } from '../../words/agentWords.ts';
import { formatTime } from '../../words/localeFormats.ts';
import { toPlainLine, toPlainText } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { getForeignServiceName } from '../../words/serviceNames.ts';
import {
  describeProgress,
  describeRowProgress,
  getTransferRowTitle,
  getTransferTitle,
  listTransferFacts,
} from '../../words/transferWords.ts';
import { setAccessibleLabel } from '../../views/placeholders.ts';
import { getCommandTitle } from '../../words/commandTitles.ts';

const maxSourceLength = 18;

/** Returns the keys of the transfers whose row titles aren't unique. */
export function findLookAlikes(transfers: readonly Transfer[]): ReadonlySet<string> {
  const keysByTitle = new Map<string, string[]>();
  for (const transfer of transfers) {
    const title = getTransferRowTitle(transfer);
    const keys = keysByTitle.get(title) ?? [];
    keys.push(transfer.key);
    keysByTitle.set(title, keys);
  }
  return new Set([...keysByTitle.values()].filter(({ length }) => length > 1).flat());
}

const icons: Readonly<Record<TransferState, ThemeIcon>> = {
  submitting: new ThemeIcon('loading~spin'),
  notConfirmed: new ThemeIcon('question', new ThemeColor('problemsWarningIcon.foreground')),
  refused: new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground')),
  accepted: new ThemeIcon('watch'),
  staging: new ThemeIcon('cloud-download'),
  active: new ThemeIcon('sync~spin'),
  finalizing: new ThemeIcon('tasklist'),
  inactive: new ThemeIcon('debug-pause', new ThemeColor('problemsWarningIcon.foreground')),
  unknown: new ThemeIcon('question'),
  running: new ThemeIcon('sync~spin'),
  succeeded: new ThemeIcon('pass', new ThemeColor('charts.green')),
  failed: new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground')),
  cancelled: new ThemeIcon('circle-slash'),
  expired: new ThemeIcon('history'),
};

const partialIcon = new ThemeIcon('warning', new ThemeColor('problemsWarningIcon.foreground'));

const pausedByUserIcon = new ThemeIcon('debug-pause');

function getIcon(transfer: Transfer): ThemeIcon {
  if (getOutcome(transfer) === 'partial') return partialIcon;
  if (isPaused(transfer)) return icons.inactive;
  return isPausedByUser(transfer) ? pausedByUserIcon : icons[transfer.state];
}

/**
 * Creates the row for a transfer. If `isAlike` is true, adds the time and the source, because another row has the same
 * title.
 */
export function createTransferItem(
  transfer: Transfer,
  estimate: string | undefined,
  now: number,
  isAlike: boolean,
): TreeItem {
  const item = new TreeItem(getTransferRowTitle(transfer));
  item.id = transfer.key;
  item.iconPath = getIcon(transfer);
  item.contextValue = getContextValue(transfer);
  item.description = listFacts(transfer, estimate, now, isAlike).filter(Boolean).join(' · ');
  item.tooltip = createTransferTooltip(transfer, estimate, now);
  item.command = {
    command: 'dataTransfer.showTransferProgress',
    title: getCommandTitle('dataTransfer.showTransferProgress'),
    arguments: [{ kind: 'transfer', key: transfer.key } satisfies TransferNode],
  };
  return setAccessibleLabel(item);
}

/** Lists the facts that follow a row's title, most important first, because a narrow view truncates the end. */
function listFacts(
  transfer: Transfer,
  estimate: string | undefined,
  now: number,
  isAlike: boolean,
): readonly (string | undefined)[] {
  const { problem, state, askedAt, order } = transfer;
  const isOutdated = problem !== undefined && !hasEnded(state);
  const asOf = isOutdated && askedAt ? l10n.t('as of {0}', formatTime(askedAt, now)) : undefined;
  const elsewhere = getForeignServiceName(order.connectionId);
  const distinction = isAlike ? getDistinction(transfer, now) : [];
  if (isAlike && getOutcome(transfer) === 'complete') return [...distinction, elsewhere];
  return [describeRowProgress(transfer), estimate, asOf, elsewhere, ...distinction];
}

/** Returns the time and source, which distinguish rows with the same title. */
function getDistinction(transfer: Transfer, now: number): readonly string[] {
  const at = hasEnded(transfer.state) ? getEndedAt(transfer) : transfer.createdAt;
  return [formatTime(at, now), toPlainText(transfer.order.source, maxSourceLength)];
}

function getContextValue(transfer: Transfer): string {
  if (hasEnded(transfer.state)) {
    const ended = transfer.startedElsewhere ? 'transfer.endedElsewhere' : 'transfer.ended';
    return mayHaveFiles(transfer) ? `${ended}.withFiles` : ended;
  }
  if (transfer.state === 'notConfirmed') return 'transfer.notConfirmed';
  if (isPaused(transfer)) return 'transfer.paused';
  if (transfer.cancelUnheeded) return 'transfer.unheeded';
  const canCancel = transfer.id !== undefined && transfer.cancelAcceptedAt === undefined;
  return canCancel ? getRunningValue(transfer) : 'transfer.waiting';
}

const pausableValues = { pause: 'transfer.running.pause', resume: 'transfer.running.resume' } as const;

function getRunningValue(transfer: Transfer): string {
  const change = getPauseChange(transfer);
  return change === undefined ? 'transfer.running' : pausableValues[change];
}

function createTransferTooltip(transfer: Transfer, estimate: string | undefined, now: number): string {
  const { order, status, problem, startedElsewhere } = transfer;
  const facts = listTransferFacts(transfer).map((fact) =>
    l10n.t('{0}: {1}', fact.label, 'at' in fact ? formatTime(fact.at, now) : fact.text),
  );
  return [
    startedElsewhere ? getTransferTitle(transfer) : `${toPlainLine(order.source)} → ${toPlainLine(order.destination)}`,
    [describeProgress(transfer), estimate].filter(Boolean).join(' · '),
    status?.message ? toPlainLine(status.message) : '',
    problem && !isPaused(transfer) ? describeReason(problem) : '',
    ...facts,
  ]
    .filter(Boolean)
    .join('\n');
}

/** Lists the transfers that agents propose. */
export interface PlanList {
  /** Returns the plans that await a decision, newest first. */
  getAll(): readonly TransferPlan[];
  get(id: string): TransferPlan | undefined;
  onDidChange(listener: () => void): { dispose(): unknown };
}

const planIcon = new ThemeIcon('hubot', new ThemeColor('problemsWarningIcon.foreground'));

/** Creates the row for a transfer that an agent proposes. Clicking the row shows the transfer's summary. */
export function createPlanItem(plan: TransferPlan): TreeItem {
  const { id, source, destination, requestedBy, expiresAt, createdAt } = plan;
  const item = new TreeItem(getPlanTitle(plan));
  item.id = `plan/${id}`;
  item.iconPath = planIcon;
  item.contextValue = 'plan';
  const expiry = l10n.t('expires {0}', formatTime(expiresAt, createdAt));
  item.description = `${expiry} · ${formatAgentName(requestedBy)}`;
  const direction = `${toPlainLine(source)} → ${toPlainLine(destination)}`;
  item.tooltip = [direction, describeRequester(requestedBy), describeExpiry(plan)].join('\n');
  const node: PlanNode = { kind: 'plan', id };
  item.command = { command: 'dataTransfer.confirmPlan', title: l10n.t('Confirm…'), arguments: [node] };
  return setAccessibleLabel(item);
}
