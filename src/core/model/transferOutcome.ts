import { exceedsFileCount, hasEnded, type Transfer } from './transferModel.ts';

/** The number of transferred files and the total number of files. Unknown counts are absent. */
export interface TransferProgress {
  readonly moved?: number;
  readonly total?: number;
}

/** The outcome of an ended transfer. `partial`: the server reported success, but not all files were transferred. */
export type TransferOutcome = 'complete' | 'partial' | 'failed' | 'cancelled' | 'refused' | 'expired';

/**
 * Returns the number of transferred files and the total. The total of a running transfer is the number that the server
 * reports, or else the number of requested files. The total of an ended transfer is at least the number of requested
 * files, because some servers silently drop unknown files (D39: server data display).
 */
export function getProgress(transfer: Transfer): TransferProgress {
  const { order, state, status = {}, startedElsewhere } = transfer;
  const requested = startedElsewhere ? undefined : order.files.length;
  // A doubtful status contains the last trusted counts (D35: misrouted responses), except in records of version 0.1.
  const isForeign = status.doubtful === true && exceedsFileCount(status, requested);
  const { fileCount, movedFileCount } = isForeign ? {} : status;
  const counted = fileCount === undefined || fileCount < 0 ? undefined : fileCount;
  const total = hasEnded(state) ? findLargest(requested, counted) : (counted ?? requested);
  const reported = movedFileCount ?? (state === 'succeeded' ? counted : undefined);
  const moved = reported === undefined ? undefined : Math.min(Math.max(0, reported), total ?? reported);
  return { ...(moved !== undefined && { moved }), ...(total !== undefined && { total }) };
}

/** Returns the outcome of a transfer; undefined until the transfer has ended (D39: server data display). */
export function getOutcome(transfer: Transfer): TransferOutcome | undefined {
  const { state } = transfer;
  if (state === 'succeeded') return isComplete(getProgress(transfer)) ? 'complete' : 'partial';
  return hasEnded(state) ? (state as Exclude<TransferOutcome, 'complete' | 'partial'>) : undefined;
}

/** Returns true if a transfer with an ID succeeded, unless its counts show that no files were transferred. */
export function hasTransferredFiles(transfer: Transfer): boolean {
  return transfer.state === 'succeeded' && transfer.id !== undefined && getProgress(transfer).moved !== 0;
}

/**
 * Returns true if an ended transfer may have written files to its destination. Returns false for a failed or canceled
 * transfer that reported no transferred files.
 */
export function mayHaveFiles(transfer: Transfer): boolean {
  const { id, state } = transfer;
  if (id === undefined || !hasEnded(state)) return false;
  return state === 'expired' || hasTransferredFiles(transfer) || (getProgress(transfer).moved ?? 0) > 0;
}

/**
 * Returns true if the number of transferred files is unknown or has reached a positive total. An unknown total counts
 * as reached if any file was transferred.
 */
function isComplete({ moved, total = moved ?? 0 }: TransferProgress): boolean {
  return moved === undefined || (total > 0 && moved >= total);
}

function findLargest(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
