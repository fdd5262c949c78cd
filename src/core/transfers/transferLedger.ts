import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hasEnded, type StateChange, type Transfer, type TransferState } from '../model/transferModel.ts';
import { systemClock, type Clock } from '../util/clock.ts';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { writeFileAtomically } from '../util/durableFiles.ts';
import { runUnderLock } from '../util/fileLock.ts';
import { omit, parseJsonObject } from '../util/json.ts';
import type { Logger } from '../util/logger.ts';
import { isRemoteFolder } from '../util/fileSystem.ts';
import { RecordFiles, type ConnectionAlias } from './recordFiles.ts';
import { isDistinctTime, readModificationTime, type RecordFolder } from './recordFolders.ts';

const lockTimeoutMs = 2_000;

interface IndexContent {
  /** The modification time of the `ended` folder when the keys were stored, in milliseconds since 1970. */
  readonly changedAt: number;
  /**
   * The keys of the transfers whose records changed last, most recent first. The folder also contains other records.
   */
  readonly keys: readonly string[];
}

/** The ended transfers whose records changed last, most recent first. */
interface LastEnded {
  readonly keys: readonly string[];
  /** True if there are more ended transfers. */
  readonly hasMore: boolean;
}

/**
 * Caches the keys of the ended transfers whose records changed last (D48: ledger as files). These transfers can then be
 * listed without checking all records. The cache is valid only for one modification time of the folder. Any change that
 * does not update the cache therefore invalidates it.
 */
class LastEndedIndex {
  private readonly file: string;
  private readonly folder: string;
  private readonly clock: Clock;
  private isRemote: boolean | undefined;

  constructor(ledgerFolder: string, clock: Clock) {
    this.file = join(ledgerFolder, 'lastEnded.json');
    this.folder = join(ledgerFolder, 'ended');
    this.clock = clock;
  }

  /**
   * Returns the keys of the ended transfers whose records changed last, most recent first. Returns undefined if the
   * index is missing or outdated.
   */
  async read(): Promise<readonly string[] | undefined> {
    const [changedAt, text] = await Promise.all([this.readChangedAt(), readFile(this.file, 'utf8').catch(() => '')]);
    const content = parseJsonObject(text) ?? {};
    return isContent(content) && content.changedAt === changedAt ? content.keys : undefined;
  }

  /**
   * Returns the result of `scan`. If there are more ended transfers than the result contains, caches its keys, unless
   * the folder may have changed in the meantime.
   */
  async rebuild(scan: () => Promise<LastEnded>): Promise<LastEnded> {
    const changedAt = await this.readChangedAt();
    const found = await scan();
    const isCertain = isDistinctTime(changedAt, this.clock) && changedAt === (await this.readChangedAt());
    if (found.hasMore && isCertain) await this.write({ changedAt, keys: found.keys });
    return found;
  }

  /**
   * Runs `write`, which writes the record of an ended transfer, and then updates the index if it was valid before. Only
   * one window does so at a time. If another window takes too long, runs `write` without updating the index, which then
   * becomes outdated.
   */
  async update(key: string, write: () => Promise<void>): Promise<void> {
    let writing: Promise<void> | undefined;
    const writeOnce = (): Promise<void> => (writing ??= write());
    const act = async (): Promise<void> => {
      const before = await this.read();
      await writeOnce();
      if (before) await this.write({ changedAt: await this.readChangedAt(), keys: moveToFront(key, before) });
    };
    await runUnderLock(`${this.file}.lock`, this.clock, act, lockTimeoutMs).catch(writeOnce);
  }

  /** Writes the index. Never rejects, because the index is only a cache and can be rebuilt. */
  private async write(content: IndexContent): Promise<void> {
    await writeFileAtomically(this.file, JSON.stringify(content)).catch(() => undefined);
  }

  /**
   * Returns the folder's modification time. Returns NaN, which matches no index, if the time is unknown, or if another
   * machine may have changed the folder unnoticed (D30: network file systems).
   */
  private async readChangedAt(): Promise<number> {
    this.isRemote ??= isRemoteFolder(this.folder);
    const modifiedAt = this.isRemote ? undefined : await readModificationTime(this.folder);
    return modifiedAt ?? Number.NaN;
  }
}

