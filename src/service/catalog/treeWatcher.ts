import { watch, type FSWatcher } from 'node:fs';
import * as nodePath from 'node:path';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';

/**
 * What changed since it was last told: paths to look at, with a closing `/` for anything in a folder; `all` when so much
 * did that it is quicker to look at everything.
 */
export type TreeChanges = ReadonlySet<string> | 'all';

interface TreeWatcherOptions {
  readonly root: string;
  readonly clock: Clock;
  /** Most folders that are watched. */
  readonly mostFolders: number;
  readonly onChange: (changes: TreeChanges) => void;
}

/** Changes come in bursts; they are told together, this long after the first of them. */
const gatherMs = 300;
/** The system drops what is not read in time, without a word, so many at once are not trusted to be all. */
const mostPaths = 5_000;

/** Watches each folder of a tree by itself, and tells which paths in them changed. */
export class TreeWatcher implements Disposable {
  private readonly options: TreeWatcherOptions;
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly changed = new Set<string>();
  private timer: Disposable | undefined;
  private hasAll = true;

  constructor(options: TreeWatcherOptions) {
    this.options = options;
  }

  /** Whether every folder that it was given is watched. */
  get isComplete(): boolean {
    return this.hasAll && this.watchers.size > 0;
  }

  has(folder: string): boolean {
    return this.watchers.has(folder);
  }

  /**
   * Watches exactly these of the folders at and below `under`, given relative to the root; others stay as they are.
   * Returns how many of them were not watched before: what happened in those until now, nobody told.
   */
  watchBelow(under: string, folders: ReadonlySet<string>): number {
    for (const folder of this.watchers.keys()) if (isAtOrBelow(folder, under) && !folders.has(folder)) this.end(folder);
    if (under === '') this.hasAll = true;
    const before = this.watchers.size;
    for (const folder of folders) if (!this.watchers.has(folder)) this.begin(folder);
    return this.watchers.size - before;
  }

  dispose(): void {
    this.timer?.dispose();
    this.changed.clear();
    this.watchBelow('', new Set());
  }

  private begin(folder: string): void {
    if (this.watchers.size >= this.options.mostFolders) {
      this.hasAll = false;
      return;
    }
    try {
      const path = nodePath.join(this.options.root, folder);
      const watcher = watch(path, { persistent: false }, (_, name) => this.note(folder, name));
      this.watchers.set(folder, watcher);
      watcher.on('error', () => {
        this.end(folder);
        this.note(folder, null);
      });
    } catch {
      // The system has no more watches to give, or the folder is gone: looking again now and then tells what this would.
      this.hasAll = false;
    }
  }

  private end(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  private note(folder: string, name: string | null): void {
    if (this.changed.size <= mostPaths) {
      this.changed.add(folder === '' ? (name ?? '') : `${folder}/${name ?? ''}`);
    }
    this.timer ??= this.options.clock.after(gatherMs, () => this.tell());
  }

  private tell(): void {
    this.timer = undefined;
    const changes: TreeChanges = this.changed.size > mostPaths || this.changed.has('') ? 'all' : new Set(this.changed);
    this.changed.clear();
    this.options.onChange(changes);
  }
}

function isAtOrBelow(folder: string, under: string): boolean {
  return under === '' || folder === under || folder.startsWith(`${under}/`);
}
