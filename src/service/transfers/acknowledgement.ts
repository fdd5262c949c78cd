import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';

const longestMs = 250;

/** Whoever submits is answered before anything more is begun, as long as that does not keep everything from beginning. */
export class AcknowledgementFirst {
  private readonly clock: Clock;
  private count = 0;
  /** Present while what could begin has to wait. */
  private waiting: Disposable | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Whether what could begin has to wait. */
  get holdsBack(): boolean {
    return this.waiting !== undefined;
  }

  /** Does the work of one submission; `begin` is called when what waited may begin, perhaps before it is done. */
  async run<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    if (this.count === 0) this.waiting = this.clock.after(longestMs, () => this.letGo(begin));
    this.count += 1;
    try {
      return await work();
    } finally {
      this.count -= 1;
      if (this.count === 0) this.letGo(begin);
      else if (!this.holdsBack) begin();
    }
  }

  private letGo(begin: () => void): void {
    this.waiting?.dispose();
    this.waiting = undefined;
    begin();
  }
}
