import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { RecordFolderWatch } from './recordFolderWatch.ts';

/** A change in the ledger: to one transfer's record, or to any record in a folder. */
export type LedgerChange = { readonly key: string } | { readonly folder: 'running' | 'ended' };

/** Fires when this or another window changes a record in the ledger. */
export class LedgerWatch implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new Emitter<LedgerChange>());
  private readonly folderWatches: readonly RecordFolderWatch[];

  readonly onDidChange = this.changed.event;

  constructor(folder: string, clock: Clock) {
    this.folderWatches = (['running', 'ended'] as const).map((name) => {
      const notify = (key: string | undefined): void =>
        this.changed.fire(key === undefined ? { folder: name } : { key });
      return this.lifetime.track(new RecordFolderWatch(join(folder, name), clock, notify));
    });
  }

  /** Starts watching. All changes after it resolves are reported. */
  async start(): Promise<void> {
    await Promise.all(this.folderWatches.map((watch) => watch.start()));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
