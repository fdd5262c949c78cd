import type { Reason } from '../model/reason.ts';
import { wait, type Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import type { Disposable } from '../util/lifetime.ts';
import { asked } from './asked.ts';
import type { Session, Sessions } from './sessions.ts';

/** Whether a key that was accepted once is believed in: `doubted` while the service refuses it, but may be mistaken (D28). */
export type KeyStanding = 'good' | 'doubted' | 'refused';

interface Doubt {
  /** When the key was first refused, of the refusals in a row; milliseconds since 1970. */
  readonly since: number;
  /** Refusals in a row; none after an outage. */
  readonly count: number;
  /** Rejections in a row, outages among them. */
  readonly rejections: number;
  readonly refused: boolean;
  /** The last rejection; it has `keyWorked` until the key counts as refused. */
  readonly reason: Reason;
}

const believedRefusals = 3;
const believedAfterMs = 5 * 60_000;
const firstPauseMs = 2_000;

/**
 * Returns true for a rejected sign-in that may be the key's fault. One for the ORCID iD is not, and neither is one for the
 * account, which the service recognized by the key (D44).
 */
export function isKeyRejection({ kind, signIn }: Reason): boolean {
  return kind === 'unauthorized' && signIn !== 'orcid' && signIn !== 'account';
}

/**
 * Follows what the services say to keys that they accepted before. Such a key counts as refused after three 401 in a
 * row over five minutes; until then it is tried again and again, and who works by itself waits (D28). An outage of the
 * sign-in service never makes a key count as refused (D44).
 */
export class KeyWatch implements Disposable {
  private readonly sessions: Sessions;
  private readonly clock: Clock;
  private readonly doubts = new Map<string, Doubt>();
  private readonly changed = new Emitter<string>();
  private readonly ending = new AbortController();

  /** Carries the id of the connection whose key stands differently now. */
  readonly onDidChange = this.changed.event;

  constructor(sessions: Sessions, clock: Clock) {
    this.sessions = sessions;
    this.clock = clock;
  }

  standing(connectionId: string): KeyStanding {
    const doubt = this.doubts.get(connectionId);
    if (!doubt) return 'good';
    return doubt.refused ? 'refused' : 'doubted';
  }

  /** Returns true while the key of an open connection is good or only doubted, and while a doubted one is retried. */
  isTrusted(connectionId: string): boolean {
    if (this.standing(connectionId) === 'refused') return false;
    return this.doubts.has(connectionId) || this.sessions.get(connectionId) !== undefined;
  }

  /** Returns the last rejection of a key that is not good now; with `keyWorked` while it is only doubted. */
  rejection(connectionId: string): Reason | undefined {
    return this.doubts.get(connectionId)?.reason;
  }

  /** Follows a session whose key has just been proved. */
  watch(session: Session): void {
    const { id } = session.connection;
    this.note(id, undefined);
    session.client.onDidReply((reason) => {
      if (this.sessions.get(id)?.client !== session.client) return;
      const before = this.standing(id);
      this.note(id, reason);
      if (before === 'good' && this.standing(id) === 'doubted') void this.settle(session);
    });
  }

  /** Takes down what came of a request with a key that was accepted before. Tells nothing of the key: a failure that isn't a rejected sign-in. */
  note(connectionId: string, reason: Reason | undefined): void {
    const before = this.standing(connectionId);
    if (!reason || reason.signIn === 'account') this.doubts.delete(connectionId);
    else if (isKeyRejection(reason)) this.doubt(connectionId, reason);
    if (this.standing(connectionId) !== before) this.changed.fire(connectionId);
  }

  /** How long to wait before a doubted key is tried again, in milliseconds: ever longer, but not past the five minutes. */
  pauseMs(connectionId: string): number {
    const doubt = this.doubts.get(connectionId);
    if (!doubt) return 0;
    const left = doubt.since + believedAfterMs - this.clock.now();
    const growing = firstPauseMs * 2 ** (doubt.rejections - 1);
    return left > 0 ? Math.min(growing, left) : firstPauseMs;
  }

  dispose(): void {
    this.ending.abort();
    this.changed.dispose();
  }

  private doubt(connectionId: string, reason: Reason): void {
    const now = this.clock.now();
    const before = this.doubts.get(connectionId);
    const { since, count } = countRefusal(before, reason, now);
    const isBelieved = count >= believedRefusals && now - since >= believedAfterMs;
    const refused = isBelieved || before?.refused === true;
    const { keyWorked, ...rejection } = reason;
    this.doubts.set(connectionId, {
      since,
      count,
      rejections: (before?.rejections ?? 0) + 1,
      refused,
      reason: refused ? rejection : { ...rejection, keyWorked: true },
    });
  }

  /** Asks, with pauses, until it is clear how the key stands; a failure of another kind tells nothing of the key. */
  private async settle(session: Session): Promise<void> {
    const { id } = session.connection;
    const { signal } = this.ending;
    const isOpen = (): boolean => !signal.aborted && this.sessions.get(id) === session;
    for (let others = 0; ;) {
      await wait(this.clock, others > 0 ? retryWaitMs(others) : this.pauseMs(id), signal);
      if (!isOpen() || this.standing(id) !== 'doubted') return;
      const { reason } = await asked(() => session.client.databases(signal));
      others = reason && !isKeyRejection(reason) ? others + 1 : 0;
    }
  }
}

/** An outage ends a row of refusals: what was refused before may have been its fault. */
function countRefusal(before: Doubt | undefined, { signIn }: Reason, now: number): Pick<Doubt, 'since' | 'count'> {
  if (signIn === 'outage') return { since: now, count: 0 };
  return before && before.count > 0 ? { since: before.since, count: before.count + 1 } : { since: now, count: 1 };
}

function retryWaitMs(failures: number): number {
  return Math.min(firstPauseMs * 2 ** failures, believedAfterMs);
}
