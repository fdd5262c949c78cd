import type { KeyWatch } from '../connections/connectionWatch.ts';
import type { OpenConnections } from '../connections/openConnections.ts';
import type { PollingLease } from './pollingLease.ts';
import type { TransferStore } from './transferStore.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { shouldPoll } from './pollQueue.ts';

interface LeaseElectionDependencies {
  readonly sessions: OpenConnections;
  readonly keys: KeyWatch;
  readonly store: TransferStore;
  readonly lease: Pick<PollingLease, 'setEligible'>;
}

/**
 * Makes this window compete for polling leases. A connection is eligible if it is open and has running transfers,
 * unless its key has been refused.
 */
export class LeaseElection implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: LeaseElectionDependencies;
  private readonly polledConnections = new Map<string, string>();
  private lastEligible = '';

  constructor(dependencies: LeaseElectionDependencies) {
    this.dependencies = dependencies;
    this.lifetime.track(dependencies.store.onDidChange((keys) => this.updatePolled(keys)));
    this.lifetime.track(dependencies.sessions.onDidChange(() => this.updateEligible()));
    this.lifetime.track(dependencies.keys.onDidChange(() => this.updateEligible()));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private updatePolled(keys: readonly string[]): void {
    let hasChanged = false;
    for (const key of keys) {
      const transfer = this.dependencies.store.get(key);
      const connectionId = transfer && shouldPoll(transfer) ? transfer.order.connectionId : undefined;
      if (this.polledConnections.get(key) === connectionId) continue;
      hasChanged = true;
      if (connectionId === undefined) this.polledConnections.delete(key);
      else this.polledConnections.set(key, connectionId);
    }
    if (hasChanged) this.updateEligible();
  }

  /** Passes the eligible connections to the polling lease if they have changed. */
  private updateEligible(): void {
    const { sessions, keys, lease } = this.dependencies;
    const isEligible = (id: string): boolean => sessions.get(id) !== undefined && keys.getStatus(id) !== 'refused';
    const eligible = new Set([...this.polledConnections.values()].filter(isEligible));
    const summary = JSON.stringify([...eligible, this.polledConnections.size > 0]);
    if (summary === this.lastEligible) return;
    this.lastEligible = summary;
    lease.setEligible(eligible, this.polledConnections.size > 0);
  }
}
