import { watch, type FSWatcher } from 'node:fs';
import * as nodePath from 'node:path';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { folderOfPath } from './pathOrder.ts';

/**
 * What changed since it was last told: paths to look at, with a closing `/` for anything in a folder; `all` when so much
 * did that it is quicker to look at everything. A folder among them, or below one, in whose place another one may stand
 * is no longer watched; after `all` none is.
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
const mostPaths = 5_000;
/** The system drops what is not read in time, without a word, but keeps at least so many: as many are not trusted to be all. */
const mostEvents = 16_000;

/** Watches each folder of a tree by itself, and tells which paths in them changed. */
export class TreeWatcher implements Disposable {
  private readonly options: TreeWatcherOptions;
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly changed = new Set<string>();
  /** Watched folders of which another one may stand in the place now. */
  private readonly replaced = new Set<string>();
  private events = 0;
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
    this.reset();
    this.watchBelow('', new Set());
  }

  private begin(folder: string): void {
    if (this.watchers.size >= this.options.mostFolders) {
      this.hasAll = false;
      return;
    }
    try {
      const path = nodePath.join(this.options.root, folder);
      const watcher = watch(path, { persistent: false }, (type, name) => this.note(folder, name, type === 'rename'));
      this.watchers.set(folder, watcher);
      watcher.on('error', () => {
        this.end(folder);
        this.note(folder, null, false);
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

  private note(folder: string, name: string | null, isOther: boolean): void {
    const path = folder === '' ? (name ?? '') : `${folder}/${name ?? ''}`;
    this.events += 1;
    if (this.changed.size <= mostPaths) this.changed.add(path);
    if (isOther && this.watchers.has(path)) this.replaced.add(path);
    this.timer ??= this.options.clock.after(gatherMs, () => this.tell());
  }

  private tell(): void {
    const isTooMuch = this.changed.size > mostPaths || this.events > mostEvents || this.changed.has('');
    const changes: TreeChanges = isTooMuch ? 'all' : new Set(this.changed);
    // A watch stays with its folder wherever that is moved, and says nothing of the one that has its name now.
    if (isTooMuch) this.watchBelow('', new Set());
    else this.endReplaced();
    this.reset();
    this.options.onChange(changes);
  }

  private endReplaced(): void {
    if (this.replaced.size === 0) return;
    for (const folder of this.watchers.keys()) if (this.isReplaced(folder)) this.end(folder);
  }

  private isReplaced(folder: string): boolean {
    return this.replaced.has(folder) || (folder !== '' && this.isReplaced(folderOfPath(folder)));
  }

  private reset(): void {
    this.timer = undefined;
    this.changed.clear();
    this.replaced.clear();
    this.events = 0;
  }
}

function isAtOrBelow(folder: string, under: string): boolean {
  return under === '' || folder === under || folder.startsWith(`${under}/`);
}
