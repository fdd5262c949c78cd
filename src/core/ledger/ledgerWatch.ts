import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { Emitter, Lifetime, type Disposable } from '../util/lifetime.ts';
import { RecordFolderWatch } from './recordFolderWatch.ts';

/** A change to one transfer's record or, if `folder` is set, to any number of records in that folder. */
export type LedgerChange = { readonly key: string } | { readonly folder: WatchedFolder };

type WatchedFolder = 'running' | 'ended';

/** Reports changes that any window or command makes to records of running and ended transfers in the ledger. */
export class LedgerWatch implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new Emitter<LedgerChange>());
  private readonly watches: Readonly<Record<WatchedFolder, RecordFolderWatch>>;

  readonly onDidChange = this.changed.event;

  constructor(folder: string, clock: Clock) {
    const create = (name: WatchedFolder): RecordFolderWatch => {
      const notify = (key: string | undefined): void =>
        this.changed.fire(key === undefined ? { folder: name } : { key });
      return this.lifetime.track(new RecordFolderWatch(join(folder, name), clock, notify));
    };
    this.watches = { running: create('running'), ended: create('ended') };
  }

  /** Remembers the state of the folders, so that `start` also reports changes made since then. */
  async prepare(): Promise<void> {
    await Promise.all(Object.values(this.watches).map((watch) => watch.prepare()));
  }

  /**
   * Starts watching a folder. Reports all changes made after the returned promise resolves and, if `prepare` was
   * called, those made since that call.
   */
  async start(folder: WatchedFolder): Promise<void> {
    await this.watches[folder].start();
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
