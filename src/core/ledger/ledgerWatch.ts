import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import { FolderWatch } from '../util/folderWatch.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { keyOf } from './recordFiles.ts';

/** What may have changed: the record of one transfer, or any of a folder of the ledger. */
export type LedgerChange = { readonly key: string } | { readonly shelf: 'running' | 'ended' };

const lookEveryMs = 5_000;

/**
 * Tells when records in the ledger change, whoever changes them. Where the system does not tell, on the file system of a
 * network say, the folders are looked at every five seconds.
 */
export class LedgerWatch implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new Emitter<LedgerChange>());
  private readonly shelves: readonly ShelfWatch[];

  readonly onDidChange = this.changed.event;

  constructor(folder: string, clock: Clock) {
    this.shelves = (['running', 'ended'] as const).map((shelf) =>
      this.lifetime.track(new ShelfWatch(shelf, join(folder, shelf), clock, (change) => this.changed.fire(change))),
    );
  }

  /** Resolves when changes are told from now on. */
  async start(): Promise<void> {
    await Promise.all(this.shelves.map((shelf) => shelf.start()));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

class ShelfWatch implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly tellAny: () => void;
  private readonly watch: FolderWatch;
  private waiting: Disposable | undefined;
  private hasEnded = false;

  constructor(shelf: 'running' | 'ended', folder: string, clock: Clock, tell: (change: LedgerChange) => void) {
    this.folder = folder;
    this.clock = clock;
    this.tellAny = () => tell({ shelf });
    this.watch = new FolderWatch(folder, (name) => {
      const key = name === undefined ? undefined : keyOf(name);
      if (name === undefined) tell({ shelf });
      else if (key !== undefined) tell({ key });
    });
  }

  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
    const isTold = this.watch.start(() => this.lookLater(undefined));
    if (!isTold) this.lookLater(await changedAt(this.folder));
  }

  dispose(): void {
    this.hasEnded = true;
    this.watch.dispose();
    this.waiting?.dispose();
  }

  /** A folder changes whenever a record in it is written, moved or deleted: each is a new name. */
  private lookLater(before: number | undefined): void {
    if (this.hasEnded) return;
    const look = async (): Promise<void> => {
      const now = await changedAt(this.folder);
      if (now !== before) this.tellAny();
      this.lookLater(now);
    };
    this.waiting = this.clock.after(lookEveryMs, () => void look());
  }
}

async function changedAt(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return undefined;
  }
}
