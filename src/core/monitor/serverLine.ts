import type { Reason } from '../model/reason.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { retryWaitMs, shortestGapMs, stretchOf } from './pollSchedule.ts';

/** What came of asking for one transfer. */
export interface Asked {
  /** Milliseconds until it is to be asked for again where the line has time enough; absent when there was no answer. */
  readonly intervalMs?: number;
  /** Why the whole line should wait: the network or the service failed. */
  readonly trouble?: Reason;
}

/** What a {@link ServerLine} needs. */
export interface LineParts {
  readonly clock: Clock;
  /** Asks for one transfer, by its key, and keeps what came; calls `didStart` when the request goes out (D34). */
  ask(key: string, didStart: () => void): Promise<Asked>;
}

/** A transfer's place in the line. */
interface Place {
  /**
   * Milliseconds since 1970; minus infinity before all others. Plus infinity while it is asked for, unless somebody
   * wants to know meanwhile: the answer may be older than that.
   */
  dueAt: number;
  /** When it was last asked for, and then answered; minus infinity before that. */
  askedAt: number;
  intervalMs: number;
}

/** No pause is longer, so that a sleep of the machine, which stops timers too, is noticed soon after. */
const longestPauseMs = 10_000;
/** How much more time than that must have passed to be taken for a sleep, or for a clock that was set. */
const sleepMs = 30_000;
/** No request takes longer (D16), unless the machine slept meanwhile. */
const longestRequestMs = 150_000;
const newestWeight = 0.2;

/** All questions to one server: one at a time, at most five a second, each when it is due (D33). */
export class ServerLine implements Disposable {
  private readonly parts: LineParts;
  private readonly places = new Map<string, Place>();
  private wake = new AbortController();
  private isRunning = false;
  /** Failures of the network in a row, and until when they make the line wait. */
  private failures = 0;
  private resumesAt = 0;
  /** Until when the server wants to be left alone; nobody's impatience changes that. */
  private closedUntil = 0;
  private startedAt = -Infinity;
  /** How long a request takes, as a running mean. */
  private requestMs = 0;

  constructor(parts: LineParts) {
    this.parts = parts;
  }

  /** Adds a transfer that is to be asked for at once, and then every `intervalMs` or so; one that is there already stays. */
  add(key: string, intervalMs: number): void {
    if (this.places.has(key)) return;
    const now = this.parts.clock.now();
    this.places.set(key, { dueAt: now, askedAt: -Infinity, intervalMs });
    this.hurry();
  }

  /** Takes a transfer out; an answer that is under way is then of no account. */
  remove(key: string): void {
    this.places.delete(key);
  }

  /** Asks for one transfer, or for all, as soon as the line may: who has waited longest goes first. */
  askNow(key?: string): void {
    const wanted = key === undefined ? this.places.values() : [this.places.get(key)];
    for (const place of wanted) {
      if (!place) continue;
      place.dueAt = key === undefined ? Math.min(place.dueAt, place.askedAt) : -Infinity;
    }
    this.hurry();
  }

  dispose(): void {
    this.places.clear();
    this.wake.abort();
  }

  /** Ends waiting for the network: there is reason to think that it is back. */
  private hurry(): void {
    this.failures = 0;
    this.resumesAt = 0;
    this.wake.abort();
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    try {
      for (let next = this.next(); next; next = this.next()) {
        const [key, place] = next;
        const mayAt = Math.max(place.dueAt, this.closedUntil, this.resumesAt, this.startedAt + shortestGapMs);
        const waitMs = mayAt - this.parts.clock.now();
        if (waitMs > 0) await this.pause(waitMs);
        else await this.step(key, place);
      }
    } finally {
      this.isRunning = false;
    }
  }

  private next(): [string, Place] | undefined {
    let first: [string, Place] | undefined;
    for (const entry of this.places) if (!first || entry[1].dueAt < first[1].dueAt) first = entry;
    return first;
  }

  private async pause(waitMs: number): Promise<void> {
    const { clock } = this.parts;
    const from = clock.now();
    this.wake = new AbortController();
    await wait(clock, Math.min(waitMs, longestPauseMs), this.wake.signal);
    const passedMs = clock.now() - from;
    if (passedMs > longestPauseMs + sleepMs) this.askNow();
    else if (passedMs < -sleepMs) this.followClock(passedMs);
  }

  /** A clock that was set back would hold everything up by as much. */
  private followClock(byMs: number): void {
    this.closedUntil += byMs;
    this.startedAt += byMs;
    for (const place of this.places.values()) place.askedAt += byMs;
    this.askNow();
  }

  private async step(key: string, place: Place): Promise<void> {
    const { clock } = this.parts;
    this.startedAt = clock.now();
    place.askedAt = this.startedAt;
    place.dueAt = Infinity;
    // The time that the request waits for its turn says nothing of the server's pace.
    const didStart = (): void => void (this.startedAt = clock.now());
    const { intervalMs, trouble } = await this.parts.ask(key, didStart);
    place.askedAt = clock.now();
    if (place.askedAt - this.startedAt > longestRequestMs) this.askNow();
    if (this.places.get(key) !== place) return;
    if (trouble) this.holdUp(place, trouble);
    else this.goOn(place, intervalMs);
  }

  private holdUp(place: Place, trouble: Reason): void {
    const { askedAt } = place;
    this.failures += 1;
    this.resumesAt = askedAt + retryWaitMs(this.failures, Math.random());
    this.closedUntil = Math.max(this.closedUntil, askedAt + (trouble.retryAfterMs ?? 0));
    // The others that are due go first: it may be this transfer alone that brings the service down.
    place.dueAt = this.resumesAt;
  }

  private goOn(place: Place, intervalMs: number | undefined): void {
    const { askedAt } = place;
    this.failures = 0;
    if (intervalMs === undefined || place.dueAt < Infinity) {
      // The others that are due go first, however often all are wanted, unless this one is wanted before them.
      if (place.dueAt > -Infinity) place.dueAt = askedAt;
      return;
    }
    this.requestMs += newestWeight * (askedAt - this.startedAt - this.requestMs);
    place.intervalMs = intervalMs;
    place.dueAt = askedAt + intervalMs * stretchOf(this.places.values(), this.requestMs);
  }
}
