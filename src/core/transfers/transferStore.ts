import { hasEnded, type Transfer } from '../model/transferModel.ts';
import { Emitter } from '../util/lifetime.ts';

/** Stores all of the user's loaded transfers. */
export class TransferStore {
  private readonly transfers = new Map<string, Transfer>();
  private readonly changed = new Emitter<readonly string[]>();
  private earlier = false;

  /** Fires with the keys of the transfers that were changed, added or removed. */
  readonly onDidChange = this.changed.event;

  getAll(): readonly Transfer[] {
    return this.filterNewestFirst(() => true);
  }

  /** Returns the transfers that have not ended, except unconfirmed ones. */
  getRunning(): readonly Transfer[] {
    return this.filterNewestFirst(({ state }) => !hasEnded(state) && state !== 'notConfirmed');
  }

  /** Returns the unconfirmed transfers, which only the user can resolve (D12: never resubmit). */
  getNotConfirmed(): readonly Transfer[] {
    return this.filterNewestFirst(({ state }) => state === 'notConfirmed');
  }

  getFinished(): readonly Transfer[] {
    return this.filterNewestFirst(({ state }) => hasEnded(state));
  }

  /** True if ended transfers from earlier sessions are stored, but not loaded yet. */
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

  /** Returns true if a transfer other than the one with this key has the server's ID `id`. */
  hasOther(id: string, key: string): boolean {
    for (const other of this.transfers.values()) if (other.id === id && other.key !== key) return true;
    return false;
  }

  put(transfers: readonly Transfer[]): void {
    for (const transfer of transfers) this.transfers.set(transfer.key, transfer);
    this.changed.fire(transfers.map((transfer) => transfer.key));
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) this.transfers.delete(key);
    this.changed.fire(keys);
  }

  /**
   * Returns the matching transfers, newest first. Filters before sorting, so that a long history does not slow down
   * frequent queries for running transfers.
   */
  private filterNewestFirst(matches: (transfer: Transfer) => boolean): readonly Transfer[] {
    return [...this.transfers.values()].filter(matches).sort((a, b) => b.createdAt - a.createdAt);
  }
}
