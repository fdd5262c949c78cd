import type { Clock } from '../core/util/clock.ts';
import type { Disposable } from '../core/util/lifetime.ts';

/**
 * Calls `end` when `isInUse` has returned false for `idleMs` milliseconds. Call {@link check} whenever the result of
 * `isInUse` may have changed.
 */
export class IdleTimer implements Disposable {
  private readonly clock: Clock;
  private readonly idleMs: number;
  private readonly isInUse: () => boolean;
  private readonly end: () => void;
  private timer: Disposable | undefined;
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
      this.timer ??= this.clock.after(this.idleMs, this.end);
      return;
    }
    this.timer?.dispose();
    this.timer = undefined;
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
  }
}
