import {
  getLastProgressAt,
  hasEnded,
  listFileSamples,
  type Estimate,
  type ProgressSample,
  type Transfer,
} from '../model/transferModel.ts';
import { getOutcome } from '../model/transferOutcome.ts';
import type { TransferStore } from './transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { shouldPoll } from './pollQueue.ts';

const second = 1000;
const minute = 60 * second;
/** Minimum duration of observed progress for an estimate, in milliseconds. */
const minProgressMs = 5 * second;
const minStallMs = 10 * minute;
/** Maximum ratio of an estimate's upper bound to its lower bound. Wider ranges are not shown. */
const maxRangeRatio = 20;

/**
 * Estimates the remaining time of a running transfer at `now`, or detects a stall. Counts bytes if the server reports
 * them, otherwise files. The transfer's own progress takes precedence over `earlier`, the paces of earlier transfers
 * in files per millisecond. Returns undefined if there is no reliable estimate.
 */
export function estimateRemaining(transfer: Transfer, earlier: readonly number[], now: number): Estimate | undefined {
  const { state, status, problem, cancelAcceptedAt } = transfer;
  if (hasEnded(state) || problem || status?.doubtful || cancelAcceptedAt !== undefined) return undefined;
  const stall = detectStall(transfer);
  if (state === 'inactive') return status?.isPaused ? undefined : stall;
  if (hasProgress(transfer))
    return stall ?? estimateFromProgress(transfer, now) ?? estimateFromEarlier(transfer, earlier, now);
  return estimateFromEarlier(transfer, earlier, now) ?? stall;
}

/**
 * Returns the average pace since `createdAt`, in files per millisecond, of a transfer whose outcome is `complete`.
 * Returns undefined for any other transfer, for a transfer started elsewhere (its start and databases are unknown), or
 * if the pace is unknown.
 */
export function getPace(transfer: Transfer): number | undefined {
  if (transfer.startedElsewhere) return undefined;
  const end = transfer.changes.at(-1)?.at;
  if (getOutcome(transfer) !== 'complete' || end === undefined || end <= transfer.createdAt) return undefined;
  const pace = countFiles(transfer) / (end - transfer.createdAt);
  return pace > 0 ? pace : undefined;
}

/**
 * Returns a `stalled` estimate with the duration of the stall; undefined if the transfer has not stalled. A transfer
 * has stalled if, at the last poll, there had been no progress for at least ten minutes and for at least twice as long
 * as any earlier pause.
 */
function detectStall(transfer: Transfer): Estimate | undefined {
  const { askedAt, movement = [] } = transfer;
  if (askedAt === undefined) return undefined;
  const sinceMs = askedAt - getLastProgressAt(transfer);
  const pauses = movement.slice(2).map(({ at }, index) => at - (movement[index + 1]?.at ?? at));
  return sinceMs >= Math.max(minStallMs, 2 * Math.max(0, ...pauses)) ? { kind: 'stalled', sinceMs } : undefined;
}

/** Returns true if the number of transferred files or bytes was observed to change. */
function hasProgress({ movement = [] }: Transfer): boolean {
  const [first] = movement;
  return movement.some(({ moved, copiedBytes }) => moved !== first?.moved || copiedBytes !== first.copiedBytes);
}

/** The progress that an estimate is based on, in files or in bytes. */
interface Measure {
  readonly basis: 'movement' | 'bytes';
  readonly samples: readonly Pick<ProgressSample, 'at' | 'moved'>[];
  readonly total: number;
  /** The time when the service started transferring files. */
  readonly startedAt: number;
}

/** Measures bytes since the transfer last became active if they are known, otherwise files. */
function getMeasure(transfer: Transfer): Measure {
  const { movement = [], status, changes } = transfer;
  const activeAt = changes.findLast(({ state }) => state === 'active')?.at;
  if (status?.bytes && activeAt !== undefined) {
    const samples = movement.flatMap(({ at, copiedBytes }) =>
      at >= activeAt && copiedBytes !== undefined ? [{ at, moved: copiedBytes }] : [],
    );
    return { basis: 'bytes', samples, total: status.bytes.total, startedAt: activeAt };
  }
  const samples = listFileSamples(movement);
  return { basis: 'movement', samples, total: countFiles(transfer), startedAt: getMoveStart(transfer, samples) };
}

/**
 * Estimates the remaining time from all samples and from the latest quarter of them, each with and without the current
 * pause.
 */
function estimateFromProgress(transfer: Transfer, now: number): Estimate | undefined {
  const { basis, samples, total, startedAt } = getMeasure(transfer);
  const last = samples.at(-1);
  const remaining = last === undefined ? 0 : total - last.moved;
  if (!last || remaining <= 0) return undefined;
  const rates = [samples[0], samples.at(-1 - Math.ceil(samples.length / 4))]
    .flatMap((from) =>
      [last.at, now].map((to) => from && getRate({ ...from, at: Math.max(from.at, startedAt) }, last, to)),
    )
    .filter((rate) => rate !== undefined);
  if (rates.length === 0) return undefined;
  return toRange(remaining / Math.max(...rates), remaining / Math.min(...rates), { basis });
}

