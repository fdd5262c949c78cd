import { formatDay } from '../util/writtenValues.ts';
import type { Transfer, TransferFile } from './transferModel.ts';
import { getProgress, hasTransferredFiles } from './transferOutcome.ts';

/** The number of requested files that were transferred, and the day of the transfer. */
export interface TransferReceipt {
  /** Number of transferred files; absent if all files were transferred, or if the number is unknown. */
  readonly movedCount?: number;
  /** The files that were not transferred; absent if they are unknown. */
  readonly missing?: readonly TransferFile[];
  readonly fileCount: number;
  /** `YYYY-MM-DD`; absent if unknown. */
  readonly day?: string;
  /** True if `day` is the day on which this machine detected the transfer's end; false if the service stated it. */
  readonly isSeen: boolean;
}

/**
 * Returns the receipt of a transfer; undefined unless the transfer succeeded and transferred files. A service's status
 * contains no time and doesn't say which files are missing, so the caller passes any known ones as `missing`.
 */
export function createReceipt(transfer: Transfer, missing: readonly TransferFile[] = []): TransferReceipt | undefined {
  if (!hasTransferredFiles(transfer)) return undefined;
  const { moved, total = transfer.order.files.length } = getProgress(transfer);
  const seenAt = transfer.changes.at(-1)?.at;
  const isPartial = moved !== undefined && moved < total;
  return {
    fileCount: total,
    isSeen: true,
    ...(isPartial && { movedCount: moved, ...(missing.length > 0 && { missing }) }),
    ...(seenAt !== undefined && { day: formatDay(seenAt) }),
  };
}

/** Returns the day on which all files were obtained; undefined if any weren't, or if the day is unknown. */
export function getAccessDay(receipt: TransferReceipt | undefined): string | undefined {
  return receipt?.movedCount === undefined ? receipt?.day : undefined;
}
