import type { Estimate } from '../model/estimate.ts';
import type { Transfer } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { estimateOf, paceOf } from './progressEstimate.ts';

/** The latest transfers between two databases tell most. */
const mostEarlier = 10;

interface Earlier {
  readonly key: string;
  readonly endedAt: number;
  /** Files in a millisecond. */
  readonly pace: number;
}

/** Estimates of running transfers, with what the store knows of those that succeeded between the same databases. */
export class Estimates implements Disposable {
  private readonly store: TransferStore;
  private readonly clock: Clock;
  /** By the route from one database to the other, the latest first. */
  private readonly earlier = new Map<string, readonly Earlier[]>();
  private readonly subscription: Disposable;

  constructor(store: TransferStore, clock: Clock) {
    this.store = store;
    this.clock = clock;
    this.learn(store.finished().map(({ key }) => key));
    this.subscription = store.onDidChange((keys) => this.learn(keys));
  }

  /** How long a transfer will still take; undefined where nothing honest can be said. */
  of(transfer: Transfer): Estimate | undefined {
    const paces = (this.earlier.get(routeOf(transfer)) ?? []).map(({ pace }) => pace);
    return estimateOf(transfer, paces, this.clock.now());
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private learn(keys: readonly string[]): void {
    for (const key of keys) {
      const transfer = this.store.get(key);
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
      if (list.some((one) => one.key === key))
        this.earlier.set(
          route,
          list.filter((one) => one.key !== key),
        );
    }
  }
}

function routeOf({ order: { connectionId, source, destination } }: Transfer): string {
  return JSON.stringify([connectionId, source, destination]);
}
