import { join } from 'node:path';
import { hasEnded, type Transfer } from '../model/transfer.ts';
import { systemClock, type Clock } from '../util/clock.ts';
import { underLock } from '../util/fileLock.ts';
import type { Logger } from '../util/logger.ts';
import { together } from '../util/together.ts';
import { RecordFiles, type Shelf } from './recordFiles.ts';
import { mergeTransfers, sameButAsked } from './transferMerge.ts';
import { writeRecord } from './transferRecord.ts';

/** What became of the record of a transfer since this window looked at it last. */
export type RecordChange =
  | { readonly kind: 'same' | 'removed' | 'missing' | 'unreadable' }
  | { readonly kind: 'there'; readonly transfer: Transfer };

const filesAtOnce = 32;
const dayMs = 86_400_000;

/**
 * Keeps every transfer that was ever submitted, one file each, running and ended ones in folders of their own. Several
 * windows write to it at once: each write takes the lock of that transfer and is merged with what is there.
 * It holds no key, and names a connection by its own id (D29). A file that cannot be read is set aside, never deleted.
 */
export class TransferLedger {
  private readonly clock: Clock;
  private readonly files: RecordFiles;
  private readonly writing = new Map<string, Promise<unknown>>();
  /** What the files were like when this window read or wrote them last. */
  private readonly seen = new Map<string, string | undefined>();

  constructor(folder: string, log: Logger, clock: Clock = systemClock) {
    this.clock = clock;
    this.files = new RecordFiles(folder, log);
  }

  /**
   * Resolves when the transfer is on disk, with what is known of it now, other windows included; rejects when it could
   * not be written. Writes of one transfer keep their order. What tells only when it was last asked for may be lost when
   * the machine stops. One that was removed meanwhile stays removed.
   */
  write(transfer: Transfer): Promise<Transfer> {
    return this.inTurn(transfer.key, () => this.put(transfer));
  }

  /** Forgets transfers; for a day they can be restored. */
  async remove(keys: readonly string[]): Promise<void> {
    await this.files.make('removed');
    await together(keys, filesAtOnce, (key) => this.inTurn(key, () => this.takeAway(key)));
  }

  /** Brings back those that were removed; resolves with those that were still there. */
  async restore(keys: readonly string[]): Promise<readonly Transfer[]> {
    await Promise.all([this.files.make('running'), this.files.make('ended')]);
    const restored = await together(keys, filesAtOnce, (key) => this.inTurn(key, () => this.bringBack(key)));
    return restored.filter((transfer) => transfer !== undefined);
  }

  /** Returns all that were removed within a day, the last removed first. */
  async loadRemoved(): Promise<readonly Transfer[]> {
    const keys = await this.files.keys('removed');
    const found = await together(keys, filesAtOnce, async (key) => {
      const [record, removedAt] = [
        await this.files.tryToRead('removed', key),
        await this.files.stampOf('removed', key),
      ];
      return record && removedAt !== undefined ? { transfer: record.transfer, removedAt } : undefined;
    });
    return found
      .filter((one) => one !== undefined)
      .sort((one, other) => other.removedAt - one.removedAt)
      .map(({ transfer }) => transfer);
  }

  /** All that have not ended. */
  async loadRunning(): Promise<readonly Transfer[]> {
    const transfers = await together(await this.files.keys('running'), filesAtOnce, async (key) => {
      const identity = await this.files.identity(key);
      // A window that was ended between two steps leaves both; the end counts.
      if (identity?.startsWith('ended')) return undefined;
      const found = await this.files.tryToRead('running', key);
      if (found) this.seen.set(key, identity);
      return found?.transfer;
    });
    return transfers.filter((transfer) => transfer !== undefined);
  }

  /** All that have ended. */
  async loadEnded(): Promise<readonly Transfer[]> {
    const keys = await this.files.keys('ended');
    const found = await together(keys, filesAtOnce, (key) => this.files.tryToRead('ended', key));
    return found.flatMap((record) => record?.transfer ?? []);
  }

