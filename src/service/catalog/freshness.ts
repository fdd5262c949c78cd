import { readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { isRecent, type Clock } from '../../core/util/clock.ts';
import { isRemoteType } from '../../core/util/remoteFolder.ts';
import { limitFolderCalls } from '../folderCalls.ts';

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

  /** True if there has been a full scan of any folder at this path. */
  get hasRecord(): boolean {
    return this.lastScan !== undefined;
  }

  /** Returns true if the last scan covered this folder rather than a previous one at the same path. */
  hasScanned(state: FolderState | undefined): boolean {
    return this.lastScan !== undefined && this.lastScan.state.identity === state?.identity;
  }

  /** True if a new scan is expected to be quick enough to wait for. */
  get isQuick(): boolean {
    return isQuickScan(this.lastScan?.tookMs ?? 0);
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

/** The facts that show if a folder was replaced, and if it can change without a notification. */
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

/**
 * Returns the maximum number of folders to watch. On Linux, this is at most a third of the system limit, which other
 * programs share.
 */
export function getMaxWatches(): number {
  try {
    const systemLimit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    return Math.min(maxWatches, Math.floor(systemLimit / 3));
  } catch {
    return defaultWatches;
  }
}
