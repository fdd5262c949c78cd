import { setImmediate } from 'node:timers/promises';

/**
 * Gives each query of a thread its own turn of the event loop, so that calls that arrive meanwhile run between two of
 * them, however many wait.
 */
export class QueryTurns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves when the caller may run its query, which must be synchronous. */
  async next(): Promise<void> {
    // In the first step, calls arrive that were sent during the previous query. They run before the second one.
    const turn = this.last.then(async () => await setImmediate()).then(async () => await setImmediate());
    this.last = turn;
    await turn;
  }
}
