import type { Reply } from '../client/reply.ts';
import { addSample } from '../model/progressSamples.ts';
import type { Reason } from '../model/reason.ts';
import {
  exceedsFileCount,
  hasEnded,
  withState,
  getMaxFileCount,
  getState,
  withTrustedCounts,
  type Transfer,
  type TransferStatus,
} from '../model/transferModel.ts';
import { omit } from '../util/omit.ts';

/** Counts of recent status replies for one transfer. */
export interface ReplyHistory {
  /** "Not found" replies since the last status (D11: check status identity). */
  readonly notFound: number;
  /** Consecutive statuses that reported no change although a cancellation was accepted (D13: ignored cancel). */
  readonly unheeded: number;
  /** Consecutive requests that failed for a reason that affects only this transfer. */
  readonly failed: number;
  /**
   * `times`: consecutive statuses that reported the file count `count`, which exceeds the number of requested files
   * (D35: misrouted responses).
   */
  readonly larger?: { readonly count: number; readonly times: number };
}

/** The history before the first reply. */
export const emptyHistory: ReplyHistory = { notFound: 0, unheeded: 0, failed: 0 };

const notFoundThreshold = 3;
const unheededThreshold = 5;
const largerThreshold = 3;

/** The reply to a status request: a status, or the reason why there is none. */
export type StatusReply = Partial<Reply<TransferStatus | undefined>>;

/** Returns the transfer and its history after a reply. `at` is the time of the reply, in milliseconds since 1970. */
export function applyReply(
  transfer: Transfer,
  history: ReplyHistory,
  { value, reason = { kind: 'unreadable' } }: StatusReply,
  at: number,
): [Transfer, ReplyHistory] {
  if (value) return applyStatus(transfer, history, value, at);
  if (reason.kind === 'notFound') return applyNotFound(transfer, history, at);
  // The failure affects only this transfer. It becomes the transfer's problem and delays its next poll.
  const failures = { ...history, failed: history.failed + 1 };
  return [{ ...transfer, problem: reason }, failures];
}

/**
 * Returns the reason for a failure of the network or the entire service; undefined if there was none (D33: polling
 * intervals).
 */
export function getServerFailure({ value, reason = { kind: 'unreadable' } }: StatusReply): Reason | undefined {
  return value === undefined && affectsWholeServer(reason) ? reason : undefined;
}

/**
 * Returns the transfer and its history after a status from the server (D10: open status set, D11: check status
 * identity, D13: ignored cancel).
 */
function applyStatus(
  transfer: Transfer,
  history: ReplyHistory,
  reported: TransferStatus,
  at: number,
): [Transfer, ReplyHistory] {
  if (isForeignId(transfer, reported)) return [withoutId(transfer, at), emptyHistory];
  const larger = countLarger(transfer, history, reported);
  const status = larger && larger.times >= largerThreshold ? omit(reported, 'doubtful') : reported;
  const updated = applyProgress(transfer, status, at);
  const hasProgressed = updated.state !== transfer.state || updated.movement !== transfer.movement;
  const waitsForCancel = transfer.cancelAcceptedAt !== undefined && !hasEnded(updated.state) && !hasProgressed;
  const unheeded = waitsForCancel ? history.unheeded + 1 : 0;
  const isCancelIgnored = waitsForCancel && (transfer.cancelUnheeded === true || unheeded >= unheededThreshold);
  const rest = omit(updated, 'problem', 'cancelUnheeded');
  return [
    {
      ...rest,
      status: withTrustedCounts(status, transfer.status),
      askedAt: at,
      ...(isCancelIgnored && { cancelUnheeded: true }),
    },
    { ...emptyHistory, unheeded, ...(larger && { larger }) },
  ];
}

/**
 * Counts consecutive replies with the same file count, if this count exceeds the number of requested files. A count
 * that is reported repeatedly is trusted, because a transfer can grow (D35: misrouted responses).
 */
