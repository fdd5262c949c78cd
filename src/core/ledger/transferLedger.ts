import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasEnded, type Transfer } from '../model/transfer.ts';
import type { Logger } from '../util/logger.ts';
import { readRecord, writeRecord } from './transferRecord.ts';

type Shelf = 'running' | 'ended';

/**
 * Keeps every transfer that was ever submitted, one file each, running and ended ones in folders of their own.
 * It holds no key, and names a connection by its own id (D29). A file that cannot be read is set aside, never deleted.
 */
export class TransferLedger {
  private readonly folder: string;
  private readonly log: Logger;
  private readonly writing = new Map<string, Promise<void>>();

  constructor(folder: string, log: Logger) {
    this.folder = folder;
    this.log = log;
  }

  /** Resolves when the transfer is on disk; rejects when it could not be written. Writes of one transfer keep their order. */
  write(transfer: Transfer): Promise<void> {
    return this.inTurn(transfer.key, () => this.put(transfer));
  }

  /** Forgets transfers for good. */
  async remove(keys: readonly string[]): Promise<void> {
    const forget = async (key: string): Promise<void> => {
      await rm(this.path('running', key), { force: true });
      await rm(this.path('ended', key), { force: true });
    };
    await Promise.all(keys.map((key) => this.inTurn(key, () => forget(key))));
  }

  loadRunning(): Promise<readonly Transfer[]> {
    return this.load('running');
  }

  loadEnded(): Promise<readonly Transfer[]> {
    return this.load('ended');
  }

  /** Whether any transfer has ended, without reading one. */
  async hasEnded(): Promise<boolean> {
    return (await this.names(join(this.folder, 'ended'))).length > 0;
  }

  private inTurn(key: string, act: () => Promise<void>): Promise<void> {
    const before = this.writing.get(key) ?? Promise.resolve();
    const turn = before.then(act, act);
    this.writing.set(key, turn);
    const forget = (): void => {
      if (this.writing.get(key) === turn) this.writing.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  }

  private async put(transfer: Transfer): Promise<void> {
    const shelf: Shelf = hasEnded(transfer.state) ? 'ended' : 'running';
    await mkdir(join(this.folder, shelf), { recursive: true, mode: 0o700 });
    const beside = join(this.folder, shelf, `${transfer.key}.${randomUUID()}.part`);
    try {
      const file = await open(beside, 'wx', 0o600);
      try {
        await file.writeFile(writeRecord(transfer));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, this.path(shelf, transfer.key));
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    if (shelf === 'ended') await rm(this.path('running', transfer.key), { force: true });
  }

  private async load(shelf: Shelf): Promise<readonly Transfer[]> {
    const names = await this.names(join(this.folder, shelf));
    const transfers = await Promise.all(names.map((name) => this.read(shelf, name)));
    return transfers.filter((transfer) => transfer !== undefined);
  }

  private async names(folder: string): Promise<readonly string[]> {
    try {
      return (await readdir(folder)).filter((name) => name.endsWith('.json'));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** A file that went away meanwhile is nothing; one that cannot be read does not keep the others from being read. */
  private async read(shelf: Shelf, name: string): Promise<Transfer | undefined> {
    const path = join(this.folder, shelf, name);
    try {
      const transfer = readRecord(await readFile(path, 'utf8'));
      if (transfer && `${transfer.key}.json` === name) return transfer;
      await this.setAside(path, name);
    } catch (error) {
      if (!isMissing(error)) this.log.error(`The record ${name} of a transfer could not be read: ${String(error)}`);
    }
    return undefined;
  }

  private async setAside(path: string, name: string): Promise<void> {
    const aside = join(this.folder, 'aside');
    await mkdir(aside, { recursive: true, mode: 0o700 });
    await rename(path, join(aside, `${Date.now()}-${name}`));
    this.log.warn(`The record of a transfer could not be read and was set aside: ${name}`);
  }

  private path(shelf: Shelf, key: string): string {
    return join(this.folder, shelf, `${key}.json`);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
