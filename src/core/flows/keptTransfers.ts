import type { LedgerChange, LedgerWatch } from '../ledger/ledgerWatch.ts';
import type { Submissions } from '../ledger/submissions.ts';
import type { TransferLedger } from '../ledger/transferLedger.ts';
import { mergeTransfers, sameButAsked } from '../ledger/transferMerge.ts';
import type { UnsavedRecords } from '../ledger/unsavedRecords.ts';
import { hasEnded, inState, type Transfer } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { together } from '../util/together.ts';

/** What {@link KeptTransfers} need. */
export interface KeptParts {
  readonly store: TransferStore;
  readonly ledger: TransferLedger;
  readonly unsaved: UnsavedRecords;
  readonly submissions: Submissions;
  readonly watch: LedgerWatch;
  readonly clock: Clock;
  readonly log: Logger;
}

const lookAtSubmissionsMs = 3_000;
const writesAtOnce = 16;
/** Long enough not to be in the way of a start. */
const purgeAfterMs = 60_000;

/** Keeps what this window shows and what the ledger holds in step, whichever window brings the news. */
export class KeptTransfers implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: KeptParts;
  private readonly toLookAt = new Set<string>();
  private isLooking = false;
  private following: Promise<void> | undefined;
  private waiting: Disposable | undefined;

  constructor(parts: KeptParts) {
    this.parts = parts;
    this.lifetime.track(parts.watch.onDidChange((change) => void this.noteChange(change)));
  }

  /** Puts what is known of a transfer where it is shown, and in the ledger. A full disk does not hide what happened. */
  async keep(transfer: Transfer): Promise<Transfer> {
    this.parts.store.put([transfer]);
    return await this.save(transfer);
  }

  /** The same for many at once. */
  async keepAll(transfers: readonly Transfer[]): Promise<void> {
    this.parts.store.put(transfers);
    await together(transfers, writesAtOnce, (transfer) => this.save(transfer));
  }

  /** Shows from now on what other windows do, beginning with what they did since the ledger was read. */
  async follow(): Promise<void> {
    this.following ??= this.begin();
    await this.following;
    await this.noteChange({ shelf: 'running' });
  }

  /** A submission whose window ended before its answer came may have been accepted (D12). */
  async settleSubmissions(): Promise<void> {
    const { store, ledger, submissions, clock } = this.parts;
    for (const { key } of store.running().filter(({ state }) => state === 'submitting')) {
      if (await submissions.isUnderWay(key)) {
        this.settleLater();
        continue;
      }
      const change = await ledger.look(key);
      if (change.kind === 'there') this.show(change.transfer);
      const transfer = store.get(key);
      if (transfer?.state !== 'submitting') continue;
      const problem = { kind: 'dropped', maybeDone: true } as const;
      await this.keep({ ...inState(transfer, 'notConfirmed', clock.now()), problem });
    }
  }

  dispose(): void {
    this.lifetime.dispose();
    this.waiting?.dispose();
  }

  private async save(transfer: Transfer): Promise<Transfer> {
    const { store, unsaved } = this.parts;
    const known = await unsaved.keep(transfer);
    const shown = store.get(transfer.key);
    if (shown && !sameButAsked(known, transfer)) store.put([mergeTransfers(known, shown)]);
    return store.get(transfer.key) ?? known;
  }

  private async begin(): Promise<void> {
    const { clock, ledger, watch } = this.parts;
    const purge = (): void => void ledger.purge().catch((error: unknown) => this.complain(error));
    this.lifetime.track(clock.after(purgeAfterMs, purge));
    await watch.start();
  }

  private settleLater(): void {
    this.waiting ??= this.parts.clock.after(lookAtSubmissionsMs, () => {
      this.waiting = undefined;
      this.settleSubmissions().catch((error: unknown) => this.complain(error));
    });
  }

  private async noteChange(change: LedgerChange): Promise<void> {
    try {
      const keys = 'key' in change ? [change.key] : await this.keysOf(change.shelf);
      for (const key of keys) this.toLookAt.add(key);
      await this.lookAtAll();
    } catch (error) {
      this.complain(error);
    }
  }

  /** Those of a folder that may have come, gone or changed; what has ended does not change. */
  private async keysOf(shelf: 'running' | 'ended'): Promise<readonly string[]> {
    const { store, ledger } = this.parts;
    const there = await ledger.keys(shelf);
    if (shelf === 'running') return [...there, ...store.running().map(({ key }) => key)];
    const isThere = new Set(there);
    const gone = store.finished().filter(({ key }) => !isThere.has(key));
    return [...there.filter((key) => !store.get(key)), ...gone.map(({ key }) => key)];
  }

  /** One round at a time: it takes in what is noted meanwhile. */
  private async lookAtAll(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      for (const key of this.toLookAt) {
        this.toLookAt.delete(key);
        await this.lookAt(key);
      }
    } finally {
      this.isLooking = false;
    }
    const { store, ledger } = this.parts;
    if (store.hasEarlier && !(await ledger.hasEnded())) store.setHasEarlier(false);
    if (store.running().some(({ state }) => state === 'submitting')) this.settleLater();
  }

  private async lookAt(key: string): Promise<void> {
    const { store, ledger, unsaved } = this.parts;
    const change = await ledger.look(key);
    const ours = store.get(key);
    if (change.kind === 'there') this.show(change.transfer);
    if (!ours || (change.kind !== 'removed' && change.kind !== 'missing')) return;
    // Nobody removed it, and it is not over: then its file is written again.
    if (change.kind === 'missing' && !hasEnded(ours.state)) return void this.keep(ours);
    unsaved.forget([key]);
    store.remove([key]);
  }

  private show(theirs: Transfer): void {
    const { store } = this.parts;
    const ours = store.get(theirs.key);
    if (!ours && hasEnded(theirs.state) && store.hasEarlier) return;
    const both = ours ? mergeTransfers(ours, theirs) : theirs;
    store.put([both]);
    // What another window did not know when it wrote is written again, so that nothing depends on who was last.
    if (!sameButAsked(both, theirs)) void this.keep(both);
  }

  private complain(error: unknown): void {
    this.parts.log.error(`What other windows do to the transfers could not be followed: ${String(error)}`);
  }
}
