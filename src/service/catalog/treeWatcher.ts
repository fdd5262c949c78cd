import { watch, type FSWatcher } from 'node:fs';
import * as nodePath from 'node:path';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';

/** Calls back, once things are quiet, after something changed in any of the watched folders. */
export class TreeWatcher implements Disposable {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly root: string;
  private readonly clock: Clock;
  private readonly onChange: () => void;
  private timer: Disposable | undefined;

  constructor(root: string, clock: Clock, onChange: () => void) {
    this.root = root;
    this.clock = clock;
    this.onChange = onChange;
  }

  /** Watches exactly these folders, given relative to the root. A folder that cannot be watched is left out. */
  watchOnly(folders: ReadonlySet<string>): void {
    for (const [folder, watcher] of this.watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
    for (const folder of folders) if (!this.watchers.has(folder)) this.add(folder);
  }

  dispose(): void {
    this.timer?.dispose();
    this.watchOnly(new Set());
  }

  private add(folder: string): void {
    try {
      const watcher = watch(nodePath.join(this.root, folder), { persistent: false }, () => this.changed());
      this.watchers.set(folder, watcher);
      watcher.on('error', () => {
        watcher.close();
        this.watchers.delete(folder);
      });
    } catch {
      // The system has no more watches to give, or the folder is gone: the next scan sees what this would have told.
    }
  }

  private changed(): void {
    this.timer?.dispose();
    this.timer = this.clock.after(500, this.onChange);
  }
}
