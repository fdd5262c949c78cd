import { l10n } from 'vscode';
import { getFileCount, hasEnded, isPaused, type Estimate, type Transfer } from '../../core/model/transferModel.ts';
import { getOutcome, getProgress, getShare, getTellingBytes } from '../../core/model/transferOutcome.ts';
import { toShortLine } from '../../core/util/visibleText.ts';
import { formatFileCount, formatNumber, formatPercent } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';
import { describeReason } from './reasonWords.ts';
import {
  describeServerState,
  describeStatus,
  formatMovedFiles,
  formatShortTimeLeft,
  getTransferTitle,
} from './transferWords.ts';

/** The numbers of a transfer's last verification. */
export interface VerifiedCount {
  readonly fileCount: number;
  readonly intactCount: number;
  /** Number of files without a usable hash; absent if zero. */
  readonly unverifiedCount?: number | undefined;
}

/** Facts that a transfer's row shows, and the transfer doesn't contain. */
export interface TransferRowFacts {
  readonly estimate?: Estimate | undefined;
  readonly verification?: VerifiedCount | undefined;
}

/**
 * Length of a running transfer's label with which a side bar of 250 pixels still shows the progress. A label with a long
 * destination is longer, because the destination matters most.
 */
const maxTitleLength = 17;
const [maxRunningDestinationLength, maxDestinationLength] = [14, 18];
const minSourceLength = 5;
const maxReasonLength = 60;
const maxStateLength = 18;

/**
 * Returns the label of a transfer's row: "Vega → Archive" while the transfer is running, "→ Archive" otherwise, because
 * earlier transfers are looked for by destination. Shortens long names. The row's icon shows the state.
 */
export function getTransferRowTitle(transfer: Transfer): string {
  const { order, state, startedElsewhere } = transfer;
  if (startedElsewhere) return getTransferTitle(transfer);
  if (hasEnded(state) || state === 'notConfirmed') return `→ ${toShortLine(order.destination, maxDestinationLength)}`;
  const destination = toShortLine(order.destination, maxRunningDestinationLength);
  const source = toShortLine(order.source, Math.max(minSourceLength, maxTitleLength - 3 - destination.length));
  return `${source} → ${destination}`;
}

/** Returns the word for a transfer's state, which its row shows only by the icon. */
export function describeRowState(transfer: Transfer): string {
  const { replacedBy, state, cancelUnheeded } = transfer;
  if (replacedBy !== undefined && state === 'refused') return l10n.t('not started');
  if (getOutcome(transfer) === 'partial') return l10n.t('incomplete');
  if (isPaused(transfer)) return l10n.t('paused');
  return cancelUnheeded && !hasEnded(state) ? describeServerState(transfer) : describeStatus(transfer);
}

/** Lists the facts after a row's label, most important first; none if only {@link formatRowFileCount} is left. */
export function listRowFacts(transfer: Transfer, { estimate, verification }: TransferRowFacts): readonly string[] {
  if (transfer.state === 'notConfirmed') return [];
  const facts = hasEnded(transfer.state)
    ? listEndFacts(transfer, verification)
    : [describeCondition(transfer), formatRowShare(transfer), estimate && formatShortTimeLeft(estimate)];
  return facts.filter((fact) => fact !== undefined && fact !== '') as readonly string[];
}

/** Formats the number of a transfer's files for its row; an empty string if the label contains it or it is unknown. */
export function formatRowFileCount(transfer: Transfer): string {
  const count = getFileCount(transfer);
  return count === undefined || transfer.startedElsewhere ? '' : formatFileCount(count);
}

/** Returns the progress that a running transfer's row shows, from 0 to 1; undefined if it isn't known. */
export function getRowShare(transfer: Transfer): number | undefined {
  const progress = getProgress(transfer);
  if (progress.moved === undefined && !progress.bytes) return undefined;
  const bytes = getTellingBytes(transfer);
  return bytes && transfer.state === 'staging' ? bytes.done / bytes.total : getShare([progress]);
}

function formatRowShare(transfer: Transfer): string | undefined {
  const share = getRowShare(transfer);
  return share === undefined ? undefined : formatPercent(share);
}

/** Returns what no icon shows of a running transfer. */
function describeCondition(transfer: Transfer): string | undefined {
  const { state, status, cancelAcceptedAt, cancelUnheeded } = transfer;
  if (isPaused(transfer)) return describeReason({ kind: 'serviceStopped' });
  if (cancelUnheeded) return l10n.t('cancellation ignored');
  if (cancelAcceptedAt !== undefined) return l10n.t('canceling');
  const isNamed = state === 'running' && getRowShare(transfer) === undefined;
  return isNamed ? toShortLine(status?.status ?? '', maxStateLength) : undefined;
}

function listEndFacts(transfer: Transfer, verification: VerifiedCount | undefined): readonly (string | undefined)[] {
  const { problem, replacedBy, state } = transfer;
  if (replacedBy !== undefined) return [l10n.t('submitted again')];
  if (getOutcome(transfer) === 'complete') return [verification && describeVerification(verification)];
  const moved = formatMovedFiles(transfer);
  if (state !== 'failed' && state !== 'refused') return [moved];
  const reason = getEndMessage(transfer) || (problem ? describeReason(problem) : '');
  return [toShortLine(reason, maxReasonLength), moved];
}

/**
 * Returns the service's message on the end of a transfer. Of a message such as "Transfer ID: failed (disk full)", which
 * begins with the transfer and the state, returns what follows.
 */
function getEndMessage({ id = '', status }: Transfer): string {
  const message = toPlainLine(status?.message ?? '');
  const [before = '', ...others] = id === '' ? [message] : message.split(id);
  const after = others.join(id);
  const isNamedFirst = /^\W*(?:transfer|task|id)\W+$/i.test(before) || (before === '' && after.startsWith(':'));
  const rest = isNamedFirst ? after.replace(/^[\s:.,]+/, '') || message : message;
  return /^failed \((.+)\)\.?$/.exec(rest)?.[1] ?? rest;
}

/** Returns true if a verification found no intact file, or files that aren't intact although they have a usable hash. */
export function hasDamage({ fileCount, intactCount, unverifiedCount = 0 }: VerifiedCount): boolean {
  return intactCount === 0 || intactCount + unverifiedCount < fileCount;
}

function describeVerification({ intactCount, fileCount }: VerifiedCount): string {
  if (intactCount === fileCount && fileCount > 0) return l10n.t('verified');
  return l10n.t('{0} of {1} verified', formatNumber(intactCount), formatNumber(fileCount));
}
