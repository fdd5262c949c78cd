import type { Estimate } from '../model/estimate.ts';
import type { Transfer } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { isWatched } from './pollSchedule.ts';
import { estimateOf, hasBegun, paceOf } from './progressEstimate.ts';

/** The latest transfers between two databases tell most. */
const mostEarlier = 10;

interface Earlier {
  readonly key: string;
  readonly endedAt: number;
  /** Files in a millisecond. */
  readonly pace: number;
}

/** What {@link Estimates} need. */
interface EstimateParts {
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Brings the transfers that ended in earlier sessions into the store. */
  loadFinished(): unknown;
}

/** Long enough not to be in the way of a start. */
const loadAfterMs = 10_000;

/** Estimates of running transfers, with what the store knows of those that succeeded between the same databases. */
export class Estimates implements Disposable {
  private readonly parts: EstimateParts;
  private loading: Disposable | undefined;
  /** By the route from one database to the other, the latest first. */
  private readonly earlier = new Map<string, readonly Earlier[]>();
  private readonly subscription: Disposable;

  constructor(parts: EstimateParts) {
    this.parts = parts;
    const { store } = parts;
    this.learn(store.finished().map(({ key }) => key));
    this.subscription = store.onDidChange((keys) => this.learn(keys));
  }

  /** How long a transfer will still take; undefined where nothing honest can be said. */
  of(transfer: Transfer): Estimate | undefined {
    if (this.parts.store.hasEarlier && isWatched(transfer) && !hasBegun(transfer)) this.loadSoon();
    const paces = (this.earlier.get(routeOf(transfer)) ?? []).map(({ pace }) => pace);
    return estimateOf(transfer, paces, this.parts.clock.now());
  }

  dispose(): void {
    this.subscription.dispose();
    this.loading?.dispose();
  }

  /** What ended in earlier sessions is not read at a start, but it is all there is to go by before anything has moved. */
  private loadSoon(): void {
    const { clock, loadFinished } = this.parts;
    this.loading ??= clock.after(loadAfterMs, () => {
      this.loading = undefined;
      loadFinished();
    });
  }

  private learn(keys: readonly string[]): void {
    for (const key of keys) {
      const transfer = this.parts.store.get(key);
      const pace = transfer && paceOf(transfer);
      if (!transfer) this.forget(key);
      else if (pace !== undefined) this.remember(transfer, pace);
    }
  }

  private remember(transfer: Transfer, pace: number): void {
    const route = routeOf(transfer);
    const others = (this.earlier.get(route) ?? []).filter(({ key }) => key !== transfer.key);
    const endedAt = transfer.changes.at(-1)?.at ?? transfer.createdAt;
    const latest = [...others, { key: transfer.key, endedAt, pace }].sort((a, b) => b.endedAt - a.endedAt);
    this.earlier.set(route, latest.slice(0, mostEarlier));
  }

  /** What the person took out of the history counts no longer. */
  private forget(key: string): void {
    for (const [route, list] of this.earlier) {
      const left = list.filter((one) => one.key !== key);
      this.earlier.set(route, left);
    }
  }
}

function routeOf({ order: { connectionId, source, destination } }: Transfer): string {
  return JSON.stringify([connectionId, source, destination]);
}
