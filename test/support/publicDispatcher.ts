import { systemClock, wait } from '../../src/core/util/clock.ts';

/** A kind of request handled by the dispatcher. */
type Kind = 'create' | 'cancel' | 'status';

type Channel = 'ids' | 'statuses' | 'errors';

/** A result that a handler takes from a channel. An undefined value on the error channel means "no error". */
export interface Outcome {
  readonly channel: Channel;
  readonly value: unknown;
}

interface Waiter {
  readonly channels: readonly Channel[];
  take(outcome: Outcome): void;
}

const channelsFor: Readonly<Record<Kind, readonly Channel[]>> = {
  create: ['ids', 'errors'],
  cancel: ['errors'],
  status: ['statuses', 'errors'],
};

/**
 * Dispatches responses like the public server: create, cancel and status share an error channel, and each handler takes
 * the next result from its channels, even if it belongs to a different request. A result that no handler takes blocks
 * all later ones.
 */
export class PublicDispatcher {
  /** Duration of a create request, in milliseconds. */
  createMs = 0;
  /** Maximum number of concurrent requests so far. */
  maxConcurrentCount = 0;
  private concurrentCount = 0;
  private readonly waiters: Waiter[] = [];
  private readonly untaken: Outcome[] = [];

  /**
   * Performs a request's work and resolves to the result that the request's handler takes, which may belong to a
   * different request.
   */
  async handle(kind: Kind, work: () => Outcome): Promise<Outcome> {
    this.concurrentCount += 1;
    this.maxConcurrentCount = Math.max(this.maxConcurrentCount, this.concurrentCount);
    const taken = this.waitFor(channelsFor[kind]);
    void this.dispatch(kind, work);
    const outcome = await taken;
    this.concurrentCount -= 1;
    return outcome;
  }

  private async waitFor(channels: readonly Channel[]): Promise<Outcome> {
    return await new Promise((resolve) => {
      this.waiters.push({ channels, take: resolve });
      this.deliver();
    });
  }

  private async dispatch(kind: Kind, work: () => Outcome): Promise<void> {
    if (kind === 'create' && this.createMs > 0) await wait(systemClock, this.createMs);
    this.untaken.push(work());
    this.deliver();
  }

  private deliver(): void {
    for (let [first] = this.untaken; first; [first] = this.untaken) {
      const { channel } = first;
      const index = this.waiters.findIndex(({ channels }) => channels.includes(channel));
      if (index === -1) return;
      this.untaken.shift();
      this.waiters.splice(index, 1)[0]?.take(first);
    }
  }
}
