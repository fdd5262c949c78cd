import { env, l10n } from 'vscode';
import {
  getEndedAt,
  getFileCount,
  getFollowUp,
  hasEnded,
  isPaused,
  isPausedByUser,
  type Estimate,
  type Transfer,
  type TransferState,
} from '../../core/model/transferModel.ts';
import { getOutcome, getProgress, getTellingBytes, isUnsent, wasSent } from '../../core/model/transferOutcome.ts';
import { describeCluster } from '../../core/words/clusterWords.ts';
import { formatByteProgress } from '../../core/util/displayLimits.ts';
import { getFolderLabel } from '../../core/words/sharedSentences.ts';
import { describeFollowUp, getFollowUpLabel } from '../../core/words/followUpWords.ts';
import { toShortLine } from '../../core/util/visibleText.ts';
import { formatAgentName } from './agentWords.ts';
import { formatFileCount, formatList, formatNumber, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';
import { describeReason } from './reasonWords.ts';

const maxStateLength = 40;

/** Returns the word that rows, pages and notifications use for a transfer's state. */
export function describeState(state: TransferState): string {
  const words: Readonly<Record<TransferState, string>> = {
    submitting: l10n.t('submitting'),
    notConfirmed: l10n.t('not confirmed'),
    refused: l10n.t('refused'),
    accepted: l10n.t('accepted'),
    staging: l10n.t('staging'),
    active: l10n.t('active'),
    finalizing: l10n.t('finalizing'),
    inactive: l10n.t('inactive'),
    unknown: l10n.t('unknown'),
    running: l10n.t('running'),
    succeeded: l10n.t('succeeded'),
    failed: l10n.t('failed'),
    cancelled: l10n.t('canceled'),
    expired: l10n.t('expired'),
  };
  return words[state];
}

/** Returns the title of a transfer for notifications and prompts, such as "3 files to My Data". */
export function getTransferTitle(transfer: Transfer): string {
  const count = getFileCount(transfer);
  const files = count === undefined ? l10n.t('files') : (formatMissedFiles(transfer) ?? formatFileCount(count));
  if (transfer.startedElsewhere) return l10n.t('{0} (started elsewhere)', files);
  return l10n.t('{0} to {1}', files, toPlainLine(transfer.order.destination));
}

interface TransferQuestion {
  readonly question: string;
  readonly effect: string;
  /** The button that confirms, and the one that leaves the transfer as it is. */
  readonly label: string;
  readonly leave: string;
}

/** Returns the question whether to cancel, pause or resume a transfer with the given title. */
export function getChangeQuestion(kind: 'cancel' | 'pause' | 'resume', title: string): TransferQuestion {
  const effect = l10n.t('Files already transferred will be kept.');
  if (kind === 'resume')
    return {
      question: l10n.t('Resume the transfer of {0}?', title),
      effect,
      label: l10n.t('Resume Transfer'),
      leave: l10n.t('Keep Paused'),
    };
  const leave = l10n.t('Keep Running');
  return kind === 'cancel'
    ? { question: l10n.t('Cancel the transfer of {0}?', title), effect, label: l10n.t('Cancel Transfer'), leave }
    : { question: l10n.t('Pause the transfer of {0}?', title), effect, label: l10n.t('Pause Transfer'), leave };
}

/**
 * Returns the number of transferred files, such as "1 of 2 files", if a transfer completed without transferring all
 * files. Returns undefined for any other transfer.
 */
function formatMissedFiles(transfer: Transfer): string | undefined {
  return getOutcome(transfer) === 'partial' ? formatMovedFiles(transfer) : undefined;
}

/** Returns the number of transferred files, such as "2 of 3 files"; undefined if it isn't reported. */
export function formatMovedFiles(transfer: Transfer): string | undefined {
  const { moved, total } = getProgress(transfer);
  return moved === undefined || total === undefined
    ? undefined
    : l10n.t('{0} of {1}', formatNumber(moved), formatFileCount(total));
}

/** Returns the bytes of a running transfer of large files, such as "1.2 of 200 GB"; undefined for any other. */
export function formatMovedBytes(transfer: Transfer): string | undefined {
  const bytes = getTellingBytes(transfer);
  return bytes && l10n.t('{0} of {1}', ...formatByteProgress(bytes.done, bytes.total, env.language));
}

/** Describes a status briefly (D10: open status set, D13: ignored cancel, D39: server data display). */
export function describeStatus(transfer: Transfer): string {
  if (transfer.replacedBy !== undefined && transfer.state === 'refused') {
    return l10n.t('not started, submitted again');
  }
  if (isUnsent(transfer)) return l10n.t('not sent');
  if (getOutcome(transfer) === 'partial') {
    const moved = formatMovedFiles(transfer) ?? '';
    return l10n.t('incomplete: {0} transferred', moved);
  }
  if (isPaused(transfer)) return l10n.t('paused: {0}', describeReason({ kind: 'serviceStopped' }));
  const state = describeServerState(transfer);
  if (transfer.cancelAcceptedAt === undefined || hasEnded(transfer.state)) return state;
  return transfer.cancelUnheeded
    ? l10n.t('cancellation accepted, but the server still reports {0}', state)
    : l10n.t('canceling');
}

/** Returns the word for a state. Returns the server's own word for an unrecognized status (D10: open status set). */
export function describeServerState(transfer: Transfer): string {
  if (isPausedByUser(transfer)) return l10n.t('paused');
  const { state, status } = transfer;
  const serverState = state === 'running' ? toShortLine(status?.status ?? '', maxStateLength) : '';
  return serverState === '' ? describeState(state) : serverState;
}

/** Describes the status and progress of a transfer, such as "active · 2 of 3 files · 1.2 of 200 GB". */
export function describeProgress(transfer: Transfer): string {
  const moved = getOutcome(transfer) === 'partial' ? undefined : formatMovedFiles(transfer);
  return [describeStatus(transfer), moved, formatMovedBytes(transfer)].filter(Boolean).join(' · ');
}

/** A fact about a transfer: text, or a time in milliseconds since 1970, which each place formats for its width. */
type TransferFact =
  | { readonly label: string; readonly text: string; readonly isCode?: boolean }
  | { readonly label: string; readonly at: number };

/** Lists the facts that a transfer's page and the tooltip of its row show, each with a label. Omits unknown facts. */
export function listTransferFacts(transfer: Transfer): readonly TransferFact[] {
  const { id, state, createdAt, askedAt, requestedBy, order, status } = transfer;
  const folder = status?.folder ?? order.folder;
  const [wording, followUp] = [{ l10n, toPlainLine }, getFollowUp(transfer)];
  const facts: readonly (TransferFact | false | undefined)[] = [
    wasSent(transfer) && { label: getStartLabel(transfer), at: createdAt },
    hasEnded(state) && state !== 'expired' && { label: l10n.t('Ended'), at: getEndedAt(transfer) },
    requestedBy && {
      label: l10n.t('Requested by'),
      text: l10n.t('{0}, confirmed by you', formatAgentName(requestedBy.agent)),
    },
    status?.cluster && {
      label: l10n.t('Runs on'),
      text: describeCluster({ l10n, plural, toPlainLine }, status.cluster),
    },
    folder !== undefined && { label: getFolderLabel(l10n), text: toPlainLine(folder) },
    followUp && { label: getFollowUpLabel(l10n), text: describeFollowUp(wording, followUp) },
    askedAt !== undefined && { label: l10n.t('Last checked'), at: askedAt },
    id !== undefined && { label: l10n.t('Transfer ID'), text: toPlainLine(id), isCode: true },
  ];
  return facts.filter((fact) => typeof fact === 'object');
}

function getStartLabel({ startedElsewhere, state }: Transfer): string {
  if (startedElsewhere) return l10n.t('Tracked since');
  return state === 'submitting' ? l10n.t('Submission started') : l10n.t('Submitted');
}

/** Describes an estimate for a row, such as "about 4 min" or "4–7 min, based on 3 earlier transfers". */
export function describeEstimate(estimate: Estimate): string {
  const isEarlier = estimate.kind === 'range' && estimate.basis === 'earlier';
  return formatList([formatTimeLeft(estimate), isEarlier ? describeEstimateBasis(estimate) : undefined]);
}

/** Formats an estimate without its basis, such as "about 4 min", "4–7 min" or "no progress for 40 min". */
export function formatTimeLeft(estimate: Estimate): string {
  if (estimate.kind === 'range') return formatTimeSpan(estimate.lowMs, estimate.highMs);
  return l10n.t('no progress for {0}', formatDuration(estimate.sinceMs));
}

/** Formats the time since a stalled transfer's last progress, as in "40 min ago"; undefined if it isn't stalled. */
export function formatLastProgress(estimate: Estimate): string | undefined {
  return estimate.kind === 'range' ? undefined : l10n.t('{0} ago', formatDuration(estimate.sinceMs));
}

/** Describes the basis of an estimate, such as "based on 3 earlier transfers", unless it is stalled. */
export function describeEstimateBasis(estimate: Estimate): string | undefined {
  if (estimate.kind === 'stalled') return undefined;
  if (estimate.basis === 'movement') return l10n.t('based on files transferred so far');
  if (estimate.basis === 'bytes') return l10n.t('based on data transferred so far');
  const { count = 1 } = estimate;
  return plural(count, 'based on {0} earlier transfer', 'based on {0} earlier transfers');
}

const timeUnits = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
type TimeUnit = keyof typeof timeUnits;

/** Formats an estimate for a narrow row, such as "4 min" or "< 1 min", or as {@link formatTimeLeft} does. */
export function formatShortTimeLeft(estimate: Estimate): string {
  if (estimate.kind === 'stalled') return formatTimeLeft(estimate);
  const { lowMs, highMs } = estimate;
  if (highMs < timeUnits.minute) return `< ${getUnitFormat('minute').format(1)}`;
  const unit = getTimeUnit(highMs);
  const high = roundToUnit(highMs, unit);
  return roundToUnit(lowMs, unit) === high ? getUnitFormat(unit).format(high) : formatTimeLeft(estimate);
}

function formatTimeSpan(lowMs: number, highMs: number): string {
  if (highMs < timeUnits.minute) return l10n.t('less than a minute');
  const unit = getTimeUnit(highMs);
  const [low, high] = [roundToUnit(lowMs, unit), roundToUnit(highMs, unit)];
  const format = getUnitFormat(unit);
  if (low === high) return l10n.t('about {0}', format.format(high));
  return low === 0 ? l10n.t('up to {0}', format.format(high)) : format.formatRange(low, high);
}

function formatDuration(durationMs: number): string {
  const unit = getTimeUnit(durationMs);
  return getUnitFormat(unit).format(roundToUnit(durationMs, unit));
}

function getTimeUnit(durationMs: number): TimeUnit {
  if (durationMs < 1.5 * timeUnits.hour) return 'minute';
  return durationMs < 1.5 * timeUnits.day ? 'hour' : 'day';
}

/** Converts a duration to a unit. Rounds to whole units, or to half units below 10 hours or 10 days. */
function roundToUnit(durationMs: number, unit: TimeUnit): number {
  const value = durationMs / timeUnits[unit];
  const step = unit !== 'minute' && value < 10 ? 0.5 : 1;
  return Math.round(value / step) * step;
}

function getUnitFormat(unit: TimeUnit): Intl.NumberFormat {
  return new Intl.NumberFormat(env.language, { style: 'unit', unit, unitDisplay: 'short' });
}
