import { hasEnded, type Transfer } from '../model/transfer.ts';
import { Emitter } from '../util/emitter.ts';

/** Every transfer this person started, as far as it was loaded. */
export class TransferStore {
  private readonly transfers = new Map<string, Transfer>();
  private readonly changed = new Emitter<readonly string[]>();
  private earlier = false;

  /** Carries the keys of the transfers that changed, came or went. */
  readonly onDidChange = this.changed.event;

  /** Newest first. */
  all(): readonly Transfer[] {
    return this.newestFirst(() => true);
  }

  /** Those that something can be expected of. */
  running(): readonly Transfer[] {
    return this.newestFirst(({ state }) => !hasEnded(state) && state !== 'notConfirmed');
  }

  /** Those of which nobody knows whether they have begun: the person decides (D12). */
  notConfirmed(): readonly Transfer[] {
    return this.newestFirst(({ state }) => state === 'notConfirmed');
  }

  finished(): readonly Transfer[] {
    return this.newestFirst(({ state }) => hasEnded(state));
  }

  /** Whether transfers that ended in earlier sessions are kept but not loaded yet. */
  get hasEarlier(): boolean {
    return this.earlier;
  }

  setHasEarlier(hasEarlier: boolean): void {
    this.earlier = hasEarlier;
    this.changed.fire([]);
  }

  get(key: string): Transfer | undefined {
    return this.transfers.get(key);
  }

  put(transfers: readonly Transfer[]): void {
    for (const transfer of transfers) this.transfers.set(transfer.key, transfer);
    this.changed.fire(transfers.map((transfer) => transfer.key));
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) this.transfers.delete(key);
    this.changed.fire(keys);
  }

  /** A long history costs those that are asked for often, the running ones, no sorting. */
  private newestFirst(isWanted: (transfer: Transfer) => boolean): readonly Transfer[] {
    return [...this.transfers.values()].filter(isWanted).sort((a, b) => b.createdAt - a.createdAt);
  }
}
