import { readFileSync, watch, type FSWatcher } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { isRecent, type Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { isRemoteType } from '../../core/util/fileSystem.ts';
import { limitFolderCalls } from '../folderCalls.ts';
import { getParentFolder } from './catalogFile.ts';

/** Duration of the last scan, in milliseconds, below which searches wait for a new scan. */
const quickScanMs = 200;
const quickIntervalMs = 5_000;
/** Interval between slow scans while the system reports changes; limits how long missed changes go unnoticed. */
const watchedIntervalMs = 600_000;
/** Minimum interval between scans, as a multiple of the last scan's duration. */
const scanShare = 20;
/** Upper limit of the interval based on {@link scanShare}, because a scan seems slow if the machine slept during it. */
const maxRestMs = 86_400_000;

/** Tracks how current the last full scan is. */
export class Freshness {
  private readonly clock: Clock;
  private lastScan: { readonly atMs: number; readonly tookMs: number; readonly state: FolderState } | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  recordScan(tookMs: number, state: FolderState): void {
    this.lastScan = { atMs: this.clock.now(), tookMs, state };
  }

  get hasRecord(): boolean {
    return this.lastScan !== undefined;
  }

  /** Returns true if the last scan covered this folder rather than a previous one at the same path. */
  hasScanned(state: FolderState | undefined): boolean {
    return this.lastScan !== undefined && this.lastScan.state.identity === state?.identity;
  }

  get isQuick(): boolean {
    return isQuickScan(this.lastScan?.tookMs ?? 0);
  }

  get isRemote(): boolean {
    return this.lastScan?.state.isRemote === true;
  }

  /** Returns true if a new scan is due. `isWatched` means that the system reports changes in every folder. */
  isStale(isWatched: boolean): boolean {
    if (this.lastScan === undefined) return true;
    const { atMs, tookMs, state } = this.lastScan;
    const isNotified = isWatched && !state.isRemote && !this.isQuick;
    const restMs = Math.min(tookMs * scanShare, maxRestMs);
    const interval = Math.max(isNotified ? watchedIntervalMs : quickIntervalMs, restMs);
    return !isRecent(this.clock, atMs, interval);
  }
}

/** Returns true if a scan of this duration is quick enough to be repeated regularly even if the folder is watched. */
export function isQuickScan(tookMs: number): boolean {
  return tookMs < quickScanMs;
}

interface FolderState {
  /** A value that changes if a different folder replaces this one. */
  readonly identity: string;
  /** True if other machines may change the folder without this machine being notified. */
  readonly isRemote: boolean;
}

/**
 * Returns the state of a folder, or undefined if it is missing, unreadable or not a folder. Rejects with an error
 * whose code is `ETIMEDOUT` if its disk doesn't respond within five seconds (D42: hanging disks).
 */
export const getFolderState = limitFolderCalls(async (folder): Promise<FolderState | undefined> => {
  try {
    const opened = await fs.opendir(folder);
    await opened.close();
    // One after the other, because each call occupies a thread while the disk hangs.
    const { dev, ino } = await fs.stat(folder);
    const { type } = await fs.statfs(folder);
    return { identity: `${dev}:${ino}`, isRemote: isRemoteType(type) };
  } catch {
    return undefined;
  }
});

const defaultWatches = 8_192;
const maxWatches = 50_000;

/** Returns the maximum number of watches: on Linux, a third of the limit that all programs share. */
export function getMaxWatches(): number {
  try {
    const systemLimit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    return Math.min(maxWatches, Math.floor(systemLimit / 3));
  } catch {
    return defaultWatches;
  }
}

/**
 * Changes since the last report: changed paths, with a trailing `/` for unspecified changes in a folder, or `all` if
 * the whole tree must be scanned. After a report, folders that may have been replaced are no longer watched; after
 * `all`, no folder is watched.
 */
export type TreeChanges = ReadonlySet<string> | 'all';

interface TreeWatcherOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly maxFolders: number;
  readonly onChange: (changes: TreeChanges) => void;
}

/** Delay between the first change and the report, because changes come in bursts. */
const batchWindowMs = 300;
const maxPaths = 5_000;
/** Above this, changes may be missing: the system drops events that don't fit in its buffer. */
const maxEvents = 16_000;

/** Watches each folder in a tree and reports changed paths. */
export class TreeWatcher implements Disposable {
  private readonly options: TreeWatcherOptions;
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly changed = new Set<string>();
  /** Watched folders that may have been replaced by other folders. */
  private readonly replaced = new Set<string>();
  private eventCount = 0;
  private timer: Disposable | undefined;
  private isWatchingAll = true;

  constructor(options: TreeWatcherOptions) {
    this.options = options;
  }

  /** True if folders are watched, and none was left out because of the limit or an error. */
  get isComplete(): boolean {
    return this.isWatchingAll && this.watchers.size > 0;
  }

  has(folder: string): boolean {
    return this.watchers.has(folder);
  }

  /** Watches exactly the given folders at or below `under`, up to the limit. Returns the number of new watches. */
  watchBelow(under: string, folders: ReadonlySet<string>): number {
    for (const folder of this.watchers.keys())
      if (isAtOrBelow(folder, under) && !folders.has(folder)) this.unwatchFolder(folder);
    if (under === '') this.isWatchingAll = true;
    const before = this.watchers.size;
    for (const folder of folders) if (!this.watchers.has(folder)) this.watchFolder(folder);
    return this.watchers.size - before;
  }

  dispose(): void {
    this.timer?.dispose();
    this.reset();
    this.watchBelow('', new Set());
  }

  private watchFolder(folder: string): void {
    if (this.watchers.size >= this.options.maxFolders) {
      this.isWatchingAll = false;
      return;
    }
    try {
      const path = nodePath.join(this.options.root, folder);
      const watcher = watch(path, { persistent: false }, (type, name) =>
        this.recordEvent(folder, name, type === 'rename'),
      );
      this.watchers.set(folder, watcher);
      watcher.on('error', () => {
        this.unwatchFolder(folder);
        this.recordEvent(folder, null, false);
      });
    } catch {
      // No more watches are available, or the folder is gone: regular scans compensate for that.
      this.isWatchingAll = false;
    }
  }

  private unwatchFolder(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  private recordEvent(folder: string, name: string | null, isRename: boolean): void {
    const path = folder === '' ? (name ?? '') : `${folder}/${name ?? ''}`;
    this.eventCount += 1;
    if (this.changed.size <= maxPaths) this.changed.add(path);
    if (isRename && this.watchers.has(path)) this.replaced.add(path);
    this.timer ??= this.options.clock.after(batchWindowMs, () => this.emitChanges());
  }

  private emitChanges(): void {
    const isTooMuch = this.changed.size > maxPaths || this.eventCount > maxEvents || this.changed.has('');
    const changes: TreeChanges = isTooMuch ? 'all' : new Set(this.changed);
    // A watch follows a folder that is moved, and reports nothing about the folder that replaces it.
    if (isTooMuch) this.watchBelow('', new Set());
    else for (const folder of this.watchers.keys()) if (this.isReplaced(folder)) this.unwatchFolder(folder);
    this.reset();
    this.options.onChange(changes);
  }

  private isReplaced(folder: string): boolean {
    if (this.replaced.size === 0) return false;
    return this.replaced.has(folder) || (folder !== '' && this.isReplaced(getParentFolder(folder)));
  }

  private reset(): void {
    this.timer = undefined;
    this.changed.clear();
    this.replaced.clear();
    this.eventCount = 0;
  }
}

function isAtOrBelow(folder: string, under: string): boolean {
  return under === '' || folder === under || folder.startsWith(`${under}/`);
}
