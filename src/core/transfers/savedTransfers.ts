import { join } from 'node:path';
import { hasEnded, isWaitingToBeSent, withState, type Transfer } from '../model/transferModel.ts';
import { getBackoffMs, type Clock } from '../util/clock.ts';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { createFolder } from '../util/createFolder.ts';
import { formatErrorStack } from '../util/errorFacts.ts';
import { FileLock } from '../util/fileLock.ts';
import { Emitter, Lifetime, type Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { withdrawDecision } from './planFiles.ts';
import { RecordFolderWatch } from './recordFolders.ts';
import { isSameExceptPolledAt, mergeTransfers, type TransferLedger } from './transferLedger.ts';
import type { TransferStore } from './transferStore.ts';

interface SavedTransfersDependencies {
  /** The ledger's folder. */
  readonly folder: string;
  readonly store: TransferStore;
  readonly ledger: TransferLedger;
  readonly submissions: PendingSubmissions;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The number of ended transfers to load first. Enough to fill the rows that are always visible, even if some transfers
 * are removed.
 */
export const lastFinishedCount = 20;
const submissionCheckMs = 3_000;
const maxParallelWrites = 16;
/** The delay before old records are deleted, in milliseconds. Keeps startup fast. */
const purgeAfterMs = 60_000;

type WatchedFolder = 'running' | 'ended';

/** Keeps the transfers that this window shows in sync with the ledger, which all windows share. */
export class SavedTransfers implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: SavedTransfersDependencies;
  readonly unsaved: UnsavedRecords;
  private readonly watches: Readonly<Record<WatchedFolder, RecordFolderWatch>>;
  private readonly startedAt: number;
  private readonly keysToCheck = new Set<string>();
  private isChecking = false;
  private isFollowing = false;
  private endedSubscription: Disposable | undefined;
  private nextCheck: Disposable | undefined;
  private isDisposed = false;

  constructor(dependencies: SavedTransfersDependencies) {
    this.dependencies = dependencies;
    const { folder, ledger, clock, log } = dependencies;
    this.startedAt = clock.now();
    this.unsaved = this.lifetime.track(new UnsavedRecords(ledger, clock, log));
    const watch = (name: WatchedFolder): RecordFolderWatch =>
      new RecordFolderWatch(join(folder, name), clock, (key) => void this.handleChange(name, key));
    this.watches = { running: this.lifetime.track(watch('running')), ended: this.lifetime.track(watch('ended')) };
  }

  /**
   * Shows a transfer and saves it to the ledger. Shows the transfer even if it can't be saved. Resolves to the transfer
   * merged with other windows' changes.
   */
  async save(transfer: Transfer): Promise<Transfer> {
    this.display([transfer]);
    return await this.saveAndMerge(transfer);
  }

  async saveAll(transfers: readonly Transfer[]): Promise<void> {
    this.display(transfers);
    await mapConcurrently(transfers, maxParallelWrites, (transfer) => this.saveAndMerge(transfer));
  }

  /** Remembers the ledger's state for {@link follow}. Must be called before the ledger is read. */
  async prepare(): Promise<void> {
    await Promise.all([this.watches.running.prepare(), this.watches.ended.prepare()]);
  }

  /**
   * Starts showing changes from other windows, including changes since `prepare` was called. Schedules the deletion of
   * old records.
   */
  async follow(): Promise<void> {
    if (this.isFollowing) return;
    this.isFollowing = true;
    const { clock, ledger, store } = this.dependencies;
    const purge = (): void => void ledger.purge().catch((error: unknown) => this.logError(error));
    this.lifetime.track(clock.after(purgeAfterMs, purge));
    this.endedSubscription = this.lifetime.track(store.onDidChange(() => this.followEnded()));
    this.followEnded();
    await this.watches.running.start();
  }

  /** Shows transfers. Only logs an error of what shows them, because the transfers have to be saved anyway. */
  display(transfers: readonly Transfer[]): void {
    try {
      this.dependencies.store.put(transfers);
    } catch (error) {
      this.dependencies.log.error(`Unexpected error: ${formatErrorStack(error)}`);
    }
  }

  /**
   * Settles submissions whose window closed before the response arrived. Marks them as not sent if sending had not
   * begun; otherwise, as not confirmed (D12: never resubmit). Tries again later if a record can't be read.
   */
  async settleSubmissions(): Promise<void> {
    const { store } = this.dependencies;
    const submitting = store.getRunning().filter(({ state }) => state === 'submitting');
    try {
      for (const { key } of submitting) await this.settleSubmission(key);
    } catch (error) {
      this.settleLater();
      throw error;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.lifetime.dispose();
    this.nextCheck?.dispose();
  }

  private async settleSubmission(key: string): Promise<void> {
    const { store, ledger, submissions, clock } = this.dependencies;
    if (await submissions.isPending(key)) {
      this.settleLater();
      return;
    }
    const change = await ledger.checkRecord(key);
    if (change.kind === 'there') this.show(change.transfer);
    if (!(await this.settleWaiting(key))) return;
    const transfer = store.get(key);
    if (transfer?.state !== 'submitting') return;
    const problem = { kind: 'dropped', maybeDone: true } as const;
    await this.save({ ...withState(transfer, 'notConfirmed', clock.now()), problem });
  }

  /**
   * Marks a submission as not sent, and reopens its plan, unless another window has begun to send it in the meantime.
   * Returns false if its record can't be written; it is settled later then.
   */
  private async settleWaiting(key: string): Promise<boolean> {
    const { store, ledger, clock, log, folder } = this.dependencies;
    const transfer = store.get(key);
    if (!transfer || !isWaitingToBeSent(transfer)) return true;
    const problem = { kind: 'notSent' } as const;
    try {
      const settled = await ledger.update(key, (stored) =>
        isWaitingToBeSent(stored) ? { ...withState(stored, 'refused', clock.now()), problem } : undefined,
      );
      if (settled) this.show(settled.transfer);
      if (settled?.hasChanged) await withdrawDecision(folder, settled.transfer, { clock, log });
      return true;
    } catch (error) {
      log.error(`The record of a transfer could not be written: ${String(error)}`);
      this.settleLater();
      return false;
    }
  }

  private async saveAndMerge(transfer: Transfer): Promise<Transfer> {
    const { store } = this.dependencies;
    const known = await this.unsaved.save(transfer);
    const shown = store.get(transfer.key);
    if (shown && !isSameExceptPolledAt(known, transfer)) this.display([mergeTransfers(known, shown)]);
    return store.get(transfer.key) ?? known;
  }

  /**
   * Starts watching the records of ended transfers as soon as this window shows such a transfer, or if there are none.
   * Starting earlier would slightly delay the initial list of transfers if there are many records.
   */
  private followEnded(): void {
    const { store } = this.dependencies;
    if (!this.endedSubscription || (store.hasEarlier && store.getFinished().length === 0)) return;
    this.endedSubscription.dispose();
    this.endedSubscription = undefined;
    void this.watches.ended.start();
  }

  private settleLater(): void {
    if (this.isDisposed) return;
    this.nextCheck ??= this.dependencies.clock.after(submissionCheckMs, () => {
      this.nextCheck = undefined;
      this.settleSubmissions().catch((error: unknown) => this.logError(error));
    });
  }

  /**
   * Checks the record with the given key or, without one, all records that may have changed in the folder. Only one
   * check runs at a time; it includes the keys that are added meanwhile.
   */
  private async handleChange(folder: WatchedFolder, changed: string | undefined): Promise<void> {
    const { store, ledger } = this.dependencies;
    try {
      const keys = changed === undefined ? await this.listChangedKeys(folder) : [changed];
      for (const key of keys) this.keysToCheck.add(key);
      if (this.isChecking) return;
      this.isChecking = true;
      let failure: unknown;
      for (const key of this.keysToCheck) {
        this.keysToCheck.delete(key);
        await this.check(key).catch((error: unknown) => (failure = error));
      }
      this.isChecking = false;
      if (failure !== undefined) this.logError(failure);
      if (store.hasEarlier && !(await ledger.hasEnded())) store.setHasEarlier(false);
    } catch (error) {
      this.logError(error);
    }
  }

  /**
   * Returns the keys of records that may have been added to or removed from a folder. Also returns the keys of all
   * running transfers if `folder` is `running`, because their records may have changed. Until all ended transfers are
   * loaded, looks for new records only among the most recent ended transfers.
   */
  private async listChangedKeys(folder: WatchedFolder): Promise<readonly string[]> {
    const { store, ledger } = this.dependencies;
    const present = await ledger.keys(folder);
    if (folder === 'running') return [...present, ...store.getRunning().map(({ key }) => key)];
    const isPresent = new Set(present);
    const removed = store.getFinished().filter(({ key }) => !isPresent.has(key));
    const last = store.hasEarlier ? (await ledger.loadLastEnded(lastFinishedCount)).transfers : undefined;
    const listed = last?.map(({ key }) => key) ?? present;
    return [...listed.filter((key) => !store.get(key)), ...removed.map(({ key }) => key)];
  }

  private async check(key: string): Promise<void> {
    const { store, ledger } = this.dependencies;
    const change = await ledger.checkRecord(key);
    const ours = store.get(key);
    if (change.kind === 'there') this.show(change.transfer);
    if (store.get(key)?.state === 'submitting') this.settleLater();
    if (!ours || (change.kind !== 'removed' && change.kind !== 'missing')) return;
    // The file is missing although no window removed the transfer and it has not ended, so write the file again.
    if (change.kind === 'missing' && !hasEnded(ours.state)) return void this.save(ours);
    this.unsaved.forget([key]);
    store.remove([key]);
  }

  private show(theirs: Transfer): void {
    const { store } = this.dependencies;
    const ours = store.get(theirs.key);
    if (!ours && store.hasEarlier && this.hasEndedEarlier(theirs)) return;
    const merged = ours ? mergeTransfers(ours, theirs) : theirs;
    store.put([merged]);
    // Write back changes that the other window did not know about, so that the result does not depend on write order.
    if (!isSameExceptPolledAt(merged, theirs)) void this.save(merged);
  }

  /** Returns true if a transfer ended before this window started. Such transfers are loaded only when needed. */
  private hasEndedEarlier({ state, changes }: Transfer): boolean {
    return hasEnded(state) && (changes.at(-1)?.at ?? 0) < this.startedAt;
  }

  private logError(error: unknown): void {
    this.dependencies.log.error(`Changes that other windows made to transfers could not be read: ${String(error)}`);
  }
}

const minWaitMs = 2_000;
const maxWaitMs = 300_000;

/** Writes transfers to the ledger. If a write fails, keeps the transfer in memory and retries. */
export class UnsavedRecords implements Disposable {
  private readonly ledger: TransferLedger;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly unsaved = new Map<string, Transfer>();
  private readonly failed = new Emitter<unknown>();
  private tries = 1;
  private retryTimer: Disposable | undefined;
  private isFailing = false;
  private isDisposed = false;

  /**
   * Fires with the error of the first failed write. Doesn't fire for another failure until all records have been saved.
   */
  readonly onDidFail = this.failed.event;

  constructor(ledger: TransferLedger, clock: Clock, log: Logger) {
    this.ledger = ledger;
    this.clock = clock;
    this.log = log;
  }

  /**
   * Writes a transfer, and retries later if writing fails. Resolves to the merged record, even if it has not been
   * written yet. Never rejects.
   */
  async save(transfer: Transfer): Promise<Transfer> {
    const unsaved = this.unsaved.get(transfer.key);
    const latest = unsaved ? mergeTransfers(unsaved, transfer) : transfer;
    const saved = await this.tryToSave(latest);
    if (saved && this.unsaved.size > 0) void this.saveAll();
    return saved ?? latest;
  }

  has(key: string): boolean {
    return this.unsaved.has(key);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.unsaved.delete(key);
    if (this.isFailing && this.unsaved.size === 0) this.endFailure();
  }

  /** Stops retrying. Records that couldn't be written are lost. */
  dispose(): void {
    this.isDisposed = true;
    this.retryTimer?.dispose();
    this.failed.dispose();
  }

  private async tryToSave(transfer: Transfer): Promise<Transfer | undefined> {
    const before = this.unsaved.get(transfer.key);
    try {
      const saved = await this.ledger.write(transfer);
      if (this.unsaved.get(transfer.key) === before) this.unsaved.delete(transfer.key);
      if (this.isFailing && this.unsaved.size === 0) this.endFailure();
      return saved;
    } catch (error) {
      this.fail(transfer, error);
      return undefined;
    }
  }

  private fail(transfer: Transfer, error: unknown): void {
    if (this.isDisposed) return this.log.error(`The record of a transfer could not be written: ${String(error)}`);
    const other = this.unsaved.get(transfer.key);
    this.unsaved.set(transfer.key, other ? mergeTransfers(other, transfer) : transfer);
    this.retryTimer ??= this.clock.after(getBackoffMs(this.tries, minWaitMs, maxWaitMs), () => void this.retry());
    if (this.isFailing) return;
    this.isFailing = true;
    this.log.error(`The record of a transfer could not be written; writing will be retried: ${String(error)}`);
    this.failed.fire(error);
  }

  private async retry(): Promise<void> {
    this.retryTimer = undefined;
    this.tries += 1;
    await this.saveAll();
  }

  /** Saves the records one at a time until one cannot be written. */
  private async saveAll(): Promise<void> {
    for (const transfer of [...this.unsaved.values()]) if (!(await this.tryToSave(transfer))) return;
  }

  private endFailure(): void {
    this.retryTimer?.dispose();
    this.retryTimer = undefined;
    this.tries = 1;
    this.isFailing = false;
    this.log.info('No transfer records are waiting to be written');
  }
}

/**
 * Records the submissions for which an open window or a running command awaits the response. Such submissions aren't
 * treated as lost (D12: never resubmit).
 */
export class PendingSubmissions implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly own = new Map<string, FileLock>();

  /** `folder` is the ledger's folder. */
  constructor(folder: string, clock: Clock) {
    this.folder = join(folder, 'submitting');
    this.clock = clock;
  }

  /** Adds an entry for a submission by this process. Rejects if the entry cannot be written. */
  async start(key: string): Promise<void> {
    await createFolder(this.folder, 0o700);
    const lock = await FileLock.acquire(this.getPath(key), this.clock);
    if (lock) this.own.set(key, lock);
  }

  /**
   * Removes the entry for a submission that no longer awaits a response. Never rejects, because the transfer may
   * already have been sent.
   */
  async end(key: string): Promise<void> {
    const lock = this.own.get(key);
    this.own.delete(key);
    await lock?.release();
  }

  /** Returns true while this process is waiting for the response to a submission. */
  isOwn(key: string): boolean {
    return this.own.has(key);
  }

  /** Returns true while a window or a command is waiting for the response to a submission. */
  async isPending(key: string): Promise<boolean> {
    return this.own.has(key) || (await FileLock.getFreeAt(this.getPath(key))) > this.clock.now();
  }

  dispose(): void {
    for (const lock of this.own.values()) lock.dispose();
    this.own.clear();
  }

  private getPath(key: string): string {
    return join(this.folder, `${key}.lock`);
  }
}
