import { statSync, watch, type FSWatcher } from 'node:fs';
import { basename } from 'node:path';
import type { Disposable } from './lifetime.ts';
import { isRemoteFolder } from './remoteFolder.ts';

/** Watches a folder, but not its subfolders, for changes. */
export class FolderWatch implements Disposable {
  private readonly folder: string;
  private readonly onChange: (name: string | undefined) => void;
  private watcher: FSWatcher | undefined;
  private isDisposed = false;

  /** `onChange` receives the name of the changed file if the system reports it. */
  constructor(folder: string, onChange: (name: string | undefined) => void) {
    this.folder = folder;
    this.onChange = onChange;
  }

  /**
   * Starts watching. Returns false if the folder is missing, cannot be watched, or is on a network file system, or
   * after `dispose`. Calls `onFail` if watching ends with an error, or because the folder was deleted or replaced. If
   * already watching, does nothing and returns true.
   */
  start(onFail: () => void = () => undefined): boolean {
    if (this.watcher) return true;
    if (this.isDisposed || isRemoteFolder(this.folder)) return false;
    try {
      const before = getIdentity(this.folder);
      const watcher = watch(this.folder, { persistent: false }, (_event, name) => {
        // If the folder is deleted or replaced, the system reports a change with the folder's own name, and then
        // nothing more.
        const mayHaveEnded = name === null || name === basename(this.folder);
        if (mayHaveEnded && getIdentity(this.folder) !== before) this.end(onFail);
        else this.onChange(name ?? undefined);
      });
      this.watcher = watcher;
      watcher.on('error', () => this.end(onFail));
      return true;
    } catch {
      return false;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher?.close();
    this.watcher = undefined;
  }

  private end(onFail: () => void): void {
    if (!this.watcher) return;
    this.watcher.close();
    this.watcher = undefined;
    onFail();
  }
}

/** Returns a string that identifies a folder and changes when it is replaced; undefined if the folder doesn't exist. */
function getIdentity(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.birthtimeMs].join(' ');
}
