import {
  catchRefusal,
  type KeyWatch,
  type OpenConnection,
  type OpenConnections,
} from '../connections/openConnections.ts';
import type { PollingLease } from './pollingLease.ts';
import { toTransferFacts } from '../model/foreignResponse.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnObserver } from '../model/requestTurn.ts';
import type { Transfer } from '../model/transferModel.ts';
import type { SavedTransfers } from './savedTransfers.ts';
import type { TransferStore } from './transferStore.ts';
import { getBackoffMs, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { getPollIntervalMs, PollQueue, shouldPoll, type PollResult } from './pollQueue.ts';
import {
  emptyHistory,
  getServerFailure,
  clearServerFailure,
  applyReply,
  setServerFailure,
  type ReplyHistory,
  type StatusReply,
} from './statusUpdates.ts';

/** Maximum number of times that failed requests double a transfer's polling interval. */
const maxDoublings = 5;

/** Milliseconds that a request may wait behind a submission before the age of the last status is shown. */
const shownWaitMs = 5_000;

interface TransferMonitorDependencies {
  readonly sessions: OpenConnections;
  readonly keys: KeyWatch;
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Determines which connections this window polls. */
  readonly lease: Pick<
    PollingLease,
    'hasLease' | 'isAnyWindowFocused' | 'onDidChange' | 'onDidRequestPoll' | 'requestPoll' | 'setEligible'
  >;
  readonly saved: Pick<SavedTransfers, 'save' | 'saveAll'>;
  getMinIntervalMs(): number;
}

/** The state of polling one transfer. `server` is the address of the transfer's server. */
interface Watch {
  readonly server: string;
  history: ReplyHistory;
  /** Withdraws the request while it is waiting for its turn (D34: serialized requests). */
  withdraw?: (() => void) | undefined;
}

/**
 * Polls the running transfers of the connections whose polling lease this window holds. Each server has its own queue
 * (D33: polling intervals). Competes for the leases of all connections that are open and have running transfers, unless
 * their key has been refused.
 */
export class TransferMonitor implements Disposable {
  private readonly dependencies: TransferMonitorDependencies;
  private readonly queues = new Map<string, PollQueue>();
  private readonly failingServers = new Set<string>();
  private readonly watches = new Map<string, Watch>();
  /** The connections of the running transfers, by key, whichever window polls them. */
  private readonly connections = new Map<string, string>();
  private lastEligible = '';
  private readonly subscriptions: readonly Disposable[];
  private readonly ending = new AbortController();

  constructor(dependencies: TransferMonitorDependencies) {
    this.dependencies = dependencies;
    this.subscriptions = [
      dependencies.store.onDidChange((keys) => this.update(keys)),
      dependencies.sessions.onDidChange(() => this.updateAll()),
      dependencies.keys.onDidChange(() => this.updateAll()),
      dependencies.lease.onDidChange(() => this.updateWatches()),
      dependencies.lease.onDidRequestPoll(({ key }) => {
        for (const queue of this.queues.values()) queue.pollNow(key);
      }),
    ];
  }

  /**
   * Polls one or all running transfers as soon as possible, here or in the windows that hold the polling leases (D33:
   * polling intervals).
   */
  pollNow(key?: string): void {
    for (const queue of this.queues.values()) queue.pollNow(key);
    const { lease } = this.dependencies;
    const requested = key === undefined ? this.connections.values() : [this.connections.get(key)];
    for (const connectionId of new Set(requested)) {
      if (connectionId === undefined || lease.hasLease(connectionId)) continue;
      void lease.requestPoll({ connectionId, ...(key !== undefined && { key }) });
    }
  }

  dispose(): void {
    this.ending.abort();
    for (const queue of this.queues.values()) queue.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Updates what depends on changed transfers: their watches, and which connections this window can poll. */
  private update(keys: readonly string[]): void {
    let hasChanged = false;
    for (const key of keys) {
      this.updateWatch(key);
      const transfer = this.dependencies.store.get(key);
      const connectionId = transfer && shouldPoll(transfer) ? transfer.order.connectionId : undefined;
      if (this.connections.get(key) === connectionId) continue;
      hasChanged = true;
      if (connectionId === undefined) this.connections.delete(key);
      else this.connections.set(key, connectionId);
    }
    if (hasChanged) this.updateEligible();
  }

  private updateAll(): void {
    this.updateWatches();
    this.updateEligible();
  }

  private updateWatches(): void {
    for (const key of this.connections.keys()) this.updateWatch(key);
  }

  private updateEligible(): void {
    const { sessions, keys, lease } = this.dependencies;
    const isEligible = (id: string): boolean => sessions.get(id) !== undefined && keys.getStatus(id) !== 'refused';
    const eligible = new Set([...this.connections.values()].filter(isEligible));
    const summary = JSON.stringify([...eligible, this.connections.size > 0]);
    if (summary === this.lastEligible) return;
    this.lastEligible = summary;
    lease.setEligible(eligible, this.connections.size > 0);
  }

  private endWatch(key: string, watch: Watch): void {
    watch.withdraw?.();
    this.queues.get(watch.server)?.remove(key);
    this.watches.delete(key);
  }

  /** Adds a transfer to its server's queue, or removes it if this window does not poll it. */
  private updateWatch(key: string): void {
    const transfer = this.dependencies.store.get(key);
    const server = transfer && shouldPoll(transfer) ? this.findConnection(transfer)?.service.address : undefined;
    const watch = this.watches.get(key);
    if (watch && watch.server !== server) this.endWatch(key, watch);
    if (!transfer || server === undefined || this.watches.has(key)) return;
    this.watches.set(key, { server, history: emptyHistory });
    this.getQueue(server).add(key, this.intervalMs(transfer));
  }

  private getQueue(server: string): PollQueue {
    const queue = this.queues.get(server) ?? new PollQueue(this.dependencies.clock, this);
    this.queues.set(server, queue);
    return queue;
  }

  /**
   * Returns a transfer's connection if this window holds its lease and its key has not been rejected (D28: retry
   * rejected keys).
   */
  private findConnection({ order: { connectionId } }: Transfer): OpenConnection | undefined {
    const { keys, sessions, lease } = this.dependencies;
    return lease.hasLease(connectionId) && keys.getStatus(connectionId) === 'good'
      ? sessions.get(connectionId)
      : undefined;
  }

  /** Polls and saves a transfer when its turn in the queue of its server has come. */
  async poll(key: string, didStart: () => void): Promise<PollResult> {
    const transfer = this.dependencies.store.get(key);
    const session = transfer && this.findConnection(transfer);
    const id = transfer?.id;
    if (id === undefined || !session) return {};
    const withdrawal = new AbortController();
    const watch = this.watches.get(key);
    if (watch) watch.withdraw = () => withdrawal.abort();
    const observer = this.observe(session, () => {
      if (watch) watch.withdraw = undefined;
      didStart();
    });
    const options = { observer, facts: toTransferFacts(transfer) };
    const signal = AbortSignal.any([this.ending.signal, withdrawal.signal]);
    const reply = await catchRefusal(session.client.transferStatus(id, signal, options));
    observer.dispose();
    if (signal.aborted || this.dependencies.sessions.get(session.connection.id) !== session) return {};
    const failure = reply.value ? undefined : getServerFailure(reply.reason);
    if (failure || this.failingServers.has(session.service.address)) this.showServerFailure(session, failure);
    return failure ? { failure } : this.saveReply(key, reply);
  }

  /**
   * Returns an observer that shows the age of the last status while a submission delays the request (D34: serialized
   * requests).
   */
  private observe(session: OpenConnection, didStart: () => void): TurnObserver & Disposable {
    let notice: Disposable | undefined;
    const show = (): void => this.showServerFailure(session, { kind: 'queued' });
    const hide = (): void => {
      notice?.dispose();
      notice = undefined;
    };
    return {
      didWait: ({ behind }) => {
        if (behind === 'submission') notice ??= this.dependencies.clock.after(shownWaitMs, show);
        else hide();
      },
      didStart: () => {
        hide();
        didStart();
      },
      dispose: hide,
    };
  }

  /**
   * Applies a reply to the stored transfer, which may have changed since the request, and returns the next interval.
   */
  private saveReply(key: string, reply: StatusReply): PollResult {
    const { store, saved, clock } = this.dependencies;
    const before = store.get(key);
    const watch = this.watches.get(key);
    if (!before || !watch) return {};
    const [transfer, history] = applyReply(before, watch.history, reply, clock.now());
    watch.history = history;
    void saved.save(transfer);
    return { intervalMs: getBackoffMs(1 + Math.min(history.failed, maxDoublings), this.intervalMs(transfer)) };
  }

  private intervalMs(transfer: Transfer): number {
    const { clock, getMinIntervalMs, lease } = this.dependencies;
    const options = { minIntervalMs: getMinIntervalMs(), hasFocus: lease.isAnyWindowFocused() };
    return getPollIntervalMs(transfer, clock.now(), options);
  }

  /** Sets a failure of the entire server as the problem of the server's polled transfers, or clears that problem. */
  private showServerFailure({ service }: OpenConnection, failure: Reason | undefined): void {
    if (failure) this.failingServers.add(service.address);
    else this.failingServers.delete(service.address);
    const { store, sessions, saved } = this.dependencies;
    const changed = [...this.connections].flatMap(([key, connectionId]) => {
      const before = store.get(key);
      if (!before || sessions.get(connectionId)?.service.address !== service.address) return [];
      const transfer = failure ? setServerFailure(before, failure) : clearServerFailure(before);
      return transfer === before ? [] : [transfer];
    });
    if (changed.length > 0) void saved.saveAll(changed);
  }
}
