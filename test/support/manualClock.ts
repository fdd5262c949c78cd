import type { Clock } from '../../src/core/util/clock.ts';

/** A clock that stands until it is moved; callbacks come in the order of their times. */
export class ManualClock implements Clock {
  private time: number;
  private readonly waiting = new Set<{ at: number; call: () => void }>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.time = start;
  }

  /** How many callbacks have neither come nor been given up. */
  get waitingCount(): number {
    return this.waiting.size;
  }

  now(): number {
    return this.time;
  }

  after(delayMs: number, call: () => void): { dispose(): void } {
    const entry = { at: this.time + delayMs, call };
    this.waiting.add(entry);
    return { dispose: () => this.waiting.delete(entry) };
  }

  /** Lets `ms` milliseconds pass; between two callbacks everything that was started settles. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (let next = this.next(end); next; next = this.next(end)) {
      this.waiting.delete(next);
      this.time = Math.max(this.time, next.at);
      next.call();
      await settle();
    }
    this.time = end;
  }

  /** The machine sleeps: time goes on, and what waits has still as long to wait as before. Negative: the clock is set back. */
  sleep(ms: number): void {
    this.time += ms;
    for (const entry of this.waiting) entry.at += ms;
  }

  private next(end: number): { at: number; call: () => void } | undefined {
    return [...this.waiting].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
  }
}

/** Resolves when promises that wait for nothing else have run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