function countLarger(transfer: Transfer, { larger }: ReplyHistory, status: TransferStatus): ReplyHistory['larger'] {
  const count = status.fileCount ?? 0;
  const isOwnId = status.id === undefined || status.id === transfer.id;
  if (!status.doubtful || !isOwnId || !exceedsFileCount({ fileCount: count }, getMaxFileCount(transfer)))
    return undefined;
  return { count, times: larger?.count === count ? larger.times + 1 : 1 };
}

/**
 * Returns true if the transfer has never had a trusted status, and `status` reports more files than were requested
 * (D35: misrouted responses).
 */
function isForeignId(transfer: Transfer, status: TransferStatus): boolean {
  const { doubtful, fileCount, movedFileCount } = transfer.status ?? { doubtful: true };
  // A doubtful status contains the counts of the last trusted one.
  const hadOwn = !doubtful || fileCount !== undefined || movedFileCount !== undefined;
  return !hadOwn && status.doubtful === true && exceedsFileCount(status, getMaxFileCount(transfer));
}

/**
 * Returns an unconfirmed copy of a transfer, without the ID that belongs to another transfer (D12: never resubmit, D35:
 * misrouted responses).
 */
function withoutId(transfer: Transfer, at: number): Transfer {
  const { id = '', foreignIds = [] } = transfer;
  const problem: Reason = { kind: 'foreignAnswer', code: 'TOO_MANY_FILES', detail: id, maybeDone: true };
  const rest = omit(transfer, 'id', 'status', 'askedAt', 'cancelUnheeded', 'cancelAcceptedAt');
  return { ...withState(rest, 'notConfirmed', at), foreignIds: [...new Set([...foreignIds, id])], problem };
}

/**
 * Returns a transfer updated with the trusted parts of a status. A doubtful status never ends a transfer (D11: check
 * status identity).
 */
function applyProgress(transfer: Transfer, status: TransferStatus, at: number): Transfer {
  const state = getState(status);
  if (status.doubtful) return hasEnded(state) ? transfer : withState(transfer, state, at);
  const { movement = [] } = transfer;
  const { movedFileCount: moved, bytes } = status;
  const counts = bytes && { copiedBytes: bytes.copied, checkedBytes: (bytes.staged ?? 0) + (bytes.verified ?? 0) };
  const series = moved === undefined ? movement : addSample(movement, { at, moved, ...counts });
  const now = withState(transfer, state, at);
  return series === movement ? now : { ...now, movement: series };
}

/**
 * Returns the transfer and its history after a "not found" reply. The transfer expires after three such replies without
 * a status in between (D11: check status identity).
 */
function applyNotFound(transfer: Transfer, history: ReplyHistory, at: number): [Transfer, ReplyHistory] {
  const notFound = history.notFound + 1;
  const updated = notFound >= notFoundThreshold ? withState(transfer, 'expired', at) : transfer;
  return [updated, { ...history, notFound, failed: 0 }];
}

/** Returns a transfer without its problem if the problem affects the entire server. */
export function clearServerFailure(transfer: Transfer): Transfer {
  return transfer.problem && affectsWholeServer(transfer.problem) ? omit(transfer, 'problem') : transfer;
}

/** Returns a transfer with a failure of the entire server as its problem. */
export function setServerFailure(transfer: Transfer, failure: Reason): Transfer {
  const { kind, signIn } = transfer.problem ?? {};
  return kind === failure.kind && signIn === failure.signIn ? transfer : { ...transfer, problem: failure };
}

/** Returns true for a failure of the network or the entire service. */
function affectsWholeServer({ kind, status, signIn }: Reason): boolean {
  if (signIn !== undefined) return signIn !== 'orcid';
  if (kind === 'serverError') return status !== 500;
  if (kind === 'refused') return status === 408 || status === 429;
  return !transferKinds.has(kind);
}

const transferKinds: ReadonlySet<Reason['kind']> = new Set([
  ...(['badArgument', 'entryRejected', 'forbidden', 'notFound', 'tooLarge'] as const),
]);
