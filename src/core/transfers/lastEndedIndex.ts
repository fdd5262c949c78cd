import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { runUnderLock } from '../util/fileLock.ts';
import { parseJsonObject } from '../util/json.ts';
import { isRemoteFolder } from '../util/remoteFolder.ts';
import { writeFileAtomically } from '../util/durableFiles.ts';
import { isDistinctTime, readModificationTime } from './recordFolders.ts';

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
export interface LastEnded {
  readonly keys: readonly string[];
  /** True if there are more ended transfers. */
  readonly hasMore: boolean;
}

/**
 * Caches the keys of the ended transfers whose records changed last (D48: ledger as files). These transfers can then be
 * listed without checking all records. The cache is valid only for one modification time of the folder. Any change that
 * does not update the cache therefore invalidates it.
 */
export class LastEndedIndex {
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

/** Returns a list of the same length with `key` at the front. */
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
