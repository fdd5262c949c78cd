import type { KeyWatch } from '../flows/keyWatch.ts';
import type { Session, Sessions } from '../flows/sessions.ts';
import { asked } from '../flows/asked.ts';
import type { Reason } from '../model/reason.ts';
import type { Transfer } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { isWatched, pollIntervalMs, retryWaitMs } from './pollSchedule.ts';
import { withNotFound, withStatus, type Watch } from './statusReading.ts';

/** What a {@link TransferMonitor} needs. */
export interface MonitorParts {
  readonly sessions: Sessions;
  readonly keys: KeyWatch;
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Keeps what became of a transfer, in store and ledger. */
  keep(transfer: Transfer): Promise<unknown>;
  /** The person's shortest interval, in milliseconds (D33). */
  shortestMs(): number;
  hasFocus(): boolean;
}

/** One connection's line of questions: one at a time, at most five a second (D33). */
interface Line {
  readonly connectionId: string;
  /** Failures of the network in a row. */
  failures: number;
  /** Ends the present pause early. */
  wake: AbortController;
  running: boolean;
}

const shortestGapMs = 200;

/** Asks for the status of every running transfer, on the schedule of D33, one line a connection. */
export class TransferMonitor implements Disposable {
  private readonly parts: MonitorParts;
  private readonly lines = new Map<string, Line>();
  private readonly watches = new Map<string, Watch>();
  private readonly subscriptions: readonly Disposable[];
  private readonly ending = new AbortController();

  constructor(parts: MonitorParts) {
    this.parts = parts;
    this.subscriptions = [
      parts.store.onDidChange(() => this.startLines()),
      parts.sessions.onDidChange(() => this.startLines()),
      parts.keys.onDidChange(() => this.startLines()),
    ];
  }

  /** Asks for everything that runs, or for one transfer, at once: on focus, after a cancel, on Refresh (D33). */
  askNow(key?: string): void {
    for (const transfer of this.parts.store.running()) {
      if (key !== undefined && transfer.key !== key) continue;
      const watch = this.watches.get(transfer.key);
      if (watch) this.watches.set(transfer.key, { ...watch, dueAt: 0 });
    }
    for (const line of this.lines.values()) {
      line.failures = 0;
      line.wake.abort();
    }
    this.startLines();
  }

  dispose(): void {
    this.ending.abort();
    for (const line of this.lines.values()) line.wake.abort();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private startLines(): void {
    for (const transfer of this.parts.store.running().filter(isWatched)) {
      const { connectionId } = transfer.order;
      if (!this.sessionToAsk(connectionId)) continue;
      const line = this.lines.get(connectionId) ?? this.newLine(connectionId);
      if (!this.watches.has(transfer.key)) this.beginWatch(transfer, line);
      if (!line.running) void this.run(line);
    }
  }

  private newLine(connectionId: string): Line {
    const line: Line = { connectionId, failures: 0, wake: new AbortController(), running: false };
    this.lines.set(connectionId, line);
    return line;
  }

  private beginWatch(transfer: Transfer, line: Line): void {
    const now = this.parts.clock.now();
    this.watches.set(transfer.key, { dueAt: now, movedAt: now, notFound: 0, unheeded: 0 });
    line.wake.abort();
  }

  /** Runs until the line has nothing to ask or nobody to ask. */
  private async run(line: Line): Promise<void> {
    line.running = true;
    try {
      while (!this.ending.signal.aborted) {
        const session = this.sessionToAsk(line.connectionId);
        const next = this.nextOf(line.connectionId);
        if (!session || !next) break;
        const waitMs = next.dueAt - this.parts.clock.now();
        if (waitMs > 0) await this.pause(line, waitMs);
        else await this.step(line, session, next.transfer);
      }
    } finally {
      line.running = false;
    }
  }

  /** The open session of a connection, unless its key is in doubt: then the line waits (D28). */
  private sessionToAsk(connectionId: string): Session | undefined {
    return this.parts.keys.standing(connectionId) === 'good' ? this.parts.sessions.get(connectionId) : undefined;
  }

  private nextOf(connectionId: string): { transfer: Transfer; dueAt: number } | undefined {
    return this.parts.store
      .running()
      .filter((transfer) => isWatched(transfer) && transfer.order.connectionId === connectionId)
      .map((transfer) => ({ transfer, dueAt: this.watches.get(transfer.key)?.dueAt ?? 0 }))
      .reduce<{ transfer: Transfer; dueAt: number } | undefined>(
        (first, one) => (first && first.dueAt <= one.dueAt ? first : one),
        undefined,
      );
  }

  private async step(line: Line, session: Session, transfer: Transfer): Promise<void> {
    const reason = await this.ask(session, transfer);
    line.failures = reason ? line.failures + 1 : 0;
    const waitMs = Math.max(retryWaitMs(line.failures, Math.random()), reason?.retryAfterMs ?? 0);
    const gapMs = reason ? waitMs : shortestGapMs;
    await this.pause(line, gapMs);
  }

  private async pause(line: Line, waitMs: number): Promise<void> {
    line.wake = new AbortController();
    await wait(this.parts.clock, waitMs, AbortSignal.any([line.wake.signal, this.ending.signal]));
  }

  /** Asks once and keeps what came; returns the reason when the whole line should wait. */
  private async ask(session: Session, transfer: Transfer): Promise<Reason | undefined> {
    const { id, key } = transfer;
    if (id === undefined) return undefined;
    const reply = await asked(() => session.client.transferStatus(id, this.ending.signal));
    const latest = this.parts.store.get(key);
    const at = this.parts.clock.now();
    const watch = this.watches.get(key) ?? { dueAt: at, movedAt: at, notFound: 0, unheeded: 0 };
    const closed = this.ending.signal.aborted || this.parts.sessions.get(session.connection.id) !== session;
    if (!latest || closed) return undefined;
    if (reply.value) {
      this.update(withStatus(latest, watch, reply.value, at), latest);
      return undefined;
    }
    const reason = reply.reason ?? { kind: 'unreadable' };
    if (reason.kind === 'notFound') {
      this.update(withNotFound(latest, watch, at), latest);
      return undefined;
    }
    this.update([{ ...latest, problem: reason }, watch], latest);
    return reason;
  }

  private update([transfer, watch]: [Transfer, Watch], before: Transfer): void {
    const { clock, shortestMs, hasFocus, store } = this.parts;
    const now = clock.now();
    const pace = { shortestMs: shortestMs(), hasFocus: hasFocus(), movedAt: watch.movedAt };
    if (isWatched(transfer)) {
      this.watches.set(transfer.key, { ...watch, dueAt: now + pollIntervalMs(transfer, now, pace) });
    } else this.watches.delete(transfer.key);
    // What only tells when it was last asked is not worth a write to the disk.
    if (sameFacts(transfer, before)) store.put([transfer]);
    else void this.parts.keep(transfer);
  }
}

function sameFacts(one: Transfer, other: Transfer): boolean {
  return JSON.stringify({ ...one, askedAt: 0 }) === JSON.stringify({ ...other, askedAt: 0 });
}
