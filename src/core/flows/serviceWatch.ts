import type { Reason, ReasonKind } from '../model/reason.ts';
import type { ConnectionStore } from '../store/connectionStore.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { Session, Sessions } from './sessions.ts';

/** Dependencies of {@link ServiceWatch}. */
interface WatchParts {
  readonly sessions: Sessions;
  readonly store: ConnectionStore;
  readonly clock: Clock;
  /** Sends a request that every service answers. Its reply reaches the watch like any other. */
  check(): Promise<unknown>;
}

const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

/** After these nothing is known of the service: it was not asked. */
const untold: ReadonlySet<ReasonKind> = new Set(['cancelled', 'badArgument', 'notConnected', 'tooLarge']);

/** After these there is no service to answer, whatever was requested. */
const down: ReadonlySet<ReasonKind> = new Set([
  'unreachable',
  'certificate',
  'proxy',
  'redirect',
  'noService',
  'unreadable',
]);

/** These may be due to the one request: a slow database, or one that makes the server drop the connection. */
const ambiguous: ReadonlySet<ReasonKind> = new Set(['timeout', 'dropped']);

const gatewayStatuses: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/**
 * Records whether the active service responds, as its last reply shows. While it does not, checks ever less often
 * whether it is back.
 */
export class ServiceWatch implements Disposable {
  private readonly parts: WatchParts;
  private readonly ending = new AbortController();
  /** The session that is being checked. */
  private checked: Session | undefined;

  constructor(parts: WatchParts) {
    this.parts = parts;
  }

  /** Follows a session that has just been opened. */
  watch(session: Session): void {
    session.client.onDidReply((reason) => this.note(session, reason));
  }

  dispose(): void {
    this.ending.abort();
  }

  private note(session: Session, reason: Reason | undefined): void {
    const { sessions, store } = this.parts;
    if (sessions.active !== session || (reason && untold.has(reason.kind))) return;
    const isChecking = this.checked === session;
    const finding = reason ? judge(reason, isChecking) : 'up';
    if (finding !== 'open') store.setProblem(finding === 'down' ? reason : undefined);
    if (finding !== 'up' && !isChecking) void this.settle(session, finding === 'down' ? firstPauseMs : 0);
  }

  /** Checks until the service responds, or until another one is the active one. */
  private async settle(session: Session, pauseMs: number): Promise<void> {
    const { sessions, store, clock, check } = this.parts;
    const { signal } = this.ending;
    this.checked = session;
    try {
      for (let nextMs = pauseMs; ; nextMs = Math.min(Math.max(2 * nextMs, firstPauseMs), longestPauseMs)) {
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

/** Returns what a failure says of the service: that it is up or down, or that a check has to tell. */
function judge(reason: Reason, isChecking: boolean): 'up' | 'down' | 'open' {
  if (isCertain(reason)) return 'down';
  if (!ambiguous.has(reason.kind)) return 'up';
  return isChecking ? 'down' : 'open';
}

function isCertain({ kind, status }: Reason): boolean {
  return down.has(kind) || (kind === 'serverError' && gatewayStatuses.has(status));
}
