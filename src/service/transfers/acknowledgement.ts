import type { Clock } from '../../core/util/clock.ts';

const longestMs = 250;

/** Whoever submits is answered before anything more is begun, as long as that does not keep everything from beginning. */
export class AcknowledgementFirst {
  private readonly clock: Clock;
  private count = 0;
  private sinceMs = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Whether what could begin has to wait. */
  get holdsBack(): boolean {
    return this.count > 0 && this.clock.now() - this.sinceMs < longestMs;
  }

  /** Does the work of one submission; `whenDone` may begin what waited. */
  async run<T>(work: () => Promise<T>, whenDone: () => void): Promise<T> {
    if (this.count === 0) this.sinceMs = this.clock.now();
    this.count += 1;
    try {
      return await work();
    } finally {
      this.count -= 1;
      whenDone();
    }
  }
}
