import { readdir } from 'node:fs/promises';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { RecordFolderWatch } from './recordFolderWatch.ts';

/** Options for {@link FirstFileWatch}. */
interface FirstFileOptions {
  /** Returns true if the folder contains a file that the watch waits for. `names` lists the files in the folder. */
  hasMatch(names: readonly string[]): boolean | Promise<boolean>;
  onFound(): void;
}

/** Calls `onFound` once, as soon as a folder of the ledger contains a matching file. Does not read any files. */
export class FirstFileWatch implements Disposable {
  private readonly folder: string;
  private readonly options: FirstFileOptions;
  private readonly watch: RecordFolderWatch;
  private isWaiting = true;

  constructor(folder: string, clock: Clock, options: FirstFileOptions) {
    this.folder = folder;
    this.options = options;
    this.watch = new RecordFolderWatch(folder, clock, () => void this.check());
  }

  /** Checks the folder now and after every change. Resolves after the first check. Never rejects. */
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
    const hasMatch = await this.options.hasMatch(names);
    if (!this.isWaiting || !hasMatch) return;
    this.dispose();
    this.options.onFound();
  }
}
