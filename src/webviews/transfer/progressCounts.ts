import type { PageTransfer } from '../messages/transferMessages.ts';

/** The file counts of a transfer. If the server reports no total, `total` is the number of requested files. */
interface ProgressCounts {
  /** Absent until the server reports it. */
  readonly moved?: number;
  readonly total: number;
  /** The transferred fraction, from 0 to 1; absent if unknown. It is 1 for a complete transfer without a count. */
  readonly share?: number;
  /** The number of files that the server reports, if it differs from the number requested. */
  readonly countedByServer?: number;
}

/** Returns the counts for the progress bar. Does not estimate any of them. */
export function getProgressCounts(transfer: PageTransfer): ProgressCounts {
  const { outcome, progress, status, requestedFileCount, startedElsewhere } = transfer;
  const { moved, total = requestedFileCount } = progress;
  const counted = status?.doubtful ? undefined : status?.fileCount;
  const isDifferent = counted !== undefined && counted !== requestedFileCount && !startedElsewhere;
  const difference = isDifferent ? { countedByServer: counted } : {};
  if (moved === undefined) return { total, ...(outcome === 'complete' && total > 0 && { share: 1 }), ...difference };
  return { moved, total, ...(total > 0 && { share: moved / total }), ...difference };
}
