import type { Clock } from '../core/util/clock.ts';
import type { Disposable } from '../core/util/lifetime.ts';

/**
 * Calls once when nothing has been in use for `idleMs` milliseconds. {@link check} is to be called whenever that may
 * have changed.
 */
export class IdleEnd implements Disposable {
  private readonly clock: Clock;
  private readonly idleMs: number;
  private readonly isInUse: () => boolean;
  private readonly end: () => void;
  private waiting: Disposable | undefined;
  private isDisposed = false;

  constructor(clock: Clock, idleMs: number, isInUse: () => boolean, end: () => void) {
    this.clock = clock;
    this.idleMs = idleMs;
    this.isInUse = isInUse;
    this.end = end;
  }

  check(): void {
    if (this.isDisposed) return;
    if (!this.isInUse()) {
      this.waiting ??= this.clock.after(this.idleMs, this.end);
      return;
    }
    this.waiting?.dispose();
    this.waiting = undefined;
  }

  dispose(): void {
    this.isDisposed = true;
    this.waiting?.dispose();
  }
}
