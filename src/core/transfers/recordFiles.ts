import * as fs from 'node:fs';
import { opendir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getMachine } from '../model/connection.ts';
import type { Transfer, TransferState } from '../model/transferModel.ts';
import { createFolder } from '../util/createFolder.ts';
import { writeFileAtomically } from '../util/durableFiles.ts';
import { getErrorCode } from '../util/errorFacts.ts';
import { isJsonObject, parseJsonObject, type JsonObject } from '../util/json.ts';
import type { Logger } from '../util/logger.ts';
import { parseRecordKey, recordFolders, toRecordName, type RecordFolder } from './recordFolders.ts';

type RecordReadResult =
  | { readonly kind: 'transfer'; readonly transfer: Transfer; readonly record: JsonObject }
  /** Written by a later version of the extension. */
  | { readonly kind: 'later'; readonly version: number }
  /** Incomplete, or not a transfer record. */
  | { readonly kind: 'unreadable' };

const recordVersion = 1;

/** Formats a transfer as a record. Preserves unknown fields of the record that it replaces. */
export function formatRecord(transfer: Transfer, replaced?: JsonObject): string {
  return `${JSON.stringify({ ...replaced, version: recordVersion, transfer }, undefined, 1)}\n`;
}

/** Parses a record. Returns the kind `later` for a record written by a later version. Never throws. */
export function parseRecord(text: string): RecordReadResult {
  const record = parseJsonObject(text);
  const version = record?.['version'];
  if (!record || !Number.isSafeInteger(version)) return { kind: 'unreadable' };
  if (Number(version) > recordVersion) return { kind: 'later', version: Number(version) };
  const { transfer } = record;
  const isReadable = version === recordVersion && isJsonObject(transfer) && isTransfer(transfer);
  return isReadable ? { kind: 'transfer', transfer: correctRefusal(transfer), record } : { kind: 'unreadable' };
}

/**
 * Returns a transfer as not confirmed if version 0.2 recorded it as refused because of an argument. That version
 * mistook its own errors for invalid arguments, also those after sending (D12: never resubmit).
 */
function correctRefusal(transfer: Transfer): Transfer {
  const { state, problem, sendingAt, replacedBy, changes } = transfer;
  const isKnown = sendingAt !== undefined || replacedBy !== undefined;
  if (isKnown || state !== 'refused' || problem?.kind !== 'badArgument') return transfer;
  const correct = (from: TransferState): TransferState => (from === 'refused' ? 'notConfirmed' : from);
  return { ...transfer, state: 'notConfirmed', changes: changes.map((one) => ({ ...one, state: correct(one.state) })) };
}

function isTransfer(value: JsonObject): value is JsonObject & Transfer {
  const { key, createdAt, state, changes, order } = value;
  if (!Array.isArray(changes) || !isJsonObject(order)) return false;
  const times = [createdAt, ...changes.map((change: unknown) => (isJsonObject(change) ? change['at'] : undefined))];
  const { connectionId, orcid, source, destination, files } = order;
  return (
    [key, state, connectionId, orcid, source, destination].every((field) => typeof field === 'string') &&
    // A `Date` must be able to represent them.
    times.every((time) => typeof time === 'number' && !Number.isNaN(new Date(time).getTime())) &&
    Array.isArray(files)
  );
}

/**
 * Reads many small files faster than `readFile` from `node:fs/promises`, which creates a `FileHandle` for each file.
 */
const readFile = promisify(fs.readFile);

/** A transfer read from a record file; `record` is the file's entire content. */
interface FoundRecord {
  readonly folder: RecordFolder;
  readonly transfer: Transfer;
  readonly record: JsonObject;
}

/** Reads and writes the files in the ledger. Moves damaged records aside instead of deleting them. */
export class RecordFiles {
  readonly folder: string;
  private readonly log: Logger;
  private readonly alias: ConnectionAlias;
  /** The keys of records that a later version wrote and about which a warning has already been logged. */
  private readonly later = new Set<string>();

