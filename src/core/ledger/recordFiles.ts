import { randomUUID } from 'node:crypto';
import { access, mkdir, open, opendir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transfer } from '../model/transfer.ts';
import type { JsonObject } from '../util/json.ts';
import type { Logger } from '../util/logger.ts';
import { keyOf, recordName } from './recordNames.ts';
import { readRecord } from './transferRecord.ts';

/** A folder of the ledger; `removed` holds what was forgotten, for as long as that can be undone. */
export type Shelf = 'running' | 'ended' | 'removed';

/** A record that was read; `record` is all that its file held. */
export interface FoundRecord {
  readonly shelf: Shelf;
  readonly transfer: Transfer;
  readonly record: JsonObject;
}

/** The files of the ledger: one a transfer, in a folder for each shelf. What cannot be read is set aside, never deleted. */
export class RecordFiles {
  readonly folder: string;
  private readonly log: Logger;
  /** Files of a later version, which are named in the log once. */
  private readonly later = new Set<string>();

  constructor(folder: string, log: Logger) {
    this.folder = folder;
    this.log = log;
  }

  /** Makes a folder of the ledger, where it is not there yet; resolves with its path. */
  async make(name: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** The keys of all records of a shelf. */
  async keys(shelf: Shelf): Promise<readonly string[]> {
    const names = await orMissing(readdir(join(this.folder, shelf)));
    return (names ?? []).flatMap((name) => keyOf(name) ?? []);
  }

  /** Whether a shelf has any record, told by the first. */
  async hasAny(shelf: Shelf): Promise<boolean> {
    const folder = await orMissing(opendir(join(this.folder, shelf)));
    if (!folder) return false;
    for await (const { name } of folder) if (keyOf(name) !== undefined) return true;
    return false;
  }

  async has(shelf: Shelf, key: string): Promise<boolean> {
    return (await orMissing(access(this.path(shelf, key)).then(() => true))) ?? false;
  }

  /**
   * The record of a transfer; undefined where there is none that can be read. `later` is one of a later version: it is
   * left as it is.
   */
  async read(shelf: Shelf, key: string): Promise<FoundRecord | 'later' | undefined> {
    const path = this.path(shelf, key);
    const text = await orMissing(readFile(path, 'utf8'));
    if (text === undefined) return undefined;
    const reading = readRecord(text);
    if (reading.kind === 'later') return this.leave(key, reading.version);
    if (reading.kind === 'transfer' && reading.transfer.key === key) return { ...reading, shelf };
    await this.setAside(path, recordName(key));
    return undefined;
  }

  /** The same for one of many: a failure is logged, and does not keep the others from being read. */
  async tryToRead(shelf: Shelf, key: string): Promise<FoundRecord | undefined> {
    try {
      const found = await this.read(shelf, key);
      return found === 'later' ? undefined : found;
    } catch (error) {
      this.log.error(`The record ${recordName(key)} of a transfer could not be read: ${String(error)}`);
      return undefined;
    }
  }

  /** The record of a transfer that counts: that of its end, when there is one. */
  async find(key: string): Promise<FoundRecord | 'later' | undefined> {
    return (await this.read('ended', key)) ?? (await this.read('running', key));
  }

  /** Tells one state of a transfer's files from another; undefined where there is none. */
  async identity(key: string): Promise<string | undefined> {
    for (const shelf of ['ended', 'running'] as const) {
      const found = await orMissing(stat(this.path(shelf, key)));
      if (found) return [shelf, found.ino, found.mtimeMs, found.size].join(' ');
    }
    return undefined;
  }

  /** Writes a record whole or not at all; it lasts also when the machine stops, if `isLasting`. Its folder has to be there. */
  async put(shelf: Shelf, key: string, text: string, isLasting: boolean): Promise<void> {
    const path = this.path(shelf, key);
    const beside = `${path}.${randomUUID()}.part`;
    try {
      await fill(beside, text, isLasting);
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }

  /** Moves a record to another shelf, whose folder has to be there; tells whether there was one. */
  async move(key: string, from: Shelf, to: Shelf): Promise<boolean> {
    return (await orMissing(rename(this.path(from, key), this.path(to, key)).then(() => true))) ?? false;
  }

  async delete(shelf: Shelf, key: string): Promise<void> {
    await rm(this.path(shelf, key), { force: true });
  }

  /** Notes when a record came to its shelf; milliseconds since 1970. */
  async stamp(shelf: Shelf, key: string, at: number): Promise<void> {
    await utimes(this.path(shelf, key), at / 1000, at / 1000);
  }

  /** Returns when a record came to its shelf, in milliseconds since 1970; undefined where it is not there. */
  async stampOf(shelf: Shelf, key: string): Promise<number | undefined> {
    return (await orMissing(stat(this.path(shelf, key))))?.mtimeMs;
  }

  /** Deletes the files of a folder that were written or stamped before `before`, if `isMeant`. */
  async purge(name: string, before: number, isMeant: (name: string) => boolean = () => true): Promise<void> {
    const folder = join(this.folder, name);
    for (const file of ((await orMissing(readdir(folder))) ?? []).filter(isMeant)) {
      const path = join(folder, file);
      const found = await orMissing(stat(path));
      if (found && found.mtimeMs < before) await rm(path, { force: true });
    }
  }

  private leave(key: string, version: number): 'later' {
    if (!this.later.has(key)) {
      this.log.warn(`The record ${recordName(key)} of a transfer was written by a later version (${String(version)})`);
    }
    this.later.add(key);
    return 'later';
  }

  private async setAside(path: string, name: string): Promise<void> {
    await rename(path, join(await this.make('aside'), `${String(Date.now())}-${name}`));
    this.log.warn(`The record of a transfer could not be read and was set aside: ${name}`);
  }

  private path(shelf: Shelf, key: string): string {
    return join(this.folder, shelf, recordName(key));
  }
}

async function fill(path: string, text: string, isLasting: boolean): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  if (isLasting) await file.sync();
}

/** Undefined where a file is not there. */
async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
