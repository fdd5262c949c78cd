import type { Reason } from '../model/reason.ts';
import { wait, type Clock } from '../util/clock.ts';
import { Emitter, type Disposable } from '../util/lifetime.ts';
import { catchRefusal } from './refusals.ts';
import type { OpenConnection, OpenConnections } from './openConnections.ts';

/** The status of an accepted key: `doubted` while a rejection may be a mistake (D28: retry rejected keys). */
type KeyStatus = 'good' | 'doubted' | 'refused';

interface Doubt {
  /** The start of the current series of refusals or, if `count` is 0, the last outage. In milliseconds since 1970. */
  readonly since: number;
  /** The number of consecutive refusals; 0 after an outage. */
  readonly count: number;
  /** The number of consecutive rejections, including outages. */
  readonly rejections: number;
  readonly isRefused: boolean;
  /** The last rejection; `keyWorked` is set until the key counts as refused. */
  readonly reason: Reason;
}

const refusalThreshold = 3;
const refusalThresholdMs = 5 * 60_000;
const firstPauseMs = 2_000;

/**
 * Returns true for a rejected sign-in, unless its cause is the ORCID iD or the account (D44: classify sign-in
 * failures).
 */
export function isKeyRejection({ kind, signIn }: Reason): boolean {
  return kind === 'unauthorized' && signIn !== 'orcid' && signIn !== 'account';
}

/**
 * Tracks rejections of keys that services accepted before. A key counts as refused after three consecutive 401
 * responses over at least five minutes. Until then, the key is retried and background work is suspended (D28: retry
 * rejected keys). An outage of the sign-in service never makes a key count as refused (D44: classify sign-in failures).
 */
export class KeyWatch implements Disposable {
  private readonly sessions: OpenConnections;
  private readonly clock: Clock;
  private readonly doubts = new Map<string, Doubt>();
  private readonly changed = new Emitter<string>();
  private readonly ending = new AbortController();

  /** Fires with the ID of a connection when the status of the connection's key has changed. */
  readonly onDidChange = this.changed.event;

  constructor(sessions: OpenConnections, clock: Clock) {
    this.sessions = sessions;
    this.clock = clock;
  }

  getStatus(connectionId: string): KeyStatus {
    const doubt = this.doubts.get(connectionId);
    if (!doubt) return 'good';
    return doubt.isRefused ? 'refused' : 'doubted';
  }

  /**
   * Returns true if the connection's key was accepted before and does not count as refused. In that case, the
   * connection is open or the key is doubted.
   */
  isTrusted(connectionId: string): boolean {
    if (this.getStatus(connectionId) === 'refused') return false;
    return this.doubts.has(connectionId) || this.sessions.get(connectionId) !== undefined;
  }

  /**
   * Returns the last rejection of a doubted or refused key; undefined for a good key. `keyWorked` is set while the key
   * is doubted.
   */
  getRejection(connectionId: string): Reason | undefined {
    return this.doubts.get(connectionId)?.reason;
  }

  /** Watches the replies on an open connection whose key was just accepted. */
  watch(session: OpenConnection): void {
    const { id } = session.connection;
    this.recordReply(id, undefined);
    let settling: AbortController | undefined;
    session.client.onDidReply((reason) => {
      if (this.sessions.get(id)?.client !== session.client) return;
      const before = this.getStatus(id);
      this.recordReply(id, reason);
      if (before !== 'good' || this.getStatus(id) !== 'doubted') return;
      // The retries of an earlier doubt may still be waiting.
      settling?.abort();
      settling = new AbortController();
      void this.settle(session, AbortSignal.any([settling.signal, this.ending.signal]));
    });
  }

  /**
   * Records the reply to a request with a key that was accepted before. A rejection that concerns only the account
   * shows that the key is valid; other failures that do not concern the key are ignored.
   */
  recordReply(connectionId: string, reason: Reason | undefined): void {
    const before = this.getStatus(connectionId);
    if (!reason || reason.signIn === 'account') this.doubts.delete(connectionId);
    else if (isKeyRejection(reason)) this.recordRejection(connectionId, reason);
    if (this.getStatus(connectionId) !== before) this.changed.fire(connectionId);
  }

  /**
   * Returns the delay before the next retry of a doubted key, in milliseconds. For five minutes after the first refusal
   * or the last outage, the delay doubles with each rejection, but never exceeds the time that remains. After that, the
   * delay is constant.
   */
  getPauseMs(connectionId: string): number {
    const doubt = this.doubts.get(connectionId);
    if (!doubt) return 0;
    const left = doubt.since + refusalThresholdMs - this.clock.now();
    const backoffMs = firstPauseMs * 2 ** (doubt.rejections - 1);
    return left > 0 ? Math.min(backoffMs, left) : firstPauseMs;
  }

  dispose(): void {
    this.ending.abort();
    this.changed.dispose();
  }

  private recordRejection(connectionId: string, reason: Reason): void {
    const now = this.clock.now();
    const before = this.doubts.get(connectionId);
    const { since, count } = countRefusal(before, reason, now);
    const isConfirmed = count >= refusalThreshold && now - since >= refusalThresholdMs;
    const isRefused = isConfirmed || before?.isRefused === true;
    const { keyWorked, ...rejection } = reason;
    this.doubts.set(connectionId, {
      since,
      count,
      rejections: (before?.rejections ?? 0) + 1,
      isRefused,
      reason: isRefused ? rejection : { ...rejection, keyWorked: true },
    });
  }

  /**
   * Tests the key at intervals until it is no longer in doubt, the connection is closed, or `signal` is aborted.
   * Failures other than rejections don't affect the key's status.
   */
  private async settle(session: OpenConnection, signal: AbortSignal): Promise<void> {
    const { id } = session.connection;
    const isOpen = (): boolean => !signal.aborted && this.sessions.get(id) === session;
    for (let otherFailures = 0; ;) {
      await wait(this.clock, otherFailures > 0 ? getRetryWaitMs(otherFailures) : this.getPauseMs(id), signal);
      if (!isOpen() || this.getStatus(id) !== 'doubted') return;
      const { reason } = await catchRefusal(() => session.client.databases(signal));
      otherFailures = reason && !isKeyRejection(reason) ? otherFailures + 1 : 0;
    }
  }
}

/** Counts a refusal. Restarts the count after an outage, which may have caused the earlier refusals. */
function countRefusal(before: Doubt | undefined, { signIn }: Reason, now: number): Pick<Doubt, 'since' | 'count'> {
  if (signIn === 'outage') return { since: now, count: 0 };
  return before && before.count > 0 ? { since: before.since, count: before.count + 1 } : { since: now, count: 1 };
}

function getRetryWaitMs(failures: number): number {
  return Math.min(firstPauseMs * 2 ** failures, refusalThresholdMs);
}
