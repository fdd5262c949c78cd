import { movedAt } from '../model/movement.ts';
import { hasEnded, type Transfer } from '../model/transfer.ts';

/** What the pace of asking depends on besides the transfer itself (D33). */
export interface Pace {
  /** Shortest interval, in milliseconds; the person's setting. */
  readonly shortestMs: number;
  readonly hasFocus: boolean;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds between two requests to one server at the least: at most five a second (D33). */
export const shortestGapMs = 200;

/** Milliseconds to let pass between two questions for the status of a running transfer (D33, D10, D13). */
export function pollIntervalMs(transfer: Transfer, now: number, { shortestMs, hasFocus }: Pace): number {
  const stillMs = now - movedAt(transfer);
  if (transfer.cancelUnheeded) return Math.max(10 * minute, shortestMs);
  if (stillMs >= hour) return Math.max(stillIntervalMs(transfer, stillMs), shortestMs);
  const tenth = (now - acceptedAt(transfer)) / 10;
  const focused = Math.max(Math.min(Math.max(tenth, second), minute), shortestMs);
  return hasFocus ? focused : 2 * focused;
}

/** The answer to a submission can take long: the service has not had the transfer for as long as the person. */
function acceptedAt({ changes, createdAt }: Transfer): number {
  return changes.find(({ state }) => state === 'accepted')?.at ?? createdAt;
}

/** A word that is not known may be an end: the longer nothing moves, the more slowly it is asked about (D10). */
function stillIntervalMs({ state }: Transfer, stillMs: number): number {
  return state === 'running' ? Math.min(stillMs / 12, hour) : 5 * minute;
}

/** Whether a transfer is to be asked for at all: it has an id, and has not ended. */
export function isWatched(transfer: Transfer): boolean {
  return transfer.id !== undefined && !hasEnded(transfer.state);
}

/**
 * By how much all intervals are stretched where one line cannot keep them, with requests that take `requestMs` each
 * (D33). 1 where the line has time enough.
 */
export function stretchOf(places: Iterable<{ readonly intervalMs: number }>, requestMs: number): number {
  const slotMs = Math.max(requestMs, shortestGapMs);
  let share = 0;
  for (const { intervalMs } of places) share += slotMs / intervalMs;
  return Math.max(1, share);
}

/** Milliseconds that a whole line waits after `failures` failures of the network in a row; `random` is in 0…1 (D33). */
export function retryWaitMs(failures: number, random: number): number {
  const doubled = Math.min(2 * second * 2 ** (failures - 1), 5 * minute);
  return doubled * (0.75 + 0.5 * random);
}
