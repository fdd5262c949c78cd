import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { parseRecordKey } from './recordNames.ts';
import { RecordFolderWatch } from './recordFolderWatch.ts';

/** Calls back once, as soon as any window has a running transfer. Does not read any records. */
export class FirstTransferWatch implements Disposable {
  private readonly folder: string;
  private readonly onFound: () => void;
  private readonly watch: RecordFolderWatch;
  private isWaiting = true;

  constructor(ledgerFolder: string, clock: Clock, onFound: () => void) {
    this.folder = join(ledgerFolder, 'running');
    this.onFound = onFound;
    this.watch = new RecordFolderWatch(this.folder, clock, () => void this.check());
  }

  /** Checks for a running transfer, now and after every change. Resolves after the first check. Never rejects. */
  async start(): Promise<void> {
    await this.watch.start();
    await this.check();
  }

  dispose(): void {
    this.isWaiting = false;
    this.watch.dispose();
  }

  private async check(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    if (!this.isWaiting || names.every((name) => parseRecordKey(name) === undefined)) return;
    this.dispose();
    this.onFound();
  }
}