  /** Returns true if a running transfer of any window, but for the one with `key`, has this id of a server. */
  async hasRunning(id: string, key: string): Promise<boolean> {
    const others = (await this.files.keys('running')).filter((other) => other !== key);
    const found = await together(others, filesAtOnce, (other) => this.files.tryToRead('running', other));
    return found.some((record) => record?.transfer.id === id);
  }

  /** Whether any transfer has ended, without reading one. */
  hasEnded(): Promise<boolean> {
    return this.files.hasAny('ended');
  }

  /** What another window has done to a transfer since this one read or wrote it last. */
  async look(key: string): Promise<RecordChange> {
    await this.writing.get(key)?.catch(() => undefined);
    const identity = await this.files.identity(key);
    if (identity !== undefined && identity === this.seen.get(key)) return { kind: 'same' };
    const found = await this.files.find(key);
    if (found === 'later') return { kind: 'unreadable' };
    if (!found) return { kind: (await this.files.has('removed', key)) ? 'removed' : 'missing' };
    this.seen.set(key, identity);
    return { kind: 'there', transfer: found.transfer };
  }

  /** The keys of all records in one of its folders. */
  keys(shelf: 'running' | 'ended'): Promise<readonly string[]> {
    return this.files.keys(shelf);
  }

  /** Deletes what was removed more than a day ago, and what windows left then that did not end in order. */
  async purge(): Promise<void> {
    const before = this.clock.now() - dayMs;
    for (const name of ['removed', 'locks', 'submitting', 'asking', 'servers']) await this.files.purge(name, before);
    for (const name of ['running', 'ended']) {
      await this.files.purge(name, before, (file) => file.endsWith('.part'));
    }
    for (const key of await this.files.keys('running')) {
      if (await this.files.has('ended', key)) await this.inTurn(key, () => this.files.delete('running', key));
    }
  }

  private async inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.writing.get(key) ?? Promise.resolve();
    const locked = async (): Promise<T> => {
      const lock = join(await this.files.make('locks'), `${key}.lock`);
      return await underLock(lock, this.clock, act);
    };
    const turn = before.then(locked, locked);
    this.writing.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.writing.get(key) === turn) this.writing.delete(key);
    }
  }

  private async put(transfer: Transfer): Promise<Transfer> {
    const { key } = transfer;
    const [isRemoved, found] = [await this.files.has('removed', key), await this.files.find(key)];
    if (found === 'later' || (isRemoved && !found)) return transfer;
    const merged = found ? mergeTransfers(found.transfer, transfer) : transfer;
    const shelf: Shelf = hasEnded(merged.state) ? 'ended' : 'running';
    const isSame = found?.shelf === shelf && sameButAsked(found.transfer, merged);
    if (!isSame || found.transfer.askedAt !== merged.askedAt) {
      await this.files.make(shelf);
      await this.files.put(shelf, key, writeRecord(merged, found?.record), !isSame);
    }
    if (shelf === 'ended') await this.files.delete('running', key);
    this.seen.set(key, await this.files.identity(key));
    return merged;
  }

  private async takeAway(key: string): Promise<void> {
    const hadEnded = await this.files.move(key, 'ended', 'removed');
    if (hadEnded) await this.files.delete('running', key);
    const isThere = hadEnded || (await this.files.move(key, 'running', 'removed'));
    if (isThere) await this.files.stamp('removed', key, this.clock.now());
    this.seen.delete(key);
  }

  private async bringBack(key: string): Promise<Transfer | undefined> {
    const found = await this.files.read('removed', key);
    if (found === undefined || found === 'later') return undefined;
    await this.files.move(key, 'removed', hasEnded(found.transfer.state) ? 'ended' : 'running');
    this.seen.set(key, await this.files.identity(key));
    return found.transfer;
  }
}