function moveToFront(key: string, keys: readonly string[]): readonly string[] {
  return [key, ...keys.filter((other) => other !== key)].slice(0, keys.length);
}

function isContent(value: object): value is IndexContent {
  const { changedAt, keys } = value as Partial<Record<keyof IndexContent, unknown>>;
  return typeof changedAt === 'number' && Array.isArray(keys) && keys.every(isKey);
}

/** Returns true if a value can be the key of a transfer. Returns false for paths to other folders. */
function isKey(value: unknown): boolean {
  return typeof value === 'string' && basename(value) === value;
}

/**
 * Merges two windows' versions of a transfer. Discards a version whose ID belongs to another transfer (D35: misrouted
 * responses). Otherwise, never undoes the end of a transfer, never loses its ID, and keeps the final status from the
 * server or, if there is none, the more recent status. In a tie, `later` wins.
 */
export function mergeTransfers(earlier: Transfer, later: Transfer): Transfer {
  if (disowns(later, earlier)) return later;
  if (disowns(earlier, later)) return earlier;
  const [less, more] = outranks(earlier, later) ? [later, earlier] : [earlier, later];
  const { status, askedAt = 0 } = less;
  const sendingAt = Math.max(earlier.sendingAt ?? -1, later.sendingAt ?? -1);
  const cancelAcceptedAt = Math.min(earlier.cancelAcceptedAt ?? Infinity, later.cancelAcceptedAt ?? Infinity);
  const merged: Transfer = {
    // These are taken from one version and never completed from the other.
    ...omit(less, 'cancelUnheeded', 'problem', 'status', 'askedAt'),
    ...more,
    changes: mergeChanges(more, less),
    ...(sendingAt >= 0 && { sendingAt }),
    ...(cancelAcceptedAt < Infinity && { cancelAcceptedAt }),
  };
  if (isReportedEnd(more.state) || (more.askedAt ?? 0) >= askedAt) return merged;
  return { ...omit(merged, 'status'), ...(status && { status }), askedAt };
}

/**
 * Returns true if `one` states that the ID of `other` belongs to a different transfer (D35: misrouted responses). All
 * statuses received for that ID then belong to the different transfer, too. Returns false if `other.foreignIds` also
 * contains the ID, because a user has confirmed the ID in that case.
 */
function disowns(one: Transfer, { id, foreignIds = [] }: Transfer): boolean {
  const isForeign = id !== undefined && id !== one.id && one.foreignIds?.includes(id) === true;
  return isForeign && !foreignIds.includes(id);
}

/** Returns true if two records differ at most in the time of the last poll. Ignores `order`, which never changes. */
export function isSameExceptPolledAt(one: Transfer, other: Transfer): boolean {
  return isDeepStrictEqual(omit(one, 'askedAt', 'order'), omit(other, 'askedAt', 'order'));
}

