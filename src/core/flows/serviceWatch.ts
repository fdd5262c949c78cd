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

/** The checks of a service that may not be responding. */
interface CheckLoop {
  readonly session: OpenConnection;
  readonly ending: AbortController;
  /** Ends the pause before the next check early. */
  wake: AbortController;
  /** Number of requests that have succeeded since the loop started. */
  successCount: number;
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
  private readonly subscription: Disposable;
  private loop: CheckLoop | undefined;
  private checkedAtMs = -Infinity;

  constructor(dependencies: ServiceWatchDependencies) {
    this.dependencies = dependencies;
    this.subscription = dependencies.sessions.onDidChange(() => this.endOutdatedLoop());
  }

  /** Watches the replies of a connection that was just opened. */
  watch(session: OpenConnection): void {
    this.checkedAtMs = -Infinity;
    session.client.onDidReply((reason) => this.recordReply(session, reason));
  }

  dispose(): void {
    this.subscription.dispose();
    this.loop?.ending.abort();
  }

  private endOutdatedLoop(): void {
    if (this.loop && this.loop.session !== this.dependencies.sessions.active) this.loop.ending.abort();
  }

  private recordReply(session: OpenConnection, reason: Reason | undefined): void {
    const { sessions, store } = this.dependencies;
    const finding = classifyReply(reason);
    if (sessions.active !== session || finding === 'inconclusive') return;
    const hadProblem = this.isProblemShown();
    if (finding !== 'ambiguous') store.setProblem(finding === 'down' ? reason : undefined);
    const loop = this.loop?.session === session ? this.loop : undefined;
    if (finding === 'up') recordSuccess(loop, hadProblem);
    else if (!loop) void this.settle(session, finding === 'down' ? firstPauseMs : 0);
  }

  /** Returns the remainder of the shortest interval between two checks, in milliseconds. */
  private getMinPauseMs(): number {
    const elapsedMs = Math.max(0, this.dependencies.clock.now() - this.checkedAtMs);
    return Math.max(0, firstPauseMs - elapsedMs);
  }

  /** Checks the service until it is available or its connection is no longer active. */
  private async settle(session: OpenConnection, pauseMs: number): Promise<void> {
    const loop = { session, ending: new AbortController(), wake: new AbortController(), successCount: 0 };
    this.loop?.ending.abort();
    this.loop = loop;
    try {
      for (let nextMs = pauseMs; ; nextMs = Math.min(Math.max(2 * nextMs, firstPauseMs), maxPauseMs)) {
        await this.pause(loop, nextMs);
        if (!(await this.isDown(loop))) return;
      }
    } finally {
      this.remove(loop);
    }
  }

  private remove(loop: CheckLoop): void {
    if (this.loop === loop) this.loop = undefined;
  }

  /**
   * Waits before a check, at least until the shortest interval since the last one has passed. A success after a failure
   * ends a longer pause early, so that the databases are listed again.
   */
  private async pause(loop: CheckLoop, delayMs: number): Promise<void> {
    const { clock } = this.dependencies;
    loop.wake = new AbortController();
    const signal = AbortSignal.any([loop.ending.signal, loop.wake.signal]);
    if (delayMs > 0) await wait(clock, delayMs, signal);
    const restMs = this.getMinPauseMs();
    if (restMs > 0) await wait(clock, restMs, loop.ending.signal);
  }

  /**
   * Checks the service. Shows an ambiguous failure of the check as the service's, unless another request has succeeded
   * meanwhile. Returns false if no further check is needed.
   */
  private async isDown(loop: CheckLoop): Promise<boolean> {
    const { store, clock, check } = this.dependencies;
    const hasEnded = (): boolean => loop.ending.signal.aborted;
    if (hasEnded()) return false;
    const successCount = loop.successCount;
    const reason = await check();
    if (hasEnded()) return false;
    this.checkedAtMs = clock.now();
    const finding = classifyReply(reason);
    if (finding === 'ambiguous' && loop.successCount === successCount) store.setProblem(reason);
    return finding === 'down' || finding === 'ambiguous' || this.isProblemShown();
  }

  private isProblemShown(): boolean {
    const { state } = this.dependencies.store;
    return state.kind === 'connected' && state.problem !== undefined;
  }
}

function recordSuccess(loop: CheckLoop | undefined, hadProblem: boolean): void {
  if (!loop) return;
  loop.successCount++;
  if (hadProblem) loop.wake.abort();
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
