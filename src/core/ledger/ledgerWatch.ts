import { watch, type FSWatcher } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import type { Disposable } from '../util/lifetime.ts';
import { isRemoteFolder } from '../util/remoteFolder.ts';
import { keyOf } from './recordFiles.ts';

/** What may have changed: the record of one transfer, or any of a folder of the ledger. */
export type LedgerChange = { readonly key: string } | { readonly shelf: WatchedShelf };
type WatchedShelf = (typeof shelves)[number];

const shelves = ['running', 'ended'] as const;
const lookEveryMs = 5_000;

/**
 * Tells when records in the ledger change, whoever changes them. Where the system does not tell, on the file system of a
 * network say, the folders are looked at every five seconds.
 */
export class LedgerWatch implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly changed = new Emitter<LedgerChange>();
  private readonly watchers = new Map<WatchedShelf, FSWatcher>();
  private readonly waiting = new Map<WatchedShelf, Disposable>();
  private isEnded = false;

  readonly onDidChange = this.changed.event;

  constructor(folder: string, clock: Clock) {
    this.folder = folder;
    this.clock = clock;
  }

  /** Resolves when changes are told from now on. */
  async start(): Promise<void> {
    await Promise.all(shelves.map((shelf) => this.begin(shelf)));
  }

  dispose(): void {
    this.isEnded = true;
    for (const watcher of this.watchers.values()) watcher.close();
    for (const waiting of this.waiting.values()) waiting.dispose();
    this.changed.dispose();
  }

  private async begin(shelf: WatchedShelf): Promise<void> {
    const folder = join(this.folder, shelf);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (this.isEnded) return;
      if (!isRemoteFolder(folder)) return this.watch(shelf, folder);
    } catch {
      // A folder that is not there, or cannot be watched, is looked at.
    }
    await this.lookLater(shelf, folder, await changedAt(folder));
  }

  private watch(shelf: WatchedShelf, folder: string): void {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      const key = name === null ? undefined : keyOf(name);
      if (name === null) this.changed.fire({ shelf });
      else if (key !== undefined) this.changed.fire({ key });
    });
    this.watchers.set(shelf, watcher);
    watcher.on('error', () => {
      watcher.close();
      void this.lookLater(shelf, folder, undefined);
    });
  }

  /** A folder changes whenever a record in it is written, moved or deleted: each is a new name. */
  private async lookLater(shelf: WatchedShelf, folder: string, before: number | undefined): Promise<void> {
    if (this.isEnded) return;
    const look = async (): Promise<void> => {
      const now = await changedAt(folder);
      if (now !== before) this.changed.fire({ shelf });
      await this.lookLater(shelf, folder, now);
    };
    this.waiting.set(
      shelf,
      this.clock.after(lookEveryMs, () => void look()),
    );
  }
}

async function changedAt(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return undefined;
  }
}
