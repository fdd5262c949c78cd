import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';

const maxDelayMs = 250;

/** Delays queued transfers for a short time, so that submissions are acknowledged first. */
export class AcknowledgementGate {
  private readonly clock: Clock;
  private pendingCount = 0;
  /** Present while queued transfers have to wait. */
  private timer: Disposable | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** True while queued transfers have to wait. */
  get isClosed(): boolean {
    return this.timer !== undefined;
  }

  /** Runs one submission. Calls `onReady` when queued transfers may start, possibly before the submission is done. */
  async run<T>(work: () => Promise<T>, onReady: () => void): Promise<T> {
    if (this.pendingCount === 0) this.timer = this.clock.after(maxDelayMs, () => this.open(onReady));
    this.pendingCount += 1;
    try {
      return await work();
    } finally {
      this.pendingCount -= 1;
      if (this.pendingCount === 0) this.open(onReady);
      else if (!this.isClosed) onReady();
    }
  }

  private open(onReady: () => void): void {
    this.timer?.dispose();
    this.timer = undefined;
    onReady();
  }
}
