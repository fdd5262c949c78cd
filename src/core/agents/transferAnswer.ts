import { hasEnded, isPaused, type Transfer } from '../model/transferModel.ts';
import { getOutcome, getProgress, isUnsent, nameBytes } from '../model/transferOutcome.ts';
import type { Reason } from '../model/reason.ts';
import type { JsonObject } from '../util/json.ts';
import { toDataLine } from './serverText.ts';

/**
 * Returns a transfer as the agent sees it. Reports unknown counts, start times and end times as `unknown`.
 * `describeReason` words the reason why the transfer wasn't started.
 */
export function toTransferAnswer(transfer: Transfer, describeReason: (reason: Reason) => string): JsonObject {
  const { id, key, order, state, askedAt, status, problem } = transfer;
  const { moved, total, bytes } = getProgress(transfer);
  return {
    transferId: id ?? 'none',
    ...(id === undefined && { record: key }),
    state: getWord(transfer),
    files: total ?? 'unknown',
    transferredFiles: moved ?? 'unknown',
    startedAt: getStart(transfer),
    ...nameBytes(bytes),
    ...(hasEnded(state) ? { endedAt: getEnd(transfer) } : { checkedAt: toTime(askedAt) }),
    data: {
      source: toDataLine(order.source),
      destination: toDataLine(order.destination),
      ...(status?.message !== undefined && { message: toDataLine(status.message) }),
      ...(id === undefined && problem && { reason: toDataLine(describeReason(problem)) }),
    },
    ...createNote(transfer),
  };
}

/** Returns a transfer as a row of a list. The list belongs under `data`. */
export function toTransferRow(transfer: Transfer): JsonObject {
  const { id, key, order } = transfer;
  const destination = toDataLine(order.destination);
  return { transferId: id ?? key, state: getWord(transfer), destination, startedAt: getStart(transfer) };
}

/** Returns the time of the submission; `unknown` for a transfer that was started elsewhere. */
function getStart({ createdAt, startedElsewhere }: Transfer): string {
  return startedElsewhere ? 'unknown' : toTime(createdAt);
}

/** Returns the time at which the end was detected; `unknown` for a transfer that was found after it had ended. */
function getEnd({ changes, startedElsewhere }: Transfer): string {
  return startedElsewhere && changes.length === 1 ? 'unknown' : toTime(changes.at(-1)?.at);
}

function getWord(transfer: Transfer): string {
  const { state, cancelAcceptedAt, cancelUnheeded } = transfer;
  if (state === 'notConfirmed') return 'not confirmed';
  if (isUnsent(transfer)) return 'not sent';
  if (isPaused(transfer)) return 'paused';
  if (!hasEnded(state) && cancelAcceptedAt !== undefined && !cancelUnheeded) return 'canceling';
  return words[getOutcome(transfer) ?? state] ?? state;
}

const words: Readonly<Record<string, string>> = {
  complete: 'succeeded',
  partial: 'incomplete',
  cancelled: 'canceled',
  submitting: 'being submitted',
  expired: 'ended; the service no longer knows it',
  running: 'running',
  refused: 'not started',
};

function createNote(transfer: Transfer): JsonObject {
  const { state, cancelUnheeded, requestedBy } = transfer;
  if (isUnsent(transfer) && requestedBy)
    return {
      note: 'Nothing was sent. After fixing the cause, call submit_transfer again; if the plan was decided or has expired, plan the transfer again.',
    };
  if (state === 'notConfirmed')
    return {
      note: "It isn't known whether the service started the transfer. Never submit it again; the user has to check.",
    };
  return cancelUnheeded ? { note: 'The service accepted a cancellation, but still reports the same status.' } : {};
}

function toTime(at: number | undefined): string {
  return at === undefined ? 'never' : new Date(at).toISOString();
}
