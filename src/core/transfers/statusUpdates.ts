import type { Reply } from '../client/reply.ts';
import {
  addSample,
  getState,
  hasEnded,
  toTrustedStatus,
  withState,
  type Transfer,
  type TransferStatus,
} from '../model/transferModel.ts';
import { describeContent, findOtherContent, toTransferFacts, type ForeignSign } from '../model/foreignResponse.ts';
import type { Reason } from '../model/reason.ts';
import { omit } from '../util/json.ts';

/** Counts of recent status replies for one transfer. */
export interface ReplyHistory {
  /** "Not found" replies since the last status (D11: check status identity). */
  readonly notFound: number;
  /** Consecutive statuses that reported no change although a cancellation was accepted (D13: ignored cancel). */
  readonly unheeded: number;
  /** Consecutive requests that failed for a reason that affects only this transfer. */
  readonly failed: number;
  /**
   * `times`: consecutive statuses that reported `content`, which is not what was requested (D35: misrouted responses).
   */
  readonly other?: { readonly content: string; readonly times: number };
}

/** The history before the first reply. */
export const emptyHistory: ReplyHistory = { notFound: 0, unheeded: 0, failed: 0 };

const notFoundThreshold = 3;
const unheededThreshold = 5;
const otherThreshold = 3;

/** The reply to a status request: a status, or the reason why there is none. */
export type StatusReply = Partial<Reply<TransferStatus | undefined>>;

/** Returns the transfer and its history after a reply. `at` is the time of the reply, in milliseconds since 1970. */
export function applyReply(
  transfer: Transfer,
  history: ReplyHistory,
  { value, reason = { kind: 'unreadable' } }: StatusReply,
  at: number,
): [Transfer, ReplyHistory] {
  if (value?.doubtful) return applyDoubtful(transfer, history, value, at);
  if (value) return applyTrusted(transfer, history, value, at);
  if (reason.kind === 'notFound') return applyNotFound(transfer, history, at);
  // The response belongs to another request.
  if (reason.kind === 'foreignAnswer') return [transfer, history];
  // The failure affects only this transfer. It becomes the transfer's problem and delays its next poll.
  const failures = { ...history, failed: history.failed + 1 };
  return [{ ...transfer, problem: reason }, failures];
}

/**
 * Returns the reason why there is no status if the network or the entire service failed; undefined if the failure
 * affects only the transfer (D33: polling intervals).
 */
export function getServerFailure(reason: Reason = { kind: 'unreadable' }): Reason | undefined {
  return affectsWholeServer(reason) ? reason : undefined;
}

/**
 * Returns the transfer and its history after a doubtful status (D11: check status identity). Such a status with the
 * transfer's ID may be about other files than those requested. Statuses of other transfers differ from each other;
 * those that are repeated belong to the ID. Either it is another transfer's, or the transfer has grown (D35: misrouted
 * responses).
 */
function applyDoubtful(
  transfer: Transfer,
  history: ReplyHistory,
  reported: TransferStatus,
  at: number,
): [Transfer, ReplyHistory] {
  const { other: last, ...counts } = history;
  const isOwnId = reported.id === undefined || reported.id === transfer.id;
  const sign = isOwnId ? findOtherContent(reported, toTransferFacts(transfer)) : undefined;
  const content = sign && describeContent(reported);
  const times = last?.content === content ? (last?.times ?? 0) + 1 : 1;
  if (sign && times >= otherThreshold) {
    // A trusted status, even one without counts, ends the state `accepted`, and proves that the ID belongs to the transfer.
    if (transfer.state === 'accepted') return [withoutId(transfer, sign, at), emptyHistory];
    return applyTrusted(transfer, history, omit(reported, 'doubtful'), at);
  }
  // Marks the last status as doubtful, and changes nothing else.
  const status = toTrustedStatus({ doubtful: true }, transfer.status);
  const other = content !== undefined && { other: { content, times } };
  return [
    { ...omit(transfer, 'problem'), status, askedAt: at },
    { ...counts, ...other },
  ];
}

/** Returns the transfer and its history after a trusted status (D10: open status set, D13: ignored cancel). */
function applyTrusted(
  transfer: Transfer,
  history: ReplyHistory,
  status: TransferStatus,
  at: number,
): [Transfer, ReplyHistory] {
  const { movement = [], cancelAcceptedAt } = transfer;
  const { movedFileCount: moved, bytes } = status;
  const counts = bytes && { copiedBytes: bytes.copied, checkedBytes: (bytes.staged ?? 0) + (bytes.verified ?? 0) };
  const series = moved === undefined ? movement : addSample(movement, { at, moved, ...counts });
  const updated = withState(omit(transfer, 'problem', 'cancelUnheeded'), getState(status), at, status.status);
  const hasProgressed = updated.changes !== transfer.changes || series !== movement;
  const waitsForCancel = cancelAcceptedAt !== undefined && !hasEnded(updated.state) && !hasProgressed;
  const unheeded = waitsForCancel ? history.unheeded + 1 : 0;
  const isCancelIgnored = waitsForCancel && (transfer.cancelUnheeded === true || unheeded >= unheededThreshold);
  return [
    {
      ...updated,
      ...(series !== movement && { movement: series }),
      status,
      askedAt: at,
      ...(isCancelIgnored && { cancelUnheeded: true }),
    },
    { ...emptyHistory, unheeded },
  ];
}

/**
 * Returns an unconfirmed copy of a transfer, without the ID that belongs to another transfer (D12: never resubmit, D35:
 * misrouted responses).
 */
function withoutId(transfer: Transfer, code: ForeignSign, at: number): Transfer {
  const { id = '', foreignIds = [] } = transfer;
  const problem: Reason = { kind: 'foreignAnswer', code, detail: id, maybeDone: true };
  const rest = omit(transfer, 'id', 'status', 'askedAt', 'cancelUnheeded', 'cancelAcceptedAt');
  return { ...withState(rest, 'notConfirmed', at), foreignIds: [...new Set([...foreignIds, id])], problem };
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

/** Returns true if a failed request for a status says nothing about the transfer itself. */
export function affectsWholeServer({ kind, status, signIn }: Reason): boolean {
  if (signIn !== undefined) return signIn !== 'orcid';
  if (kind === 'serverError') return status !== 500;
  if (kind === 'refused') return status === 408 || status === 429;
  return !transferKinds.has(kind);
}

const transferKinds: ReadonlySet<Reason['kind']> = new Set([
  ...(['badArgument', 'entryRejected', 'forbidden', 'foreignAnswer', 'notFound', 'tooLarge'] as const),
]);
