import { watch, type FSWatcher } from 'node:fs';
import type { Disposable } from './lifetime.ts';
import { isRemoteFolder } from './remoteFolder.ts';

/** Reports changes in a folder, but not in its subfolders, if the system supports it. */
export class FolderWatch implements Disposable {
  private readonly folder: string;
  private readonly onChange: (name: string | undefined) => void;
  private watcher: FSWatcher | undefined;
  private isDisposed = false;

  /** `onChange` receives the name of the file if the system reports it. */
  constructor(folder: string, onChange: (name: string | undefined) => void) {
    this.folder = folder;
    this.onChange = onChange;
  }

  /**
   * Starts watching. Returns false if the folder is missing, cannot be watched, or is on a network file system. Calls
   * `onFail` if watching ends with an error. Does nothing if already watching.
   */
  start(onFail: () => void = () => undefined): boolean {
    if (this.watcher) return true;
    if (this.isDisposed || isRemoteFolder(this.folder)) return false;
    try {
      const watcher = watch(this.folder, { persistent: false }, (_event, name) => this.onChange(name ?? undefined));
      this.watcher = watcher;
      watcher.on('error', () => {
        watcher.close();
        this.watcher = undefined;
        onFail();
      });
      return true;
    } catch {
      return false;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher?.close();
  }
}
