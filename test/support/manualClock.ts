import type { Clock } from '../../src/core/util/clock.ts';

/**
 * A clock that advances only when a test calls {@link pass} or {@link sleep}. Callbacks run in the order of their
 * times.
 */
export class ManualClock implements Clock {
  private time: number;
  private readonly waiting = new Set<{ at: number; call: () => void }>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.time = start;
  }

  /** Number of pending callbacks. */
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

  /** Advances the clock by `ms` milliseconds. After each callback, waits until pending promises have settled. */
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

  /**
   * Simulates a suspended machine: the time advances by `ms` milliseconds, but pending callbacks keep their remaining
   * delay. A negative value sets the clock back.
   */
  sleep(ms: number): void {
    this.time += ms;
    for (const entry of this.waiting) entry.at += ms;
  }

  private next(end: number): { at: number; call: () => void } | undefined {
    return [...this.waiting].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
  }
}

/** Resolves when pending promise callbacks have run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