  constructor(folder: string, log: Logger, alias: ConnectionAlias = noAlias) {
    this.folder = folder;
    this.log = log;
    this.alias = alias;
  }

  /** Creates a folder in the ledger if it does not exist. Resolves to its path. */
  async createFolder(name: string): Promise<string> {
    const path = join(this.folder, name);
    await createFolder(path, 0o700);
    return path;
  }

  async listKeys(folder: RecordFolder): Promise<readonly string[]> {
    const names = await ignoreMissing(readdir(join(this.folder, folder)));
    return (names ?? []).flatMap((name) => parseRecordKey(name) ?? []);
  }

  /** Returns true if a folder contains at least one record, without listing all of them. */
  async hasAny(folder: RecordFolder): Promise<boolean> {
    const directory = await ignoreMissing(opendir(join(this.folder, folder), { bufferSize: 1 }));
    if (!directory) return false;
    for await (const { name } of directory) if (parseRecordKey(name) !== undefined) return true;
    return false;
  }

  /** Returns true if any folder has a record of the transfer. */
  async isKnown(key: string): Promise<boolean> {
    const stamps = await Promise.all(recordFolders.map((folder) => this.readStamp(folder, key)));
    return stamps.some((stamp) => stamp !== undefined);
  }

  /**
   * Reads a record. Resolves to `later`, and leaves the file untouched, if a later version wrote the record. Resolves
   * to undefined if the record is missing or damaged, and moves a damaged file aside.
   */
  async read(folder: RecordFolder, key: string): Promise<FoundRecord | 'later' | undefined> {
    const path = this.path(folder, key);
    const text = await ignoreMissing(readFile(path, 'utf8'));
    if (text === undefined) return undefined;
    const result = parseRecord(text);
    if (result.kind === 'later') return this.skipLater(key, result.version);
    if (result.kind === 'transfer' && result.transfer.key === key) {
      const { id, storedId } = this.alias;
      return { ...result, transfer: replaceConnection(result.transfer, storedId, id), folder };
    }
    await this.setAside(path, toRecordName(key));
    return undefined;
  }

  /**
   * Reads one of many records. Resolves to undefined if reading fails, or if the record is missing, damaged or written
   * by a later version.
   */
  async tryToRead(folder: RecordFolder, key: string): Promise<FoundRecord | undefined> {
    try {
      const found = await this.read(folder, key);
      return found === 'later' ? undefined : found;
    } catch (error) {
      this.reportUnreadable(key, error);
      return undefined;
    }
  }

  /** Logs why one of many records can't be read. The other records can still be read. */
  reportUnreadable(key: string, error: unknown): undefined {
    this.log.error(`The record ${toRecordName(key)} of a transfer could not be read: ${String(error)}`);
  }

  /** Returns a transfer's authoritative record: the one in `ended` or, if there is none, the one in `running`. */
  async find(key: string): Promise<FoundRecord | 'later' | undefined> {
    return (await this.read('ended', key)) ?? (await this.read('running', key));
  }

  /**
   * Returns a string that changes whenever a transfer's file in `ended` or `running` changes; undefined if there is no
   * file.
   */
  async getIdentity(key: string): Promise<string | undefined> {
    for (const folder of ['ended', 'running'] as const) {
      const stats = await ignoreMissing(stat(this.path(folder, key)));
      if (stats) return [folder, stats.ino, stats.mtimeMs, stats.size].join(' ');
    }
    return undefined;
  }

  /** Adds the text of a record to an existing folder, with the time at which the record was last modified. */
  async add(folder: RecordFolder, key: string, text: string, at: number): Promise<void> {
    await writeFileAtomically(this.path(folder, key), text, true);
    await this.stamp(folder, key, at);
  }

