import { AgentError } from './agentError.ts';

const maxRunning = 8;
const maxWaiting = 200;

/**
 * Runs agents' calls in order of arrival. Limits the number of concurrent calls, so that no agent can overload the
 * service or this program.
 */
export class CallQueue {
  private readonly waiting = new Set<() => void>();
  private running = 0;

  /**
   * Runs `work` when it is the call's turn. Throws {@link AgentError} if too many calls are waiting, and the signal's
   * reason if the call is canceled before its turn.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(signal: AbortSignal): Promise<void> {
    if (this.running < maxRunning) this.running += 1;
    else if (this.waiting.size < maxWaiting) await this.wait(signal);
    else
      throw new AgentError(
        'tooManyCalls',
        'Too many calls are waiting. Wait until they have finished, then call again.',
      );
  }

  /**
   * Resolves when a finished call hands over its slot. Rejects with the signal's reason if the waiting call is
   * canceled.
   */
  private async wait(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.waiting.add(resolve);
      signal.addEventListener('abort', () => {
        this.waiting.delete(resolve);
        reject(signal.reason as Error);
      });
    });
  }

  private leave(): void {
    const [next] = this.waiting;
    if (!next) this.running -= 1;
    else if (this.waiting.delete(next)) next();
  }
}
