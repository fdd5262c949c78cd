import { hasEnded, isPaused, type Transfer } from '../../core/model/transferModel.ts';
import { getOutcome, getProgress, getTellingBytes, isUnsent, nameBytes } from '../../core/model/transferOutcome.ts';
import { formatByteProgress, limitMarks, shortenText } from '../../core/util/displayLimits.ts';
import { toPlainCell } from './plainCell.ts';
import { describeReason } from './reasonText.ts';
import type { Column } from './table.ts';

/** Maximum length of a service's message beside other text. */
const maxMessageLength = 200;

/** Converts a transfer to its JSON output, without its files (docs/command-line.md). */
export function toTransferDocument(transfer: Transfer): object {
  const { key, id, order, service, state, createdAt, changes, status, askedAt, problem, replacedBy } = transfer;
  const { cancelAcceptedAt, cancelUnheeded } = transfer;
  const { moved, total, bytes } = getProgress(transfer);
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
    description: order.description,
    files: total,
    transferredFiles: moved,
    ...nameBytes(bytes),
    startedAt: formatTime(createdAt),
    endedAt: hasEnded(state) ? formatTime(changes.at(-1)?.at) : undefined,
    checkedAt: formatTime(askedAt),
    problem: problem && describeReason(problem),
    replacedBy,
    cancelAcceptedAt: formatTime(cancelAcceptedAt),
    cancelIgnored: cancelUnheeded && !hasEnded(state),
  };
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

/**
 * Formats a transfer's progress on one line: `active, 3/10 files, 1.2 of 200 GB`. Returns only the state if there are no
 * counts.
 */
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

/** Returns the service's last message as a clause on one line, without the transfer's ID; undefined if it's empty. */
export function getServerMessage(transfer: Transfer, maxLength = maxMessageLength): string | undefined {
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
  if (isPaused(transfer)) return 'paused';
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
