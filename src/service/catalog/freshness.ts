import type { Clock } from '../../core/util/clock.ts';
import type { FolderState } from './folderState.ts';

/** Scans shorter than this are waited for by whoever searches. */
const quickScanMs = 200;
const quickIntervalMs = 5_000;
/** How old an answer may be where changes are told by the system; a net below that, for what it did not tell. */
const watchedIntervalMs = 600_000;
/** A scan may take this part of the time. */
const scanShare = 20;

/** How much what the last whole scan saw may be relied on. */
export class Freshness {
  private readonly clock: Clock;
  private scanned: { readonly atMs: number; readonly tookMs: number; readonly state: FolderState } | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A scan of all came to its end, and took so long. */
  note(tookMs: number, state: FolderState): void {
    this.scanned = { atMs: this.clock.now(), tookMs, state };
  }

  /** Whether it was this folder that was scanned, and not another one in its place. */
  isOf(state: FolderState | undefined): boolean {
    return this.scanned !== undefined && this.scanned.state.identity === state?.identity;
  }

  /** Whether another scan is quick enough to be waited for. */
  get isQuick(): boolean {
    return isQuickScan(this.scanned?.tookMs ?? 0);
  }

  /** Whether it is time for another scan; `isWatched`: every folder tells of its changes. */
  isOld(isWatched: boolean): boolean {
    if (this.scanned === undefined) return true;
    const { atMs, tookMs, state } = this.scanned;
    const isTold = isWatched && !state.isRemote && !this.isQuick;
    const interval = Math.max(isTold ? watchedIntervalMs : quickIntervalMs, tookMs * scanShare);
    return this.clock.now() - atMs >= interval;
  }
}

/** Whether a scan that took so long is made again with every other search anyway. */
export function isQuickScan(tookMs: number): boolean {
  return tookMs < quickScanMs;
}
