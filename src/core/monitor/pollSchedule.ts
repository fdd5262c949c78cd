import { hasEnded, type Transfer } from '../model/transfer.ts';

/** What the pace of asking depends on besides the transfer itself (D33). */
export interface Pace {
  /** Shortest interval, in milliseconds; the person's setting. */
  readonly shortestMs: number;
  readonly hasFocus: boolean;
  /** When files were last seen to move, or the state to change; milliseconds since 1970. */
  readonly movedAt: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds to let pass between two questions for the status of a running transfer (D33). */
export function pollIntervalMs(transfer: Transfer, now: number, pace: Pace): number {
  if (transfer.cancelUnheeded) return 10 * minute;
  if (now - pace.movedAt >= hour) return 5 * minute;
  const tenth = (now - transfer.createdAt) / 10;
  const focused = Math.min(Math.max(tenth, second, pace.shortestMs), Math.max(minute, pace.shortestMs));
  return pace.hasFocus ? focused : 2 * focused;
}

/** Whether a transfer is to be asked for at all: it has an id, and has not ended. */
export function isWatched(transfer: Transfer): boolean {
  return transfer.id !== undefined && !hasEnded(transfer.state);
}

/** Milliseconds that a whole line waits after `failures` failures of the network in a row; `random` is in 0…1 (D33). */
export function retryWaitMs(failures: number, random: number): number {
  const doubled = Math.min(2 * second * 2 ** (failures - 1), 5 * minute);
  return doubled * (0.75 + 0.5 * random);
}
