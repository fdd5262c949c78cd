import { watch, type FSWatcher } from 'node:fs';
import type { Disposable } from './lifetime.ts';
import { isRemoteFolder } from './remoteFolder.ts';

/** Tells what changes in a folder, though not in those inside it, as far as the system tells. */
export class FolderWatch implements Disposable {
  private readonly folder: string;
  private readonly onChange: (name: string | undefined) => void;
  private watcher: FSWatcher | undefined;
  private hasEnded = false;

  /** `onChange` gets the name of the file, where the system tells it. */
  constructor(folder: string, onChange: (name: string | undefined) => void) {
    this.folder = folder;
    this.onChange = onChange;
  }

  /**
   * Whether changes are told from now on: not where the folder is missing, cannot be watched, or is one that other
   * machines write to as well. `onFail` is called when they are told no longer. Once it tells, it need not be started.
   */
  start(onFail: () => void = () => undefined): boolean {
    if (this.watcher) return true;
    if (this.hasEnded || isRemoteFolder(this.folder)) return false;
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
    this.hasEnded = true;
    this.watcher?.close();
  }
}
