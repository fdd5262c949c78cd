import { isMoreUrgent, type RequestKind, type TurnObserver } from '../model/requestTurn.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';

interface RequestLock {
  release(): Promise<void>;
}

/** Prevents simultaneous requests of windows with one ledger to one server (D34: serialized requests). */
interface RequestLocks {
  /**
   * Waits until no other window is sending to the server. `urgency` returns the kind of the most urgent waiting
   * request; undefined if no request is waiting anymore, in which case `acquire` resolves to undefined. Never rejects.
   */
  acquire(
    address: string,
    urgency: () => RequestKind | undefined,
    didWait: (holder: RequestKind | undefined) => void,
  ): Promise<RequestLock | undefined>;
}

/** Describes a request to send through the queue. */
interface QueuedRequest<T> {
  readonly kind: RequestKind;
  readonly observer?: TurnObserver | undefined;
  /** Ends the wait when aborted. `send` is then called out of turn, and fails because the signal is aborted. */
  readonly signal: AbortSignal;
  send(): Promise<T>;
  /** Returns how long the server may continue to process the request after `send` has resolved, in milliseconds. */
  lateMs?(outcome: T): number;
}

/** Describes a request waiting for its turn. */
interface WaitingRequest {
  readonly kind: RequestKind;
  readonly observer: TurnObserver | undefined;
  /** The kind of the request ahead of this one, as last reported to the observer. */
  notified?: RequestKind | 'unknown';
  start(turn: Turn): void;
}

/** The period during which a request occupies the server, as far as the client can tell. */
interface Turn {
  readonly ended: Promise<void>;
  end(): void;
}

function createTurn(): Turn {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ended, end };
}

/** Sends the queued requests to a server one at a time, most urgent first (D34: serialized requests). */
export class RequestQueue implements Disposable {
  private readonly address: string;
  private readonly clock: Clock;
  private readonly locks: RequestLocks;
  private readonly waiting = new Set<WaitingRequest>();
  private readonly turns = new Map<Turn, RequestKind>();
  private readonly ending = new AbortController();
  private isServing = false;

  /** `locks` coordinates the windows that share a ledger. */
  constructor(address: string, clock: Clock, locks: RequestLocks) {
    this.address = address;
    this.clock = clock;
    this.locks = locks;
  }

  /** Sends a request in its turn. Resolves as soon as `send` does, even if the queue remains blocked. */
  async run<T>(request: QueuedRequest<T>): Promise<T> {
    const turn = await this.waitForTurn(request);
    let lateMs = 0;
    try {
      if (!request.signal.aborted) request.observer?.didStart?.();
      const outcome = await request.send();
      lateMs = request.lateMs?.(outcome) ?? 0;
      return outcome;
    } finally {
      void this.endTurn(turn, lateMs);
    }
  }

  /** Ends the pauses after requests. Still sends the waiting ones unless their own signals are aborted. */
  dispose(): void {
    this.ending.abort();
  }

  private async waitForTurn<T>({ kind, observer, signal }: QueuedRequest<T>): Promise<Turn> {
    return await new Promise((resolve) => {
      const startTurn = (turn: Turn): void => {
        this.waiting.delete(entry);
        signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      const leave = (): void => startTurn(createTurn());
      const entry: WaitingRequest = { kind, observer, start: startTurn };
      signal.addEventListener('abort', leave);
      this.waiting.add(entry);
      if (signal.aborted) leave();
      else void this.serve();
    });
  }

  private async endTurn(turn: Turn, lateMs: number): Promise<void> {
    if (lateMs > 0) await wait(this.clock, lateMs, this.ending.signal);
    this.turns.delete(turn);
    turn.end();
  }

  private async serve(): Promise<void> {
    const [current] = this.turns.values();
    if (current !== undefined) this.notifyWaiting(current);
    if (this.isServing) return;
    this.isServing = true;
    while (this.waiting.size > 0) {
      const lock = await this.locks.acquire(
        this.address,
        () => this.findNext()?.kind,
        (holder) => this.notifyWaiting(holder ?? 'unknown'),
      );
      // No request is waiting any longer.
      if (!lock) continue;
      // Also wait for requests that were sent out of turn.
      if (this.turns.size > 0) await Promise.all([...this.turns.keys()].map((turn) => turn.ended));
      const next = this.findNext();
      if (next) await this.start(next).ended;
      await lock.release();
    }
    this.isServing = false;
  }

  private start(entry: WaitingRequest): Turn {
    const turn = createTurn();
    this.turns.set(turn, entry.kind);
    entry.start(turn);
    this.notifyWaiting(entry.kind);
    return turn;
  }

  private findNext(): WaitingRequest | undefined {
    let first: WaitingRequest | undefined;
    for (const entry of this.waiting) if (!first || isMoreUrgent(entry.kind, first.kind)) first = entry;
    return first;
  }

  private notifyWaiting(behind: RequestKind | 'unknown'): void {
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

/** Locks that are always free, for programs that do not coordinate their requests with other programs. */
const noLocks: RequestLocks = { acquire: () => Promise.resolve({ release: () => Promise.resolve() }) };

/** Creates and stores one queue for each server address (D34: serialized requests). */
export class RequestQueues implements Disposable {
  private readonly clock: Clock;
  private readonly locks: RequestLocks;
  private readonly queues = new Map<string, RequestQueue>();

  constructor(clock: Clock, locks: RequestLocks = noLocks) {
    this.clock = clock;
    this.locks = locks;
  }

  /** Returns the queue for the server at a base address (D4: server address). */
  get(address: string): RequestQueue {
    const queue = this.queues.get(address) ?? new RequestQueue(address, this.clock, this.locks);
    this.queues.set(address, queue);
    return queue;
  }

  dispose(): void {
    for (const queue of this.queues.values()) queue.dispose();
  }
}
