import { getFollowUp, hasEnded, isPaused, isPausedByUser, type Transfer } from '../../core/model/transferModel.ts';
import {
  getOutcome,
  getProgress,
  getTellingBytes,
  isUnsent,
  type TransferOutcome,
} from '../../core/model/transferOutcome.ts';
import { nameAmounts } from '../../core/model/transferExport.ts';
import { thenField } from '../../core/util/followUp.ts';
import { formatByteProgress, limitMarks, shortenText } from '../../core/util/displayLimits.ts';
import { describeFollowUp } from '../../core/words/followUpWords.ts';
import { describeNothingTransferred, describeMissingReason } from '../../core/words/sharedSentences.ts';
import { describeReason, describeUnsentReason, clauses, english } from './sentences.ts';
import { formatCount, toPlainCell, type Column } from '../output.ts';

/** Maximum length of a service's message beside other text. */
const maxMessageLength = 200;

/** Converts a transfer to its JSON output, without its files (docs/command-line.md). */
export function toTransferDocument(transfer: Transfer): object {
  const { key, id, order, service, state, createdAt, changes, status, askedAt, problem, replacedBy } = transfer;
  const { cancelAcceptedAt, cancelUnheeded } = transfer;
  return {
    key,
    id,
    connection: order.connectionId,
    service,
    source: order.source,
    destination: order.destination,
    state,
    outcome: getOutcome(transfer),
    message: status?.message,
    folder: status?.folder ?? order.folder,
    [thenField]: toThenDocument(transfer),
    description: order.description,
    ...nameAmounts(transfer),
    startedAt: formatTime(createdAt),
    endedAt: hasEnded(state) ? formatTime(changes.at(-1)?.at) : undefined,
    checkedAt: formatTime(askedAt),
    problem: problem && describeReason(problem),
    replacedBy,
    cancelAcceptedAt: formatTime(cancelAcceptedAt),
    cancelIgnored: cancelUnheeded && !hasEnded(state),
  };
}

function toThenDocument(transfer: Transfer): object | undefined {
  const followUp = getFollowUp(transfer);
  if (!followUp) return undefined;
  const { kind, path, ...rest } = followUp;
  return { [kind]: path, ...rest };
}

/** The columns of a table of transfers. */
export const transferColumns: readonly Column<Transfer>[] = [
  { title: 'TRANSFER', getText: getTransferId },
  { title: 'STATE', getText: describeState },
  { title: 'FILES', isNumber: true, getText: (transfer) => join(describeFiles(transfer), describeBytes(transfer)) },
  { title: 'SOURCE', getText: ({ order }) => order.source },
  { title: 'DESTINATION', getText: ({ order }) => order.destination },
  { title: 'STARTED', getText: ({ createdAt }) => formatTime(createdAt)?.replace(/\.\d+/, '') },
];

/** Returns the ID that the service assigned to a transfer; the record's key if there is no ID yet. */
export function getTransferId({ id, key }: Transfer): string {
  return id ?? key;
}

