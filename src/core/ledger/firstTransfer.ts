import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { keyOf } from './recordNames.ts';
import { ShelfWatch } from './shelfWatch.ts';

/** Waits until a transfer runs, whichever window began it, and calls once. No record is read for that. */
export class FirstTransfer implements Disposable {
  private readonly folder: string;
  private readonly act: () => void;
  private readonly watch: ShelfWatch;
  private isWaiting = true;

  constructor(ledgerFolder: string, clock: Clock, act: () => void) {
    this.folder = join(ledgerFolder, 'running');
    this.act = act;
    this.watch = new ShelfWatch(this.folder, clock, () => void this.lookNow());
  }

  /** Looks what there is, and from now on at what comes. Resolves when it has looked; never rejects. */
  async look(): Promise<void> {
    await this.watch.start();
    await this.lookNow();
  }

  dispose(): void {
    this.isWaiting = false;
    this.watch.dispose();
  }

  private async lookNow(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    if (!this.isWaiting || names.every((name) => keyOf(name) === undefined)) return;
    this.dispose();
    this.act();
  }
}
