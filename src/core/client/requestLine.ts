import { isMoreUrgent, type RequestKind, type TurnObserver } from '../model/requestTurn.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';

/** A lock that was acquired. */
interface HeldLock {
  release(): Promise<void>;
}

/** Keeps the other windows of this machine from sending to the same server (D34). */
export interface ServerLocks {
  /**
   * Waits until no other window sends to the server. `urgency` is the kind of the request that waits; undefined means
   * that none waits any longer: then the attempt ends without a lock. Never rejects.
   */
  acquire(
    address: string,
    urgency: () => RequestKind | undefined,
    didWait: (holder: RequestKind | undefined) => void,
  ): Promise<HeldLock | undefined>;
}

/** A request that takes part in the line. */
export interface TurnRequest<T> {
  readonly kind: RequestKind;
  readonly observer?: TurnObserver | undefined;
  /** Ends the waiting: the request is then sent out of turn, and fails because it is aborted. */
  readonly signal: AbortSignal;
  send(): Promise<T>;
  /** Returns how long the server may still be working on the request although `send` has ended, in milliseconds. */
  lateMs?(outcome: T): number;
}

/** A request that waits for its turn. */
interface Waiting {
  readonly kind: RequestKind;
  readonly observer: TurnObserver | undefined;
  /** The last kind that the observer was notified of. */
  notified?: RequestKind | 'unknown';
  start(turn: Turn): void;
}

/** Ends when its request has ended on the server, as far as that can be known. */
class Turn {
  readonly ended: Promise<void>;
  end: () => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => (this.end = resolve));
  }
}

/**
 * Sends the submissions, cancels and status requests of one server one at a time, in the order of their urgency (D34).
 */
export class RequestLine implements Disposable {
  private readonly address: string;
  private readonly clock: Clock;
  private readonly locks: ServerLocks;
  private readonly waiting = new Set<Waiting>();
  private readonly underWay = new Map<Turn, RequestKind>();
  private readonly ending = new AbortController();
  private isServing = false;

  /** `locks` keeps the windows apart that share a ledger. */
  constructor(address: string, clock: Clock, locks: ServerLocks) {
    this.address = address;
    this.clock = clock;
    this.locks = locks;
  }

  /** Sends a request when it is its turn; resolves as `send` does, also if the line stays closed a little longer. */
  async run<T>(request: TurnRequest<T>): Promise<T> {
    const turn = await this.getTurn(request);
    if (!request.signal.aborted) request.observer?.didStart?.();
    let lateMs = 0;
    try {
      const outcome = await request.send();
      lateMs = request.lateMs?.(outcome) ?? 0;
      return outcome;
    } finally {
      void this.endTurn(turn, lateMs);
    }
  }

  dispose(): void {
    this.ending.abort();
  }

  private async getTurn<T>({ kind, observer, signal }: TurnRequest<T>): Promise<Turn> {
    return await new Promise((resolve) => {
      const start = (turn: Turn): void => {
        this.waiting.delete(entry);
        signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      const leave = (): void => start(new Turn());
      const entry: Waiting = { kind, observer, start };
      signal.addEventListener('abort', leave);
      this.waiting.add(entry);
      if (signal.aborted) leave();
      else void this.serve();
    });
  }

  private async endTurn(turn: Turn, lateMs: number): Promise<void> {
    if (lateMs > 0) await wait(this.clock, lateMs, this.ending.signal);
    this.underWay.delete(turn);
    turn.end();
  }

  private async serve(): Promise<void> {
    this.notify(this.underWay.values().next().value);
    if (this.isServing) return;
    this.isServing = true;
    while (this.waiting.size > 0) await this.serveNext();
    this.isServing = false;
  }

  private async serveNext(): Promise<void> {
    const held = await this.locks.acquire(
      this.address,
      () => this.next()?.kind,
      (holder) => this.notify(holder ?? 'unknown'),
    );
    // Nobody waited any longer. Who has come since then takes the lock first.
    if (!held) return;
    // A request that was sent out of turn is waited for like any other.
    await Promise.all([...this.underWay.keys()].map((turn) => turn.ended));
    const next = this.next();
    if (next) await this.start(next).ended;
    await held.release();
  }

  private start(entry: Waiting): Turn {
    const turn = new Turn();
    this.underWay.set(turn, entry.kind);
    entry.start(turn);
    this.notify(entry.kind);
    return turn;
  }

  private next(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const entry of this.waiting) if (!first || isMoreUrgent(entry.kind, first.kind)) first = entry;
    return first;
  }

  private notify(behind: RequestKind | 'unknown' | undefined): void {
    if (behind === undefined) return;
    for (const entry of this.waiting) {
      if (entry.notified === behind) continue;
      entry.notified = behind;
      const sendNow = (): void => {
        if (this.waiting.has(entry)) this.start(entry);
      };
      entry.observer?.didWait?.({ behind: behind === 'unknown' ? undefined : behind, sendNow });
    }
  }
}

/** For a program that shares its servers with no other. */
const noLocks: ServerLocks = { acquire: () => Promise.resolve({ release: () => Promise.resolve() }) };

/** The lines of all servers, by address (D34). */
export class RequestLines implements Disposable {
  private readonly clock: Clock;
  private readonly locks: ServerLocks;
  private readonly lines = new Map<string, RequestLine>();

  constructor(clock: Clock, locks: ServerLocks = noLocks) {
    this.clock = clock;
    this.locks = locks;
  }

  /** Returns the line of the server at `address`, which has its normal form (D4). */
  get(address: string): RequestLine {
    const line = this.lines.get(address) ?? new RequestLine(address, this.clock, this.locks);
    this.lines.set(address, line);
    return line;
  }

  dispose(): void {
    for (const line of this.lines.values()) line.dispose();
  }
}