/** Returns true if `one` takes precedence over `other`; false if it does not, or if all ranks are equal. */
function outranks(one: Transfer, other: Transfer): boolean {
  const others = rank(other);
  for (const [index, value] of rank(one).entries()) {
    const difference = value - (others[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Returns the ranks of a transfer's version, most important first. */
function rank({ state, askedAt = 0, changes, createdAt }: Transfer): readonly number[] {
  const isEnd = hasEnded(state);
  const changedAt = getChangedAt(changes, createdAt);
  // Reported by the server, no longer known to the server, refused, not ended.
  const endRank = isReportedEnd(state) ? 3 : Number(isEnd) + Number(state === 'expired');
  // A transfer doesn't change once it has ended, so the earlier end is the right one.
  const endedRank = isEnd ? -changedAt : 0;
  // A known outcome of a submission is better than an unknown one (D12: never resubmit).
  const certainty = state === 'submitting' || state === 'notConfirmed' ? 0 : 1;
  return [endRank, endedRank, certainty, askedAt, changedAt];
}

function isReportedEnd(state: TransferState): boolean {
  return hasEnded(state) && state !== 'expired' && state !== 'refused';
}

function getChangedAt(changes: readonly StateChange[], createdAt: number): number {
  return Math.max(createdAt, ...changes.map(({ at }) => at));
}

/** The sort order of state changes with the same timestamp. */
const stateOrder: readonly TransferState[] = [
  ...(['submitting', 'notConfirmed', 'refused', 'accepted', 'staging', 'active', 'finalizing', 'inactive'] as const),
  ...(['unknown', 'running', 'expired', 'cancelled', 'failed', 'succeeded'] as const),
];

/**
 * Merges the changes from both versions by time, up to the end of the transfer. The last change leads to the merged
 * state.
 */
function mergeChanges(more: Transfer, less: Transfer): readonly StateChange[] {
  const { state, askedAt = 0 } = more;
  const known = new Map<string, StateChange>();
  for (const change of [...less.changes, ...more.changes]) known.set(`${String(change.at)} ${change.state}`, change);
  const place = (one: StateChange): number => (one.state === state ? stateOrder.length : stateOrder.indexOf(one.state));
  const inOrder = [...known.values()].sort((a, b) => a.at - b.at || place(a) - place(b));
  if (hasEnded(state)) return inOrder.filter(({ at }) => at <= getChangedAt(more.changes, more.createdAt));
  const last = inOrder.at(-1);
  return last?.state === state ? inOrder : [...inOrder, { state, at: Math.max(askedAt, last?.at ?? 0) }];
}

/** The result of comparing a record with the version that this window last read or wrote. */
type RecordChange =
  | { readonly kind: 'same' | 'removed' | 'missing' | 'unreadable' }
  | { readonly kind: 'there'; readonly transfer: Transfer };

/** A record from another ledger. */
interface ImportedRecord {
  readonly folder: RecordFolder;
  readonly key: string;
  readonly text: string;
  /** Modification time, in milliseconds since 1970. */
  readonly at: number;
}

const maxParallelFiles = 32;
const dayMs = 86_400_000;

/**
 * Stores each transfer in its own file, with separate folders for running and ended transfers. Multiple windows can
 * write at the same time, because each write locks the transfer and merges it with the file. Contains no API keys, and
 * refers to connections by the extension's own IDs (D29: shared service). Moves damaged records aside instead of
 * deleting them.
 */
export class TransferLedger {
  private readonly clock: Clock;
  private readonly files: RecordFiles;
  private readonly lastEnded: LastEndedIndex;
  private readonly writing = new Map<string, Promise<unknown>>();
  /** The identity of each file when this window last read or wrote it, by transfer key. */
  private readonly seen = new Map<string, string | undefined>();

  constructor(folder: string, log: Logger, clock: Clock = systemClock, alias?: ConnectionAlias) {
    this.clock = clock;
    this.files = new RecordFiles(folder, log, alias);
    this.lastEnded = new LastEndedIndex(folder, clock);
  }

  /**
   * Writes a transfer. Resolves to the merged record, which includes changes made by other windows. Rejects if the
   * record cannot be written. Writes of the same transfer run in order. If only the time of the last poll changed, the
   * change may be lost in a system crash. Writes nothing if the transfer was removed in the meantime, or if a later
   * version wrote its record.
   */
  write(transfer: Transfer): Promise<Transfer> {
    return this.runInTurn(transfer.key, () => this.put(transfer));
  }

  /**
   * Changes the record of a transfer, unless `change` returns undefined. No other window writes the record in between.
   * Resolves to the stored transfer; undefined if it has no record, was removed, or if a later version wrote it.
   */
  async update(
    key: string,
    change: (stored: Transfer) => Transfer | undefined,
  ): Promise<{ readonly transfer: Transfer; readonly hasChanged: boolean } | undefined> {
    return await this.runInTurn(key, async () => {
      const found = await this.files.find(key);
      if (!found || found === 'later') return undefined;
      const changed = change(found.transfer);
      return { transfer: changed ? await this.put(changed) : found.transfer, hasChanged: changed !== undefined };
    });
  }

  /**
   * Adds a record from another ledger. Preserves its modification time, which determines which transfers ended last and
   * for how long a removed transfer can be restored. Resolves to false, and changes nothing, if this ledger already has
   * the transfer.
   */
  async add({ folder, key, text, at }: ImportedRecord): Promise<boolean> {
    await this.files.createFolder(folder);
    return await this.runInTurn(key, async () => {
      if (await this.files.isKnown(key)) return false;
      await this.files.add(folder, key, text, at);
      return true;
    });
  }

  /** Removes transfers. They can be restored for a day. */
  async remove(keys: readonly string[]): Promise<void> {
    await this.files.createFolder('removed');
    await mapConcurrently(keys, maxParallelFiles, (key) => this.runInTurn(key, () => this.removeRecord(key)));
  }

  /** Restores removed transfers. Resolves to the given transfers that the ledger then has, also if they had no need. */
  async restore(keys: readonly string[]): Promise<readonly Transfer[]> {
    await Promise.all([this.files.createFolder('running'), this.files.createFolder('ended')]);
    const restored = await mapConcurrently(keys, maxParallelFiles, (key) =>
      this.runInTurn(key, () => this.restoreRecord(key)),
    );
    return restored.filter((transfer) => transfer !== undefined);
  }

  /** Returns the removed transfers that can still be restored, most recently removed first. */
  async loadRemoved(): Promise<readonly Transfer[]> {
    const found = await mapConcurrently(await this.readAll('removed'), maxParallelFiles, async (transfer) => {
      const removedAt = await this.files.readStamp('removed', transfer.key).catch(() => undefined);
      return removedAt === undefined ? [] : [{ transfer, removedAt }];
    });
    const latest = found.flat().sort((one, other) => other.removedAt - one.removedAt);
    return latest.map(({ transfer }) => transfer);
  }

  async loadRunning(): Promise<readonly Transfer[]> {
    const keys = await this.files.listKeys('running');
    const transfers = await mapConcurrently(keys, maxParallelFiles, (key) =>
      this.loadOneRunning(key).catch((error: unknown) => this.files.reportUnreadable(key, error)),
    );
    return transfers.filter((transfer) => transfer !== undefined);
  }

  async loadEnded(): Promise<readonly Transfer[]> {
    return await this.readAll('ended');
  }

  /**
   * Returns up to `count` ended transfers whose records changed most recently, without reading other records. `hasMore`
   * is true if there are more ended transfers.
   */
  async loadLastEnded(count: number): Promise<{ readonly transfers: readonly Transfer[]; readonly hasMore: boolean }> {
    const indexed = (await this.lastEnded.read())?.slice(0, count) ?? [];
    const transfers = indexed.length === count ? await this.readEach('ended', indexed) : [];
    if (transfers.length === count) return { transfers, hasMore: true };
    const { keys, hasMore } = await this.lastEnded.rebuild(() => this.scanEnded(count));
    return { transfers: await this.readEach('ended', keys), hasMore };
  }

  /** Returns true if `id` is the ID of a running or removed transfer whose key is not `key`. */
  async hasRunningOrRemoved(id: string, key: string): Promise<boolean> {
    const transfers = [...(await this.readAll('running')), ...(await this.readAll('removed'))];
    return transfers.some((transfer) => transfer.id === id && transfer.key !== key);
  }

  /** Returns true if any transfer has ended. Does not read any records. */
  hasEnded(): Promise<boolean> {
    return this.files.hasAny('ended');
  }

  /** Determines how a transfer's record has changed since this window last read or wrote it. */
  async checkRecord(key: string): Promise<RecordChange> {
    await this.writing.get(key)?.catch(() => undefined);
    const identity = await this.files.getIdentity(key);
    if (identity !== undefined && identity === this.seen.get(key)) return { kind: 'same' };
    const found = await this.files.find(key);
    if (found === 'later') return { kind: 'unreadable' };
    if (!found) return { kind: (await this.isRemoved(key)) ? 'removed' : 'missing' };
    this.seen.set(key, identity);
    return { kind: 'there', transfer: found.transfer };
  }

  keys(folder: 'running' | 'ended'): Promise<readonly string[]> {
    return this.files.listKeys(folder);
  }

  /** Deletes records that were removed more than a day ago, and files left behind by crashed processes. */
  async purge(): Promise<void> {
    const before = this.clock.now() - dayMs;
    for (const name of ['removed', 'locks', 'submitting', 'asking', 'servers']) await this.files.purge(name, before);
    for (const name of ['running', 'ended']) {
      await this.files.purge(name, before, (file) => file.endsWith('.part'));
    }
    for (const key of await this.files.listKeys('running')) {
      if ((await this.files.readStamp('ended', key)) !== undefined)
        await this.runInTurn(key, () => this.deleteEndedRunning(key));
    }
  }

  /**
   * Deletes a transfer's record in `running` if `ended` still contains a record of the transfer (D35: misrouted
   * responses).
   */
  private async deleteEndedRunning(key: string): Promise<void> {
    if ((await this.files.readStamp('ended', key)) !== undefined) await this.files.delete('running', key);
  }

  private async loadOneRunning(key: string): Promise<Transfer | undefined> {
    const identity = await this.files.getIdentity(key);
    // If a window is killed while moving a record to `ended`, both files remain; the one in `ended` is valid.
    if (identity?.startsWith('ended')) return undefined;
    const found = await this.files.tryToRead('running', key);
    if (found) this.seen.set(key, identity);
    return found?.transfer;
  }

  private async readAll(folder: RecordFolder): Promise<readonly Transfer[]> {
    return await this.readEach(folder, await this.files.listKeys(folder));
  }

  /** Finds the ended transfers whose records changed most recently, based on the modification times of all records. */
  private async scanEnded(count: number): Promise<LastEnded> {
    const keys = await this.files.listKeys('ended');
    const stamped = await mapConcurrently(keys, maxParallelFiles, async (key) => {
      return { key, at: (await this.files.readStamp('ended', key).catch(() => undefined)) ?? 0 };
    });
    const last = stamped.sort((one, other) => other.at - one.at).slice(0, count);
    return { keys: last.map(({ key }) => key), hasMore: keys.length > last.length };
  }

  private async readEach(folder: RecordFolder, keys: readonly string[]): Promise<readonly Transfer[]> {
    const found = await mapConcurrently(keys, maxParallelFiles, (key) => this.files.tryToRead(folder, key));
    return found.flatMap((record) => record?.transfer ?? []);
  }

  private async runInTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.writing.get(key) ?? Promise.resolve();
    const locked = async (): Promise<T> => {
      const lock = join(await this.files.createFolder('locks'), `${key}.lock`);
      return await runUnderLock(lock, this.clock, act);
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
    const found = await this.files.find(key);
    if (found === 'later' || (!found && (await this.isRemoved(key)))) return transfer;
    const merged = found ? mergeTransfers(found.transfer, transfer) : transfer;
    const folder: RecordFolder = hasEnded(merged.state) ? 'ended' : 'running';
    const isSame = found?.folder === folder && isSameExceptPolledAt(found.transfer, merged);
    if (!isSame || found.transfer.askedAt !== merged.askedAt) {
      await this.files.createFolder(folder);
      const write = (): Promise<void> => this.files.writeTransfer(folder, merged, !isSame, found?.record);
      await (folder === 'ended' ? this.lastEnded.update(key, write) : write());
    }
    if (folder === 'ended') await this.files.delete('running', key);
    // The final status belonged to another transfer (D35: misrouted responses).
    else if (found?.folder === 'ended') await this.files.delete('ended', key);
    this.seen.set(key, await this.files.getIdentity(key));
    return merged;
  }

  private async isRemoved(key: string): Promise<boolean> {
    return (await this.files.readStamp('removed', key)) !== undefined;
  }

  private async removeRecord(key: string): Promise<void> {
    const hadEnded = await this.files.move(key, 'ended', 'removed');
    if (hadEnded) await this.files.delete('running', key);
    const isFound = hadEnded || (await this.files.move(key, 'running', 'removed'));
    if (isFound) await this.files.stamp('removed', key, this.clock.now());
    this.seen.delete(key);
  }

  private async findStored(key: string): Promise<Transfer | undefined> {
    const found = await this.files.find(key);
    return found === 'later' ? undefined : found?.transfer;
  }

  private async restoreRecord(key: string): Promise<Transfer | undefined> {
    const found = await this.files.read('removed', key);
    if (found === 'later') return undefined;
    // Another window may have restored it.
    if (found === undefined) return await this.findStored(key);
    await this.files.move(key, 'removed', hasEnded(found.transfer.state) ? 'ended' : 'running');
    this.seen.set(key, await this.files.getIdentity(key));
    return found.transfer;
  }
}
