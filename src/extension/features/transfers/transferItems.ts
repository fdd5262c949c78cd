import { l10n, ThemeColor, ThemeIcon, TreeItem, Uri } from 'vscode';
import type { TransferPlan } from '../../../core/agents/transferPlan.ts';
import {
  getEndedAt,
  getPauseChange,
  hasEnded,
  isPaused,
  isPausedByUser,
  isUnderWay,
  type Transfer,
  type TransferState,
} from '../../../core/model/transferModel.ts';
import { getOutcome, mayHaveFiles } from '../../../core/model/transferOutcome.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import type { PlanNode, TransferNode } from '../../editor/contributions.ts';
import { describeExpiry, describeRequester, formatAgentName, getPlanTitle } from '../../words/agentWords.ts';
import { formatList, formatTime } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { getForeignServiceName } from '../../words/serviceNames.ts';
import {
  describeRowState,
  formatRowFileCount,
  getRowShare,
  getTransferRowTitle,
  hasDamage,
  listRowFacts,
  type TransferRowFacts,
} from '../../words/transferRowWords.ts';
import { describeEstimate, describeProgress, getTransferTitle, listTransferFacts } from '../../words/transferWords.ts';
import { setAccessibleLabel } from '../../views/placeholders.ts';
import { getCommandTitle } from '../../words/commandTitles.ts';

const maxSourceLength = 18;

/** Returns the keys of the transfers whose rows show the same. Running ones differ by their labels alone. */
export function findLookAlikes(
  transfers: readonly Transfer[],
  getFacts: (transfer: Transfer) => TransferRowFacts,
): ReadonlySet<string> {
  const keysByText = new Map<string, string[]>();
  for (const transfer of transfers) {
    const label = getTransferRowTitle(transfer);
    const text = isUnderWay(transfer) ? label : JSON.stringify([label, describeRow(transfer, getFacts(transfer))]);
    const keys = keysByText.get(text) ?? [];
    keys.push(transfer.key);
    keysByText.set(text, keys);
  }
  return new Set([...keysByText.values()].filter(({ length }) => length > 1).flat());
}

function describeRow(transfer: Transfer, facts: TransferRowFacts): string {
  return listRowFacts(transfer, facts).join(' · ') || formatRowFileCount(transfer);
}

const warningColor = new ThemeColor('problemsWarningIcon.foreground');

const icons: Readonly<Record<TransferState, ThemeIcon>> = {
  submitting: new ThemeIcon('loading~spin'),
  notConfirmed: new ThemeIcon('question', warningColor),
  refused: new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground')),
  accepted: new ThemeIcon('watch'),
  staging: new ThemeIcon('cloud-download'),
  active: new ThemeIcon('sync~spin'),
  finalizing: new ThemeIcon('tasklist'),
  inactive: new ThemeIcon('debug-pause', warningColor),
  unknown: new ThemeIcon('question'),
  running: new ThemeIcon('sync~spin'),
  succeeded: new ThemeIcon('pass', new ThemeColor('charts.green')),
  failed: new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground')),
  cancelled: new ThemeIcon('circle-slash'),
  expired: new ThemeIcon('history'),
};

const partialIcon = new ThemeIcon('warning', warningColor);

const pausedByUserIcon = new ThemeIcon('debug-pause');

/** States whose icon is replaced by the progress. */
const movingStates: ReadonlySet<TransferState> = new Set(['active', 'finalizing', 'running', 'unknown']);

function getIcon(transfer: Transfer, { estimate, verification }: TransferRowFacts): NonNullable<TreeItem['iconPath']> {
  const outcome = getOutcome(transfer);
  const isDamaged = outcome === 'complete' && verification !== undefined && hasDamage(verification);
  if (outcome === 'partial' || isDamaged) return partialIcon;
  if (isPaused(transfer)) return icons.inactive;
  if (isPausedByUser(transfer)) return pausedByUserIcon;
  const isStalled = estimate?.kind === 'stalled';
  const share = movingStates.has(transfer.state) ? getRowShare(transfer) : undefined;
  if (share) return drawProgress(share, isStalled);
  const icon = icons[transfer.state];
  return isStalled ? new ThemeIcon(icon.id, warningColor) : icon;
}

