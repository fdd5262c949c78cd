import { env, l10n } from 'vscode';
import { getFileCount, hasEnded, isPaused, type Transfer, type TransferState } from '../../core/model/transferModel.ts';
import { getOutcome, getProgress, getTellingBytes, isUnsent } from '../../core/model/transferOutcome.ts';
import { formatByteProgress } from '../../core/util/displayLimits.ts';
import { formatFileCount, formatNumber } from './localeFormats.ts';
import { toPlainLine, toPlainText } from './plainText.ts';
import { describeReason } from './reasonWords.ts';

const maxRowTitleLength = 18;
const maxStateLength = 40;
const maxRowStateLength = 18;

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

/** Returns the question whether to cancel a transfer with the given title, and what happens to its files. */
export function getCancelQuestion(title: string): { readonly question: string; readonly effect: string } {
  return {
    question: l10n.t('Cancel the transfer of {0}?', title),
    effect: l10n.t('Files already transferred will be kept.'),
  };
}

/**
 * Returns the title of a transfer's row, such as "active · 3 files to My Data". The title consists of the state and
 * {@link getTransferTitle}. The state comes first, because a narrow side bar truncates the end. Shortens a long
 * destination.
 */
export function getTransferRowTitle(transfer: Transfer): string {
  const { order } = transfer;
  const destination = toPlainText(order.destination, maxRowTitleLength);
  const title = getTransferTitle({ ...transfer, order: { ...order, destination } });
  return `${getRowState(transfer).word} · ${title}`;
}

/** Returns the text that follows {@link getTransferRowTitle} in a row: details of the state, and the progress. */
export function describeRowProgress(transfer: Transfer): string {
  const { detail } = getRowState(transfer);
  const bytes = formatMovedBytes(transfer);
  // One large file is known to be unfinished.
  const hasFiles = getOutcome(transfer) !== 'partial' && (bytes === undefined || getProgress(transfer).total !== 1);
  return [detail, hasFiles ? formatMovedNumbers(transfer) : undefined, bytes].filter(Boolean).join(' · ');
}

/** Returns a transfer's state in one or two words, and any further details (see {@link describeStatus}). */
function getRowState(transfer: Transfer): { readonly word: string; readonly detail?: string } {
  const { replacedBy, state, cancelUnheeded } = transfer;
  if (replacedBy !== undefined && state === 'refused')
    return { word: l10n.t('not started'), detail: l10n.t('submitted again') };
  if (getOutcome(transfer) === 'partial') return { word: l10n.t('incomplete') };
  if (isPaused(transfer)) return { word: l10n.t('paused'), detail: describeReason({ kind: 'serviceStopped' }) };
  const status = describeStatus(transfer);
  if (cancelUnheeded && !hasEnded(state)) return { word: describeServerState(transfer), detail: status };
  const word = toPlainText(status, maxRowStateLength);
  return word === status ? { word } : { word, detail: status };
}

/**
 * Returns the number of transferred files, such as "1 of 2 files", if a transfer completed without transferring all
 * files. Returns undefined for any other transfer.
 */
function formatMissedFiles(transfer: Transfer): string | undefined {
  return getOutcome(transfer) === 'partial' ? formatMovedFiles(transfer) : undefined;
}

/**
 * Returns the number of transferred files, such as "2 of 3 files"; undefined if the server didn't report the number.
 */
export function formatMovedFiles(transfer: Transfer): string | undefined {
  const { moved, total } = getProgress(transfer);
  return moved === undefined || total === undefined
    ? undefined
    : l10n.t('{0} of {1}', formatNumber(moved), formatFileCount(total));
}

/**
 * Returns the numbers from {@link formatMovedFiles}, such as "2 of 3", for a row whose title contains the word "files".
 */
function formatMovedNumbers(transfer: Transfer): string | undefined {
  const { moved, total } = getProgress(transfer);
  const isKnown = moved !== undefined && total !== undefined;
  return isKnown ? l10n.t('{0} of {1}', formatNumber(moved), formatNumber(total)) : undefined;
}

/** Returns the bytes of a running transfer of large files, such as "1.2 of 200 GB"; undefined for any other. */
export function formatMovedBytes(transfer: Transfer): string | undefined {
  const bytes = getTellingBytes(transfer);
  return bytes && l10n.t('{0} of {1}', ...formatByteProgress(bytes.done, bytes.total, env.language));
}

/**
 * Describes the status of a transfer in a few words: its state, or something more specific (D10: open status set, D13:
 * ignored cancel, D39: server data display).
 */
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
function describeServerState({ state, status }: Transfer): string {
  const serverState = state === 'running' ? toPlainText(status?.status ?? '', maxStateLength) : '';
  return serverState === '' ? describeState(state) : serverState;
}

/** Describes the status and progress of a transfer, such as "active · 2 of 3 files · 1.2 of 200 GB". */
export function describeProgress(transfer: Transfer): string {
  const moved = getOutcome(transfer) === 'partial' ? undefined : formatMovedFiles(transfer);
  return [describeStatus(transfer), moved, formatMovedBytes(transfer)].filter(Boolean).join(' · ');
}
