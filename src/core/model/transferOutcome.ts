import { countsMoreThan, hasEnded, type Transfer } from './transfer.ts';

/** Describes how many files were moved. What is not known is absent. */
export interface TransferProgress {
  readonly moved?: number;
  readonly total?: number;
}

/** Says how an ended transfer came out. A `partial` one was reported as a success, but not of all its files. */
export type TransferOutcome = 'complete' | 'partial' | 'failed' | 'cancelled' | 'refused' | 'expired';

/**
 * Returns how many files were moved, of how many. A running transfer has as many files as the server counts; an ended
 * one has at least those that were requested, because some servers drop unknown files silently (D39).
 */
export function getProgress(transfer: Transfer): TransferProgress {
  const { order, state, status = {}, startedElsewhere } = transfer;
  const requested = startedElsewhere ? undefined : order.files.length;
  // A doubtful status has the last trusted counts (D35). A record of version 0.1 may have another transfer's.
  const isForeign = status.doubtful === true && countsMoreThan(status, requested);
  const { fileCount, movedFileCount } = isForeign ? {} : status;
  const counted = fileCount === undefined || fileCount < 0 ? undefined : fileCount;
  const total = hasEnded(state) ? largest(requested, counted) : (counted ?? requested);
  const reported = movedFileCount ?? (state === 'succeeded' ? counted : undefined);
  const moved = reported === undefined ? undefined : Math.min(Math.max(0, reported), total ?? reported);
  return { ...(moved !== undefined && { moved }), ...(total !== undefined && { total }) };
}

/** Returns how a transfer came out; undefined while it has not ended. The one place that decides it (D39). */
export function getOutcome(transfer: Transfer): TransferOutcome | undefined {
  const { state } = transfer;
  if (state === 'succeeded') return isComplete(getProgress(transfer)) ? 'complete' : 'partial';
  return hasEnded(state) ? (state as Exclude<TransferOutcome, 'complete' | 'partial'>) : undefined;
}

/** A success without counts is taken at its word; one of nothing at all moved nothing. */
function isComplete({ moved, total = 0 }: TransferProgress): boolean {
  return moved === undefined || (total > 0 && moved >= total);
}

function largest(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
