import { hasEnded, isPaused, type Transfer } from '../model/transferModel.ts';
import { getOutcome, getProgress } from '../model/transferOutcome.ts';
import type { JsonObject } from '../util/json.ts';
import { toDataLine } from './serverText.ts';

/** Returns a transfer as the agent sees it. Reports unknown counts as `unknown` instead of leaving them out. */
export function toTransferAnswer(transfer: Transfer): JsonObject {
  const { id, key, order, state, createdAt, askedAt, status } = transfer;
  const { moved, total } = getProgress(transfer);
  return {
    ...{ transferId: id ?? 'none', ...(id === undefined && { record: key }), state: getWord(transfer) },
    ...{ files: total ?? 'unknown', transferredFiles: moved ?? 'unknown', startedAt: toTime(createdAt) },
    ...(hasEnded(state) ? { endedAt: toTime(transfer.changes.at(-1)?.at) } : { checkedAt: toTime(askedAt) }),
    data: {
      ...{ source: toDataLine(order.source), destination: toDataLine(order.destination) },
      ...(status?.message !== undefined && { message: toDataLine(status.message) }),
    },
    ...createNote(transfer),
  };
}

/** Returns a transfer as a row of a list. The list belongs under `data`. */
export function toTransferRow({ id, key, order, createdAt, ...transfer }: Transfer): JsonObject {
  const state = getWord({ id, key, order, createdAt, ...transfer } as Transfer);
  return { transferId: id ?? key, state, destination: toDataLine(order.destination), startedAt: toTime(createdAt) };
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
