import { systemClock, wait } from '../../src/core/util/clock.ts';

/** A kind of request that the dispatcher handles. */
type Kind = 'create' | 'cancel' | 'status';

type Channel = 'ids' | 'statuses' | 'errors';

/** An answer that a handler takes from a channel; an error that is undefined is "no error". */
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
 * Hands out answers as the public server does: create, cancel and status share an error channel, and each handler takes
 * the next answer on its channels, whoever it is for. An answer that nobody takes blocks all that follow.
 */
export class PublicDispatcher {
  /** Duration of a create. */
  createMs = 0;
  /** The most requests that were ever under way at the same time. */
  mostAtOnce = 0;
  private atOnce = 0;
  private readonly waiters: Waiter[] = [];
  private readonly untaken: Outcome[] = [];

  /** Resolves with what the handler of a request takes, which may be the answer to another request. */
  async handle(kind: Kind, work: () => Outcome): Promise<Outcome> {
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    const taken = this.waitFor(channelsFor[kind]);
    void this.dispatch(kind, work);
    const outcome = await taken;
    this.atOnce -= 1;
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