/** Formats a transfer's progress on one line: `active, 3/10 files, 1.2 of 200 GB`; or only the state. */
export function describeProgress(transfer: Transfer): string {
  const files = describeFiles(transfer);
  if (files === '') return describeState(transfer);
  return join(describeState(transfer), `${files} ${files === '1' ? 'file' : 'files'}`, describeBytes(transfer));
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

/**
 * Returns the service's reason why a transfer is inactive, as plain text on one line without the transfer's ID. Returns
 * undefined if the transfer isn't inactive, is paused, or has no reason.
 */
export function getSuspensionReason(transfer: Transfer): string | undefined {
  return transfer.state === 'inactive' && !isPaused(transfer) ? getServerMessage(transfer) : undefined;
}

/**
 * Returns what the service says about a transfer that is running, as plain text on one line without the transfer's ID.
 * Returns undefined if the transfer isn't running or is being canceled, or if the service says nothing.
 */
export function getRunningMessage(transfer: Transfer): string | undefined {
  const { state, cancelAcceptedAt } = transfer;
  const isRunning = !hasEnded(state) && state !== 'notConfirmed' && state !== 'inactive' && !isPaused(transfer);
  return isRunning && cancelAcceptedAt === undefined ? getServerMessage(transfer) : undefined;
}

/** Returns the service's last message as a clause on one line, without the transfer's ID; undefined if it's empty. */
function getServerMessage(transfer: Transfer, maxLength = maxMessageLength): string | undefined {
  const line = toPlainCell(transfer.status?.message ?? '');
  const prefix = `Transfer ${getTransferId(transfer)}: `;
  const message = line.startsWith(prefix) ? line.slice(prefix.length) : line;
  return shortenText(limitMarks(message), maxLength).replace(/[\s.]+$/u, '') || undefined;
}

/** Describes the state of a transfer or, if the transfer has ended, its outcome. Returns plain text on one line. */
export function describeState(transfer: Transfer): string {
  const { state, status, cancelAcceptedAt, cancelUnheeded } = transfer;
  if (state === 'notConfirmed') return 'not confirmed';
  if (isUnsent(transfer)) return 'not sent';
  if (isPaused(transfer) || isPausedByUser(transfer)) return 'paused';
  if (!hasEnded(state) && cancelAcceptedAt !== undefined && !cancelUnheeded) return 'canceling';
  if (state === 'running') return toPlainCell(status?.status ?? '') || state;
  return endWords[getOutcome(transfer) ?? ''] ?? state;
}

const endWords: Readonly<Record<string, string>> = {
  complete: 'succeeded',
  partial: 'incomplete',
  cancelled: 'canceled',
};

function describeFiles(transfer: Transfer): string {
  const { moved, total } = getProgress(transfer);
  if (total === undefined) return moved === undefined ? '' : String(moved);
  return moved === undefined ? String(total) : `${moved}/${total}`;
}

/** Describes the bytes of a transfer of large files; empty for any other. */
function describeBytes(transfer: Transfer): string {
  const bytes = getTellingBytes(transfer);
  return bytes === undefined ? '' : formatByteProgress(bytes.done, bytes.total, 'en').join(' of ');
}

function formatTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** Why a transfer hasn't succeeded, and what the user can do. Both are plain text on one line. */
interface Explanation {
  /** A clause without a period; absent if unknown. */
  readonly reason?: string | undefined;
  /** One or more sentences. */
  readonly remedy?: string;
}

/**
 * Describes a transfer's progress in one line: `Transfer 1234: failed, 0/1 files: the disk is full. Fix the cause, …`.
 * Adds the reason, or what the service says about a running transfer, and the next step, if there are any.
 */
export function describeResult(transfer: Transfer): string {
  const { reason, remedy } = explain(transfer);
  const clauses = [describeProgress(transfer), ...(reason === undefined ? [] : [reason])];
  return [`Transfer ${getTransferId(transfer)}: ${clauses.join(': ')}.`, ...(remedy ? [remedy] : [])].join(' ');
}

/** Returns the lines that say why transfers haven't succeeded, one for each transfer of which this is known. */
export function explainTransfers(transfers: readonly Transfer[]): readonly string[] {
  return transfers.filter((one) => Object.keys(explain(one)).length > 0).map(describeResult);
}

/** Maximum length of the reason for the end of a transfer, which may name several files. */
const maxReasonLength = 1000;

const startAgain = 'Fix the cause, then start the transfer again.';

function explain(transfer: Transfer): Explanation {
  const outcome = getOutcome(transfer);
  if (outcome === undefined) return explainUnfinished(transfer);
  return outcomes[outcome]?.(transfer) ?? {};
}

const outcomes: Readonly<Partial<Record<TransferOutcome, (transfer: Transfer) => Explanation>>> = {
  complete: explainFollowUp,
  partial: explainPartial,
  failed: (transfer) => ({
    reason: getServerMessage(transfer, maxReasonLength) ?? describeMissingReason(english),
    remedy: startAgain,
  }),
  cancelled: (transfer) => ({
    reason: getServerMessage(transfer, maxReasonLength),
    remedy: 'If you still need the files, start the transfer again.',
  }),
  refused: explainRefusal,
  expired: () => ({
    reason: 'the service no longer has a record of it',
    remedy: 'Check the destination before you start the transfer again.',
  }),
};

/**
 * Returns sentences about why a transfer's manifest may be missing, beginning with a space; empty if the transfer has
 * succeeded as far as it is recorded.
 */
export function explainMissingManifest(transfer: Transfer): string {
  if (transfer.state === 'succeeded') return '';
  const id = getTransferId(transfer);
  const advice = hasEnded(transfer.state) ? '' : ` To check: data-transfer status ${id}`;
  return ` The recorded state of transfer ${id} is ${describeState(transfer)}.${advice}`;
}

function explainFollowUp(transfer: Transfer): Explanation {
  const followUp = getFollowUp(transfer);
  return followUp ? { reason: describeFollowUp({ l10n: english, toPlainLine: toPlainCell }, followUp) } : {};
}

function explainPartial(transfer: Transfer): Explanation {
  const { moved = 0, total = 0 } = getProgress(transfer);
  const missed = total - moved;
  const reason =
    missed > 0
      ? `${formatCount(missed, 'file')} ${missed === 1 ? "wasn't" : "weren't"} transferred, although the service reported success`
      : describeNothingTransferred(clauses);
  const [object, ids] = missed === 1 ? ['this file', 'its ID'] : ['some of the files', 'their IDs'];
  return { reason, remedy: `The service may not recognize ${object}. Check ${ids} at the source.` };
}

function explainRefusal({ problem, replacedBy }: Transfer): Explanation {
  if (replacedBy !== undefined) return { reason: `it never started, and was submitted again as ${replacedBy}` };
  if (problem?.kind === 'notSent' && problem.code === undefined)
    return { reason: describeReason(problem), remedy: 'Start the transfer again.' };
  return { reason: problem && describeUnsentReason(problem), remedy: startAgain };
}

function explainUnfinished(transfer: Transfer): Explanation {
  const { state, problem, cancelUnheeded } = transfer;
  if (state === 'notConfirmed') return explainUnconfirmed(transfer);
  if (isPaused(transfer) && !isPausedByUser(transfer)) {
    return { reason: describeReason({ kind: 'serviceStopped' }), remedy: 'It resumes when you start the service.' };
  }
  if (cancelUnheeded) return explainIgnoredCancel(transfer);
  const suspension = state === 'inactive' ? getServerMessage(transfer) : undefined;
  const remedy = isPausedByUser(transfer) && `To continue: data-transfer resume ${getTransferId(transfer)}`;
  if (suspension !== undefined) return { reason: suspension, ...(remedy && { remedy }) };
  const reason = problem ? `couldn't update the status: ${describeReason(problem)}` : getRunningMessage(transfer);
  return reason === undefined ? {} : { reason };
}

function explainUnconfirmed({ problem, order: { folder } }: Transfer): Explanation {
  const name =
    folder === undefined ? 'a folder whose name is dts- followed by an ID' : `the folder ${toPlainCell(folder)}`;
  const cause = problem ? `: ${describeReason(problem)}` : '';
  return {
    reason: `it's unclear whether the service started it${cause}`,
    remedy: `It won't be sent again. Check the destination for ${name}.`,
  };
}

function explainIgnoredCancel(transfer: Transfer): Explanation {
  return {
    reason: `cancellation accepted, but the server still reports ${getReportedState(transfer)}`,
    remedy: `The service may drop the transfer or continue it. To check: data-transfer status ${getTransferId(transfer)}`,
  };
}

function getReportedState({ state, status }: Transfer): string {
  return (state === 'running' && toPlainCell(status?.status ?? '')) || state;
}
