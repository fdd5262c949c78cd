import { isRecent, type Clock } from '../../core/util/clock.ts';
import type { FolderState } from './folderState.ts';

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