function getRate(from: Measure['samples'][number], last: Measure['samples'][number], to: number): number | undefined {
  const elapsedMs = to - from.at;
  return elapsedMs >= minProgressMs && last.moved > from.moved ? (last.moved - from.moved) / elapsedMs : undefined;
}

/** Returns the time when the service started transferring files, after staging; `createdAt` if unknown. */
function getMoveStart({ createdAt, changes }: Transfer, movement: readonly ProgressSample[]): number {
  const firstMove = movement[1]?.at ?? Infinity;
  return changes.findLast(({ state, at }) => state === 'active' && at < firstMove)?.at ?? createdAt;
}

/**
 * Estimates the remaining time from the paces of earlier transfers. Returns undefined if they don't allow a reliable
 * estimate, for example because the transfer has already taken longer than the slowest pace predicts.
 */
function estimateFromEarlier(transfer: Transfer, earlier: readonly number[], now: number): Estimate | undefined {
  const count = countFiles(transfer);
  if (earlier.length === 0 || count === 0) return undefined;
  const elapsedMs = now - transfer.createdAt;
  const lowMs = Math.max(0, count / Math.max(...earlier) - elapsedMs);
  const highMs = count / Math.min(...earlier) - elapsedMs;
  return highMs > 0 ? toRange(lowMs, highMs, { basis: 'earlier', count: earlier.length }) : undefined;
}

function toRange(
  lowMs: number,
  highMs: number,
  from: { readonly basis: 'movement' | 'bytes' | 'earlier'; readonly count?: number },
): Estimate | undefined {
  const isTooWide = highMs > maxRangeRatio * Math.max(lowMs, minute);
  return isTooWide ? undefined : { kind: 'range', lowMs: Math.round(lowMs), highMs: Math.round(highMs), ...from };
}

function countFiles({ status, order }: Transfer): number {
  return status?.fileCount ?? order.files.length;
}

/** Maximum number of earlier transfers per route. The most recent transfers are the best predictors. */
const maxEarlierTransfers = 10;

interface EarlierTransfer {
  readonly key: string;
  readonly endedAt: number;
  /** Files per millisecond. */
  readonly pace: number;
}

interface EstimatesDependencies {
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Loads the transfers that ended in earlier sessions into the store. */
  loadFinished(): unknown;
}

/** Delay before earlier transfers are loaded, long enough not to slow down startup. */
const loadAfterMs = 10_000;

/** Estimates transfers' remaining time from their own progress and from earlier transfers on the same route. */
export class Estimates implements Disposable {
  private readonly dependencies: EstimatesDependencies;
  private loadTimer: Disposable | undefined;
  /** Earlier transfers, most recent first, by route: a connection with a source and a destination. */
  private readonly earlier = new Map<string, readonly EarlierTransfer[]>();
  private readonly subscription: Disposable;

  constructor(dependencies: EstimatesDependencies) {
    this.dependencies = dependencies;
    const { store } = dependencies;
    this.learn(store.getFinished().map(({ key }) => key));
    this.subscription = store.onDidChange((keys) => this.learn(keys));
  }

  /**
   * Returns the estimate for a transfer; undefined if there is no reliable one. Schedules loading earlier transfers if
   * the transfer has not progressed yet.
   */
  getEstimate(transfer: Transfer): Estimate | undefined {
    if (this.dependencies.store.hasEarlier && shouldPoll(transfer) && !hasProgress(transfer)) this.loadSoon();
    // The databases of a transfer started elsewhere are unknown.
    const earlier = transfer.startedElsewhere ? undefined : this.earlier.get(getRouteKey(transfer));
    const paces = (earlier ?? []).map(({ pace }) => pace);
    return estimateRemaining(transfer, paces, this.dependencies.clock.now());
  }

  dispose(): void {
    this.subscription.dispose();
    this.loadTimer?.dispose();
  }

  /** Schedules loading earlier transfers, which are the only basis for an estimate before any file is transferred. */
  private loadSoon(): void {
    const { clock, loadFinished } = this.dependencies;
    this.loadTimer ??= clock.after(loadAfterMs, () => {
      this.loadTimer = undefined;
      loadFinished();
    });
  }

  private learn(keys: readonly string[]): void {
    for (const key of keys) {
      const transfer = this.dependencies.store.get(key);
      const pace = transfer && getPace(transfer);
      if (!transfer) this.forget(key);
      else if (pace !== undefined) this.remember(transfer, pace);
    }
  }

  private remember(transfer: Transfer, pace: number): void {
    const route = getRouteKey(transfer);
    const others = (this.earlier.get(route) ?? []).filter(({ key }) => key !== transfer.key);
    const endedAt = transfer.changes.at(-1)?.at ?? transfer.createdAt;
    const latest = [...others, { key: transfer.key, endedAt, pace }].sort((a, b) => b.endedAt - a.endedAt);
    this.earlier.set(route, latest.slice(0, maxEarlierTransfers));
  }

  private forget(key: string): void {
    for (const [route, list] of this.earlier) {
      const others = list.filter((one) => one.key !== key);
      this.earlier.set(route, others);
    }
  }
}

function getRouteKey({ order: { connectionId, source, destination } }: Transfer): string {
  return JSON.stringify([connectionId, source, destination]);
}
