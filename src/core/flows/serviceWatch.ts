import type { Reason, ReasonKind } from '../model/reason.ts';
import type { ConnectionStore } from '../store/connectionStore.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { OpenConnection, OpenConnections } from './openConnections.ts';

interface ServiceWatchDependencies {
  readonly sessions: OpenConnections;
  readonly store: ConnectionStore;
  readonly clock: Clock;
  /** Sends a request that every service supports. The watch receives the reply through `onDidReply`. */
  check(): Promise<unknown>;
}

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

/** Statuses of a gateway without a service, which a service may also return because of a single database. */
const ambiguousStatuses: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/**
 * Tracks the availability of the active connection's service. Checks an unavailable service at increasing intervals.
 */
export class ServiceWatch implements Disposable {
  private readonly dependencies: ServiceWatchDependencies;
  private readonly ending = new AbortController();
  private checked: OpenConnection | undefined;

  constructor(dependencies: ServiceWatchDependencies) {
    this.dependencies = dependencies;
  }

  /** Watches the replies on a connection that was just opened. */
  watch(session: OpenConnection): void {
    session.client.onDidReply((reason) => this.recordReply(session, reason));
  }

  dispose(): void {
    this.ending.abort();
  }

  private recordReply(session: OpenConnection, reason: Reason | undefined): void {
    const { sessions, store } = this.dependencies;
    if (sessions.active !== session || (reason && inconclusiveKinds.has(reason.kind))) return;
    const isChecking = this.checked === session;
    const finding = reason ? classifyFailure(reason, isChecking) : 'up';
    if (finding !== 'unknown') store.setProblem(finding === 'down' ? reason : undefined);
    if (finding !== 'up' && !isChecking) void this.settle(session, finding === 'down' ? firstPauseMs : 0);
  }

  /** Checks the service until it is available or its connection is no longer active. */
  private async settle(session: OpenConnection, pauseMs: number): Promise<void> {
    const { sessions, store, clock, check } = this.dependencies;
    const { signal } = this.ending;
    this.checked = session;
    try {
      for (let nextMs = pauseMs; ; nextMs = Math.min(Math.max(2 * nextMs, firstPauseMs), maxPauseMs)) {
        if (nextMs > 0) await wait(clock, nextMs, signal);
        if (signal.aborted || sessions.active !== session) return;
        await check();
        if (store.state.kind !== 'connected' || !store.state.problem) return;
      }
    } finally {
      if (this.checked === session) this.checked = undefined;
    }
  }
}

/** Returns the service's availability after a failure; `unknown` if only a check can determine it. */
function classifyFailure(reason: Reason, isChecking: boolean): 'up' | 'down' | 'unknown' {
  if (downKinds.has(reason.kind)) return 'down';
  if (!isAmbiguous(reason)) return 'up';
  return isChecking ? 'down' : 'unknown';
}

function isAmbiguous({ kind, status }: Reason): boolean {
  return ambiguousKinds.has(kind) || (kind === 'serverError' && ambiguousStatuses.has(status));
}
