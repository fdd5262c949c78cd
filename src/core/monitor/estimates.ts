import type { Estimate, Transfer } from '../model/transferModel.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { shouldPoll } from './pollSchedule.ts';
import { estimateRemaining, hasProgress, getPace } from './progressEstimate.ts';

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
