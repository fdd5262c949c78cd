import { mkdir, stat } from 'node:fs/promises';
import type { Clock } from '../util/clock.ts';
import { FolderWatch } from '../util/folderWatch.ts';
import type { Disposable } from '../util/lifetime.ts';
import { keyOf } from './recordNames.ts';

const lookEveryMs = 5_000;

/**
 * Tells when records in one folder of the ledger change, whoever changes them. Where the system does not tell, on the
 * file system of a network say, the folder is looked at every five seconds.
 */
export class ShelfWatch implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly tell: (key: string | undefined) => void;
  private readonly watch: FolderWatch;
  private waiting: Disposable | undefined;
  private hasEnded = false;

  /** `tell` gets the key of the transfer, or nothing where it may be any. */
  constructor(folder: string, clock: Clock, tell: (key: string | undefined) => void) {
    this.folder = folder;
    this.clock = clock;
    this.tell = tell;
    this.watch = new FolderWatch(folder, (name) => {
      const key = name === undefined ? undefined : keyOf(name);
      if (name === undefined || key !== undefined) tell(key);
    });
  }

  /** Makes the folder where it is missing. Resolves when changes are told from now on. */
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
      if (now !== before) this.tell(undefined);
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
