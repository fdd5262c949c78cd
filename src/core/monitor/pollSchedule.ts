import { getLastProgressAt, hasEnded, type Transfer } from '../model/transferModel.ts';

interface PollOptions {
  readonly minIntervalMs: number;
  readonly hasFocus: boolean;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Minimum time between two requests to the same server, in milliseconds (D33: polling intervals). */
export const minRequestGapMs = 200;

/** Returns the interval between polls of a running transfer, in milliseconds (D33: polling intervals). */
export function getPollIntervalMs(transfer: Transfer, now: number, { minIntervalMs, hasFocus }: PollOptions): number {
  const idleMs = now - getLastProgressAt(transfer);
  if (transfer.cancelUnheeded) return Math.max(10 * minute, minIntervalMs);
  if (idleMs >= hour) return Math.max(getIdleIntervalMs(transfer, idleMs), minIntervalMs);
  const tenth = (now - getAcceptedAt(transfer)) / 10;
  const focused = Math.max(Math.min(Math.max(tenth, second), minute), minIntervalMs);
  return hasFocus ? focused : 2 * focused;
}

/**
 * Returns the time when the service accepted the transfer, which can be much later than its submission. If that time is
 * unknown, returns `createdAt`.
 */
function getAcceptedAt({ changes, createdAt }: Transfer): number {
  return changes.find(({ state }) => state === 'accepted')?.at ?? createdAt;
}

/**
 * Returns the interval for a transfer without recent progress. For a state that the client does not know, the interval
 * grows over time, because the state may be final (D10: open status set).
 */
function getIdleIntervalMs({ state }: Transfer, idleMs: number): number {
  return state === 'running' ? Math.min(idleMs / 12, hour) : 5 * minute;
}

/** Returns true for a transfer that has an ID and has not ended. */
export function shouldPoll(transfer: Transfer): boolean {
  return transfer.id !== undefined && !hasEnded(transfer.state);
}

/** Returns the factor by which a queue's intervals must grow for all requests to fit if each takes `requestMs`. */
export function getIntervalStretch(entries: Iterable<{ readonly intervalMs: number }>, requestMs: number): number {
  const slotMs = Math.max(requestMs, minRequestGapMs);
  let share = 0;
  for (const { intervalMs } of entries) share += slotMs / intervalMs;
  return Math.max(1, share);
}

/**
 * Returns the delay before the next request after consecutive failures, in milliseconds. `random` is between 0 and 1
 * (D33: polling intervals).
 */
export function getRetryWaitMs(failures: number, random: number): number {
  const doubled = Math.min(2 * second * 2 ** (failures - 1), 5 * minute);
  return doubled * (0.75 + 0.5 * random);
}