  /**
   * Writes a transfer to an existing folder, with the ID that its connection has in the ledger. With `isDurable`, the
   * record survives a system crash.
   */
  async writeTransfer(
    folder: RecordFolder,
    transfer: Transfer,
    isDurable: boolean,
    replaced?: JsonObject,
  ): Promise<void> {
    const stored = replaceConnection(transfer, this.alias.id, this.alias.storedId);
    await writeFileAtomically(this.path(folder, transfer.key), formatRecord(stored, replaced), isDurable);
  }

  /** Moves a record to another folder, which must exist. Returns false if there was no record. */
  async move(key: string, from: RecordFolder, to: RecordFolder): Promise<boolean> {
    return (await ignoreMissing(rename(this.path(from, key), this.path(to, key)).then(() => true))) ?? false;
  }

  async delete(folder: RecordFolder, key: string): Promise<void> {
    await rm(this.path(folder, key), { force: true });
  }

  async stamp(folder: RecordFolder, key: string, at: number): Promise<void> {
    await utimes(this.path(folder, key), at / 1000, at / 1000);
  }

  /** Returns a record's modification time, in milliseconds since 1970; undefined if the record does not exist. */
  async readStamp(folder: RecordFolder, key: string): Promise<number | undefined> {
    return (await ignoreMissing(stat(this.path(folder, key))))?.mtimeMs;
  }

  /** Deletes a folder's matching files that were last modified before `before`, in milliseconds since 1970. */
  async purge(name: string, before: number, matches: (name: string) => boolean = () => true): Promise<void> {
    const path = join(this.folder, name);
    for (const file of ((await ignoreMissing(readdir(path))) ?? []).filter(matches)) {
      const filePath = join(path, file);
      const stats = await stat(filePath).catch(() => undefined);
      if (stats && stats.mtimeMs < before) await rm(filePath, { force: true });
    }
  }

  private skipLater(key: string, version: number): 'later' {
    if (!this.later.has(key)) {
      this.log.warn(
        `The record ${toRecordName(key)} of a transfer has a newer format (${String(version)}) and can't be read`,
      );
    }
    this.later.add(key);
    return 'later';
  }

  private async setAside(path: string, name: string): Promise<void> {
    const aside = join(await this.createFolder('aside'), `${String(Date.now())}-${name}`);
    // Another window may have moved it already.
    if ((await ignoreMissing(rename(path, aside).then(() => true))) !== true) return;
    this.log.warn(`The record of a transfer could not be read and was moved aside: ${name}`);
  }

  private path(folder: RecordFolder, key: string): string {
    return join(this.folder, folder, toRecordName(key));
  }
}

async function ignoreMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The ID of the connection to the local service: `id` in a window, `storedId` in the ledger. The windows of all editors
 * use the same `id`, but each editor has its own local service (D63: shared ledger folder).
 */
export interface ConnectionAlias {
  readonly id: string;
  readonly storedId: string;
}

const noAlias: ConnectionAlias = { id: '', storedId: '' };

/** Converts the ID of a connection in this window to its ID in the ledger. */
export function toStoredId(alias: ConnectionAlias | undefined, id: string): string {
  return alias?.id === id ? alias.storedId : id;
}

/**
 * Returns the ledger's ID for a connection that an editor recorded in its own storage. The editor's storage can be in a
 * home folder that multiple machines share (D30: network file systems), and can then contain records of each machine's
 * local service.
 */
export function toImportedId(alias: ConnectionAlias | undefined, id: string): string {
  const isLocal = alias !== undefined && getMachine(id) !== undefined && !id.includes(':');
  return isLocal ? id + alias.storedId.slice(alias.id.length) : id;
}

/** Returns a transfer with the ID of its connection replaced if it is `from`. */
export function replaceConnection(transfer: Transfer, from: string, to: string): Transfer {
  if (from === to || transfer.order.connectionId !== from) return transfer;
  return { ...transfer, order: { ...transfer.order, connectionId: to } };
}
