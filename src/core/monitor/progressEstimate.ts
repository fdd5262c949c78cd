import type { Estimate } from '../model/estimate.ts';
import { movedAt, type MovementPoint } from '../model/movement.ts';
import { hasEnded, type Transfer } from '../model/transfer.ts';
import { getOutcome } from '../model/transferOutcome.ts';

const second = 1000;
const minute = 60 * second;
/** Moving for less than this tells nothing of what is to come. */
const shortestMovementMs = 5 * second;
const shortestStallMs = 10 * minute;
/** Nobody means a range whose ends lie further apart than this. */
const widestRange = 20;

/**
 * How long a running transfer will still take, as far as that can be said honestly at `now`: by files alone, because
 * no server tells how many bytes have moved. What it does itself counts before the paces of `earlier` ones.
 */
export function estimateOf(transfer: Transfer, earlier: readonly number[], now: number): Estimate | undefined {
  const { state, status, problem, cancelAcceptedAt } = transfer;
  if (hasEnded(state) || problem || status?.doubtful || cancelAcceptedAt !== undefined) return undefined;
  const stall = stallOf(transfer);
  if (state === 'inactive') return stall;
  if (hasBegun(transfer)) return stall ?? byMovement(transfer, now) ?? byEarlier(transfer, earlier, now);
  return byEarlier(transfer, earlier, now) ?? stall;
}

/**
 * How fast a transfer that moved all its files went, from its submission to its end, staging and all: files in a millisecond.
 * Undefined where it cannot tell.
 */
export function paceOf(transfer: Transfer): number | undefined {
  const end = transfer.changes.at(-1)?.at;
  if (getOutcome(transfer) !== 'complete' || end === undefined || end <= transfer.createdAt) return undefined;
  const pace = fileCount(transfer) / (end - transfer.createdAt);
  return pace > 0 ? pace : undefined;
}

/** It does not move for long, and for longer than it ever paused before. What happened since it was asked is not known. */
function stallOf(transfer: Transfer): Estimate | undefined {
  const { askedAt, movement = [] } = transfer;
  if (askedAt === undefined) return undefined;
  const sinceMs = askedAt - movedAt(transfer);
  const pauses = movement.slice(2).map(({ at }, index) => at - (movement[index + 1]?.at ?? at));
  return sinceMs >= Math.max(shortestStallMs, 2 * Math.max(0, ...pauses)) ? { kind: 'stalled', sinceMs } : undefined;
}

/** Whether files of a transfer were seen to move. */
export function hasBegun({ movement = [] }: Transfer): boolean {
  return movement.length > 1;
}

/** From the slowest to the fastest way to read the series: all of it or its latest part, with and without the pause now. */
function byMovement(transfer: Transfer, now: number): Estimate | undefined {
  const { movement = [] } = transfer;
  const last = movement.at(-1);
  const left = last === undefined ? 0 : fileCount(transfer) - last.moved;
  if (!last || left <= 0) return undefined;
  const begunAt = beginningOf(transfer, movement);
  const rates = [movement[0], movement.at(-1 - Math.ceil(movement.length / 4))]
    .flatMap((from) =>
      [last.at, now].map((to) => from && rateOf({ ...from, at: Math.max(from.at, begunAt) }, last, to)),
    )
    .filter((rate) => rate !== undefined);
  if (rates.length === 0) return undefined;
  return range(left / Math.max(...rates), left / Math.min(...rates), { basis: 'movement' });
}

/** Files in a millisecond. */
function rateOf(from: MovementPoint, last: MovementPoint, to: number): number | undefined {
  const tookMs = to - from.at;
  return tookMs >= shortestMovementMs && last.moved > from.moved ? (last.moved - from.moved) / tookMs : undefined;
}

/** When the moving began: what came before that was staging. */
function beginningOf({ createdAt, changes }: Transfer, movement: readonly MovementPoint[]): number {
  const firstMove = movement[1]?.at ?? Infinity;
  return changes.findLast(({ state, at }) => state === 'active' && at < firstMove)?.at ?? createdAt;
}

/** Undefined also for one that has taken longer than any of them would have. */
function byEarlier(transfer: Transfer, earlier: readonly number[], now: number): Estimate | undefined {
  const count = fileCount(transfer);
  if (earlier.length === 0 || count === 0) return undefined;
  const tookMs = now - transfer.createdAt;
  const lowMs = Math.max(0, count / Math.max(...earlier) - tookMs);
  const highMs = count / Math.min(...earlier) - tookMs;
  return highMs > 0 ? range(lowMs, highMs, { basis: 'earlier', count: earlier.length }) : undefined;
}

function range(
  lowMs: number,
  highMs: number,
  from: { readonly basis: 'movement' | 'earlier'; readonly count?: number },
): Estimate | undefined {
  const isTooWide = highMs > widestRange * Math.max(lowMs, minute);
  return isTooWide ? undefined : { kind: 'range', lowMs: Math.round(lowMs), highMs: Math.round(highMs), ...from };
}

/** As the server counts, else as was asked. */
function fileCount({ status, order }: Transfer): number {
  return status?.fileCount ?? order.files.length;
}