const ringSteps = 20;
/** The editor uses the dark icon in dark high contrast, too. */
const ringColors = {
  moving: { light: '#424242', dark: '#d4d4d4' },
  stalled: { light: '#bf8803', dark: '#cca700' },
} as const;

/**
 * Draws the progress, more than 0 and at most 1, as a ring in 20 steps, so that the editor loads few icons. The ring of
 * a stalled transfer has the color of warnings.
 */
function drawProgress(share: number, isStalled: boolean): { readonly light: Uri; readonly dark: Uri } {
  const step = Math.max(1, Math.floor(share * ringSteps));
  const { light, dark } = ringColors[isStalled ? 'stalled' : 'moving'];
  return { light: drawRing(step, light), dark: drawRing(step, dark) };
}

function drawRing(step: number, color: string): Uri {
  const shape = `<circle cx="8" cy="8" r="5.5" fill="none" stroke="${color}" stroke-width="3"`;
  const arc = `<g transform="rotate(-90 8 8)">${shape} pathLength="${ringSteps}" stroke-dasharray="${step} ${ringSteps}"/></g>`;
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shape} stroke-opacity=".25"/>${arc}</svg>`;
  return Uri.parse(`data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`, true);
}

/** Creates a transfer's row, with time and source if `isAlike`, because another row shows the same. */
export function createTransferItem(
  transfer: Transfer,
  facts: TransferRowFacts,
  now: number,
  isAlike: boolean,
): TreeItem {
  const item = new TreeItem(getTransferRowTitle(transfer));
  item.id = transfer.key;
  item.iconPath = getIcon(transfer, facts);
  item.contextValue = getContextValue(transfer);
  const own = listRowFacts(transfer, facts);
  const isCountShown = own.length === 0 && !isAlike;
  const shown = isCountShown ? [formatRowFileCount(transfer)] : own;
  item.description = [...shown, ...listCircumstances(transfer, now, isAlike)].filter(Boolean).join(' · ');
  item.tooltip = createTransferTooltip(transfer, facts, now);
  item.command = {
    command: 'dataTransfer.showTransferProgress',
    title: getCommandTitle('dataTransfer.showTransferProgress'),
    arguments: [{ kind: 'transfer', key: transfer.key } satisfies TransferNode],
  };
  return setAccessibleLabel(item, describeIconAndCount(transfer, isCountShown));
}

function describeIconAndCount(transfer: Transfer, isCountShown: boolean): string {
  return formatList([describeRowState(transfer), isCountShown ? '' : formatRowFileCount(transfer)]);
}

/** Lists what may follow a row's facts: the age of its status, another machine, and what distinguishes like rows. */
function listCircumstances(transfer: Transfer, now: number, isAlike: boolean): readonly string[] {
  const { problem, state, askedAt, order } = transfer;
  const isOutdated = problem !== undefined && !hasEnded(state);
  const asOf = isOutdated && askedAt ? l10n.t('as of {0}', formatTime(askedAt, now)) : undefined;
  const elsewhere = getForeignServiceName(order.connectionId);
  const texts = [asOf, ...(isAlike ? getDistinction(transfer, now) : []), elsewhere];
  return texts.filter((text) => text !== undefined);
}

/** Returns the time and, unless the label has it, the source. They distinguish rows that show the same. */
function getDistinction(transfer: Transfer, now: number): readonly string[] {
  const at = hasEnded(transfer.state) ? getEndedAt(transfer) : transfer.createdAt;
  const time = formatTime(at, now);
  return isUnderWay(transfer) ? [time] : [time, toShortLine(transfer.order.source, maxSourceLength)];
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

function createTransferTooltip(transfer: Transfer, { estimate }: TransferRowFacts, now: number): string {
  const { order, status, problem, startedElsewhere } = transfer;
  const facts = listTransferFacts(transfer).map((fact) =>
    l10n.t('{0}: {1}', fact.label, 'at' in fact ? formatTime(fact.at, now) : fact.text),
  );
  return [
    startedElsewhere ? getTransferTitle(transfer) : `${toPlainLine(order.source)} → ${toPlainLine(order.destination)}`,
    [describeProgress(transfer), estimate && describeEstimate(estimate)].filter(Boolean).join(' · '),
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

const planIcon = new ThemeIcon('hubot', warningColor);

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
