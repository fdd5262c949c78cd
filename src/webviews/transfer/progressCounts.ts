import type { TransferBytes } from '../../core/model/transferModel.ts';
import type { PageTransfer } from '../messages/transferMessages.ts';

/** The counts of files and bytes of a transfer. If the server reports no total, `total` is the number of requested files. */
interface ProgressCounts {
  /** Absent until the server reports it. */
  readonly moved?: number;
  readonly total: number;
  /**
   * The transferred fraction, from 0 to 1, of the bytes if they are known; absent if unknown. It is 1 for a complete
   * transfer without a count.
   */
  readonly share?: number;
  /** Absent if unknown, and after the end. */
  readonly bytes?: TransferBytes;
  /** The number of files that the server reports, if it differs from the number requested. */
  readonly countedByServer?: number;
}

/** Returns the counts for the progress bar. Does not estimate any of them. */
export function getProgressCounts(transfer: PageTransfer): ProgressCounts {
  const { outcome, progress, status, requestedFileCount, startedElsewhere } = transfer;
  const { moved, total = requestedFileCount, bytes } = progress;
  const counted = status?.doubtful ? undefined : status?.fileCount;
  const isDifferent = counted !== undefined && counted !== requestedFileCount && !startedElsewhere;
  const difference = isDifferent ? { countedByServer: counted } : {};
  if (moved === undefined) return { total, ...(outcome === 'complete' && total > 0 && { share: 1 }), ...difference };
  if (bytes !== undefined && bytes.total > 0) {
    // Copied files may not be verified yet.
    const share = Math.min(bytes.copied / bytes.total, moved < total ? 0.99 : 1);
    return { moved, total, share, bytes, ...difference };
  }
  return { moved, total, ...(total > 0 && { share: moved / total }), ...difference };
}
