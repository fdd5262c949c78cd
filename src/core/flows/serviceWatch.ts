import type { Reason, ReasonKind } from '../model/reason.ts';
import type { ConnectionStore } from '../store/connectionStore.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { OpenConnection, OpenConnections } from './openConnections.ts';

interface ServiceWatchDependencies {
  readonly sessions: OpenConnections;
  readonly store: ConnectionStore;
  readonly clock: Clock;
  /**
   * Sends a request that every service supports, and resolves to the reason if it fails. The watch also receives the
   * reply through `onDidReply`.
   */
  check(): Promise<Reason | undefined>;
}

/** The checks of a service that may not be responding. They end as soon as another request succeeds. */
interface CheckLoop {
  readonly session: OpenConnection;
  readonly recovery: AbortController;
}

type Finding = 'up' | 'down' | 'ambiguous' | 'inconclusive';

const firstPauseMs = 5_000;
const maxPauseMs = 5 * 60_000;

/** Failures that do not indicate whether the service is available. */
const inconclusiveKinds: ReadonlySet<ReasonKind> = new Set(['cancelled', 'badArgument', 'notConnected', 'tooLarge']);

/** Failures that indicate that the service is unavailable for all requests. */
const downKinds: ReadonlySet<ReasonKind> = new Set([
  'unreachable',
  'certificate',
  'proxy',
  'redirect',
  'noService',
  'unreadable',
]);

/** Failures that may affect only a single request, such as one that queries a slow database or crashes its handler. */
const ambiguousKinds: ReadonlySet<ReasonKind> = new Set(['timeout', 'dropped']);

/**
 * Statuses that a gateway returns if it can't reach the service, and that a service may return if one of its databases
 * is unavailable.
 */
const ambiguousStatuses: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/**
 * Tracks the availability of the active service. While the service is unavailable, checks it at increasing intervals.
 */
export class ServiceWatch implements Disposable {
  private readonly dependencies: ServiceWatchDependencies;
  private readonly ending = new AbortController();
  private loop: CheckLoop | undefined;
  private checkedAtMs = -Infinity;

  constructor(dependencies: ServiceWatchDependencies) {
    this.dependencies = dependencies;
  }

  /** Watches the replies of a connection that was just opened. */
  watch(session: OpenConnection): void {
    session.client.onDidReply((reason) => this.recordReply(session, reason));
  }

  dispose(): void {
    this.ending.abort();
  }

  private recordReply(session: OpenConnection, reason: Reason | undefined): void {
    const { sessions, store } = this.dependencies;
    const finding = classifyReply(reason);
    if (sessions.active !== session || finding === 'inconclusive') return;
    if (finding !== 'ambiguous') store.setProblem(finding === 'down' ? reason : undefined);
    const loop = this.loop?.session === session ? this.loop : undefined;
    if (finding === 'up') loop?.recovery.abort();
    else if (!loop) void this.settle(session, finding === 'down' ? firstPauseMs : this.getPauseMs());
  }

  /** Returns the remainder of the minimum interval between two checks; 0 if the interval has passed. */
  private getPauseMs(): number {
    const elapsedMs = Math.max(0, this.dependencies.clock.now() - this.checkedAtMs);
    return Math.max(0, firstPauseMs - elapsedMs);
  }

  /** Checks the service until it is available or its connection is no longer active. */
  private async settle(session: OpenConnection, pauseMs: number): Promise<void> {
    const recovery = new AbortController();
    this.loop?.recovery.abort();
    this.loop = { session, recovery };
    const signal = AbortSignal.any([this.ending.signal, recovery.signal]);
    try {
      for (let nextMs = pauseMs; ; nextMs = Math.min(Math.max(2 * nextMs, firstPauseMs), maxPauseMs)) {
        if (nextMs > 0) await wait(this.dependencies.clock, nextMs, signal);
        if (!(await this.isDown(session, signal))) return;
      }
    } finally {
      if (this.loop.recovery === recovery) this.loop = undefined;
    }
  }

  /** Checks the service. Shows the reason for any failure that isn't inconclusive, even an ambiguous one. */
  private async isDown(session: OpenConnection, signal: AbortSignal): Promise<boolean> {
    const { sessions, store, clock, check } = this.dependencies;
    const isOver = (): boolean => signal.aborted || sessions.active !== session;
    if (isOver()) return false;
    const reason = await check();
    this.checkedAtMs = clock.now();
    const finding = classifyReply(reason);
    if (isOver() || finding === 'up') return false;
    if (finding !== 'inconclusive') store.setProblem(reason);
    return store.state.kind === 'connected' && store.state.problem !== undefined;
  }
}

/** Classifies the reply to a request. An ambiguous failure may affect only that request. */
function classifyReply(reason: Reason | undefined): Finding {
  if (!reason) return 'up';
  if (inconclusiveKinds.has(reason.kind)) return 'inconclusive';
  if (downKinds.has(reason.kind)) return 'down';
  return isAmbiguous(reason) ? 'ambiguous' : 'up';
}

function isAmbiguous({ kind, status }: Reason): boolean {
  return ambiguousKinds.has(kind) || (kind === 'serverError' && ambiguousStatuses.has(status));
}
