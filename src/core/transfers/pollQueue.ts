import type { Reason } from '../model/reason.ts';
import { getLastProgressAt, hasEnded, type Transfer } from '../model/transferModel.ts';
import { addJitter, getBackoffMs, wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';

interface PollOptions {
  readonly minIntervalMs: number;
  readonly hasFocus: boolean;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Minimum time between two requests to the same server, in milliseconds (D33: polling intervals). */
const minRequestGapMs = 200;

/** Returns the interval between polls of a running transfer, in milliseconds (D33: polling intervals). */
export function getPollIntervalMs(transfer: Transfer, now: number, { minIntervalMs, hasFocus }: PollOptions): number {
  const { state, cancelUnheeded } = transfer;
  if (cancelUnheeded) return Math.max(10 * minute, minIntervalMs);
  const idleMs = now - getLastProgressAt(transfer);
  // The interval grows for a state that the client does not know, because it may be final (D10: open status set).
  const idleIntervalMs = state === 'running' ? Math.min(idleMs / 12, hour) : 5 * minute;
  if (idleMs >= hour) return Math.max(idleIntervalMs, minIntervalMs);
  const tenth = (now - getAcceptedAt(transfer)) / 10;
  const focused = Math.max(Math.min(Math.max(tenth, second), minute), minIntervalMs);
  return hasFocus ? focused : 2 * focused;
}

/** Ten seconds for 50,000 files, whose record is 10 MB. */
const filesPerMs = 5;

/**
 * Returns the interval in milliseconds between polls of a transfer whose page the user is looking at; undefined if
 * {@link getPollIntervalMs} applies (D33: polling intervals).
 */
export function getWatchedIntervalMs(
  transfer: Transfer,
  now: number,
  { isLocal, minIntervalMs }: { readonly isLocal: boolean; readonly minIntervalMs: number },
): number | undefined {
  const { problem, status, cancelUnheeded } = transfer;
  if (!shouldPoll(transfer) || problem || status?.isPaused || cancelUnheeded) return undefined;
  if (!isLocal && now - getAcceptedAt(transfer) >= 10 * minute) return undefined;
  // Each poll saves the whole record.
  return Math.max(isLocal ? second : 10 * second, transfer.order.files.length / filesPerMs, minIntervalMs);
}

/** Returns true for a transfer that has an ID and has not ended. */
export function shouldPoll(transfer: Transfer): boolean {
  return transfer.id !== undefined && !hasEnded(transfer.state);
}

function getAcceptedAt({ changes, createdAt }: Transfer): number {
  // A service can accept a transfer much later than it was submitted.
  return changes.find((change) => change.state === 'accepted')?.at ?? createdAt;
}

/** Returns the factor by which a queue's intervals must grow for all requests to fit if each takes `requestMs`. */
export function getIntervalStretch(entries: Iterable<{ readonly intervalMs: number }>, requestMs: number): number {
  const slotMs = Math.max(requestMs, minRequestGapMs);
  let share = 0;
  for (const { intervalMs } of entries) share += slotMs / intervalMs;
  return Math.max(1, share);
}

/**
 * Returns the delay before the next request after consecutive failures, in milliseconds. `random` is between 0 and 1
 * (D33: polling intervals).
 */
export function getRetryWaitMs(failures: number, random: number): number {
  return addJitter(getBackoffMs(failures, 2 * second, 5 * minute), random);
}

/** The result of polling one transfer. */
export interface PollResult {
  /** Milliseconds until the next poll, if the queue isn't busy; absent if there was no response. */
  readonly intervalMs?: number;
  /** Set if the network or the service failed, so the entire queue must wait. */
  readonly failure?: Reason;
}

/** Polls the transfers of a {@link PollQueue}. */
interface Poller {
  /**
   * Polls and saves a transfer. Never rejects. Calls `didStart` when a queued request starts (D34: serialized
   * requests).
   */
  poll(key: string, didStart: () => void): Promise<PollResult>;
}

interface QueueEntry {
  /**
   * Time of the next poll, in milliseconds since 1970. `-Infinity` means as soon as possible. `Infinity` means that a
   * poll is in progress and no further poll was requested. If a poll is requested while another one is in progress,
   * another poll follows, because the current response may be outdated.
   */
  dueAt: number;
  /** The time of the last request, or of its response once it has been received; -Infinity before the first request. */
  polledAt: number;
  intervalMs: number;
}

/**
 * Maximum duration of a pause. Timers stop while the machine sleeps, and short pauses make it possible to detect sleep
 * soon after the machine wakes up.
 */
const maxPauseMs = 10_000;
/**
 * The threshold for detecting sleep or a clock change. It is the time by which a pause exceeds {@link maxPauseMs}, or
 * by which the clock goes back during a pause.
 */
const sleepMs = 30_000;
/** Maximum duration of a request, unless the machine sleeps during the request (D16: timeouts and retries). */
const maxRequestMs = 150_000;
const newestWeight = 0.2;

/** Polls the transfers on one server when due, one at a time and at most five per second (D33: polling intervals). */
export class PollQueue implements Disposable {
  private readonly clock: Clock;
  private readonly poller: Poller;
  private readonly entries = new Map<string, QueueEntry>();
  private wake = new AbortController();
  private isRunning = false;
  /** Number of consecutive failures of the network or the service. These failures delay the queue until `resumesAt`. */
  private failures = 0;
  private resumesAt = 0;
  /** Time before which the server accepts no requests (`Retry-After`). `pollNow` does not override it. */
  private closedUntil = 0;
  private startedAt = -Infinity;
  private requestMs = 0;

  constructor(clock: Clock, poller: Poller) {
    this.clock = clock;
    this.poller = poller;
  }

  /**
   * Adds a transfer to be polled now. `intervalMs` is the expected polling interval until a poll returns the actual
   * one. Does nothing if the transfer is already in the queue.
   */
  add(key: string, intervalMs: number): void {
    if (this.entries.has(key)) return;
    const now = this.clock.now();
    this.entries.set(key, { dueAt: now, polledAt: -Infinity, intervalMs });
    this.wakeUp();
  }

  /** Removes a transfer. The response to a poll in progress is ignored. */
  remove(key: string): void {
    this.entries.delete(key);
  }

  /** Polls one or all transfers as soon as possible, those that wait longest first. */
  pollNow(key?: string): void {
    if (key !== undefined && !this.entries.has(key)) return;
    const requested = key === undefined ? this.entries.values() : [this.entries.get(key)];
    for (const entry of requested) {
      if (!entry) continue;
      entry.dueAt = key === undefined ? Math.min(entry.dueAt, entry.polledAt) : -Infinity;
    }
    this.wakeUp();
  }

  dispose(): void {
    this.entries.clear();
    this.wake.abort();
  }

  /** Resumes polling without waiting out the delay after failures, because the network may be available again. */
  private wakeUp(): void {
    this.failures = 0;
    this.resumesAt = 0;
    this.wake.abort();
    if (!this.isRunning) void this.runUntilEmpty();
  }

  private async runUntilEmpty(): Promise<void> {
    this.isRunning = true;
    try {
      for (let next = this.findNext(); next; next = this.findNext()) {
        const [key, entry] = next;
        const nextAt = Math.max(entry.dueAt, this.closedUntil, this.resumesAt, this.startedAt + minRequestGapMs);
        const waitMs = nextAt - this.clock.now();
        if (waitMs > 0) await this.pause(waitMs);
        else await this.pollOne(key, entry);
      }
    } finally {
      this.isRunning = false;
    }
  }

  private findNext(): [string, QueueEntry] | undefined {
    let first: [string, QueueEntry] | undefined;
    for (const entry of this.entries) if (!first || entry[1].dueAt < first[1].dueAt) first = entry;
    return first;
  }

  private async pause(waitMs: number): Promise<void> {
    const { clock } = this;
    const startedAt = clock.now();
    this.wake = new AbortController();
    await wait(clock, Math.min(waitMs, maxPauseMs), this.wake.signal);
    const elapsedMs = clock.now() - startedAt;
    if (elapsedMs > maxPauseMs + sleepMs) this.pollNow();
    else if (elapsedMs < -sleepMs) this.shiftTimes(elapsedMs);
  }

  /**
   * Shifts the recorded times after the clock has been set back, so that they don't delay the queue. Polls all
   * transfers.
   */
  private shiftTimes(offsetMs: number): void {
    this.closedUntil += offsetMs;
    this.startedAt += offsetMs;
    for (const entry of this.entries.values()) entry.polledAt += offsetMs;
    this.pollNow();
  }

  private async pollOne(key: string, entry: QueueEntry): Promise<void> {
    const { clock } = this;
    this.startedAt = clock.now();
    entry.polledAt = this.startedAt;
    entry.dueAt = Infinity;
    // The time spent in the request queue does not count toward the request's duration.
    const didStart = (): void => void (this.startedAt = clock.now());
    const { intervalMs, failure } = await this.poller.poll(key, didStart);
    entry.polledAt = clock.now();
    if (entry.polledAt - this.startedAt > maxRequestMs) this.pollNow();
    if (this.entries.get(key) !== entry) return;
    if (failure) this.delayAll(entry, failure);
    else this.scheduleNext(entry, intervalMs);
  }

  private delayAll(entry: QueueEntry, failure: Reason): void {
    const { polledAt } = entry;
    this.failures += 1;
    this.resumesAt = polledAt + getRetryWaitMs(this.failures, Math.random());
    this.closedUntil = Math.max(this.closedUntil, polledAt + (failure.retryAfterMs ?? 0));
    // Other due transfers go first, because this transfer alone may have caused the failure.
    entry.dueAt = this.resumesAt;
  }

  private scheduleNext(entry: QueueEntry, intervalMs: number | undefined): void {
    const { polledAt } = entry;
    this.failures = 0;
    if (intervalMs === undefined || entry.dueAt < Infinity) {
      // Let other due transfers go first, unless a poll of this particular transfer was requested (`-Infinity`).
      if (entry.dueAt > -Infinity) entry.dueAt = polledAt;
      return;
    }
    this.requestMs += newestWeight * (polledAt - this.startedAt - this.requestMs);
    entry.intervalMs = intervalMs;
    entry.dueAt = polledAt + intervalMs * getIntervalStretch(this.entries.values(), this.requestMs);
  }
}
