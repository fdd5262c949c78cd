import type { KeyWatch } from '../flows/keyWatch.ts';
import type { Sessions } from '../flows/sessions.ts';
import type { AskingLease } from '../ledger/askingLease.ts';
import type { TransferStore } from '../store/transferStore.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { isWatched } from './pollSchedule.ts';

/** What an {@link AskingContest} needs. */
export interface ContestParts {
  readonly sessions: Sessions;
  readonly keys: KeyWatch;
  readonly store: TransferStore;
  readonly lease: Pick<AskingLease, 'compete'>;
}

/**
 * Lets this window compete for the connections that it could ask for running transfers: it has a session for them, whose
 * key is not refused.
 */
export class AskingContest implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: ContestParts;
  /** The connection of each transfer that is to be asked for. */
  private readonly watched = new Map<string, string>();
  private said = '';

  constructor(parts: ContestParts) {
    this.parts = parts;
    this.lifetime.track(parts.store.onDidChange((keys) => this.follow(keys)));
    this.lifetime.track(parts.sessions.onDidChange(() => this.say()));
    this.lifetime.track(parts.keys.onDidChange(() => this.say()));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private follow(keys: readonly string[]): void {
    let isNew = false;
    for (const key of keys) {
      const transfer = this.parts.store.get(key);
      const connectionId = transfer && isWatched(transfer) ? transfer.order.connectionId : undefined;
      if (this.watched.get(key) === connectionId) continue;
      isNew = true;
      if (connectionId === undefined) this.watched.delete(key);
      else this.watched.set(key, connectionId);
    }
    if (isNew) this.say();
  }

  /** What is the same as before need not be said again. */
  private say(): void {
    const { sessions, keys, lease } = this.parts;
    const isAble = (id: string): boolean => sessions.get(id) !== undefined && keys.standing(id) !== 'refused';
    const able = new Set([...this.watched.values()].filter(isAble));
    const said = JSON.stringify([...able, this.watched.size > 0]);
    if (said === this.said) return;
    this.said = said;
    lease.compete(able, this.watched.size > 0);
  }
}
