import { hasEnded, isPaused, type Transfer } from '../model/transferModel.ts';
import { getOutcome, getProgress, nameBytes } from '../model/transferOutcome.ts';
import type { JsonObject } from '../util/json.ts';
import { toDataLine } from './serverText.ts';

/** Returns a transfer as the agent sees it. Reports unknown counts, start times and end times as `unknown`. */
export function toTransferAnswer(transfer: Transfer): JsonObject {
  const { id, key, order, state, askedAt, status } = transfer;
  const { moved, total, bytes } = getProgress(transfer);
  return {
    ...{ transferId: id ?? 'none', ...(id === undefined && { record: key }), state: getWord(transfer) },
    ...{ files: total ?? 'unknown', transferredFiles: moved ?? 'unknown', startedAt: getStart(transfer) },
    ...nameBytes(bytes),
    ...(hasEnded(state) ? { endedAt: getEnd(transfer) } : { checkedAt: toTime(askedAt) }),
    data: {
      ...{ source: toDataLine(order.source), destination: toDataLine(order.destination) },
      ...(status?.message !== undefined && { message: toDataLine(status.message) }),
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
  const { state, cancelAcceptedAt } = transfer;
  if (state === 'notConfirmed') return 'not confirmed';
  if (isPaused(transfer)) return 'paused';
  if (!hasEnded(state) && cancelAcceptedAt !== undefined) return 'canceling';
  return words[getOutcome(transfer) ?? state] ?? state;
}

const words: Readonly<Record<string, string>> = {
  ...{ complete: 'succeeded', partial: 'incomplete', cancelled: 'canceled', submitting: 'being submitted' },
  ...{ expired: 'ended; the service no longer knows it', running: 'running', refused: 'not started' },
};

function createNote({ state, cancelUnheeded }: Transfer): JsonObject {
  if (state === 'notConfirmed')
    return {
      note: "It isn't known whether the service started the transfer. Never submit it again; the user has to check.",
    };
  return cancelUnheeded ? { note: 'The service accepted a cancellation, but still reports the same status.' } : {};
}

function toTime(at: number | undefined): string {
  return at === undefined ? 'never' : new Date(at).toISOString();
}
