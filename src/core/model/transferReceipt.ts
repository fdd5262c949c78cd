import { formatDay } from '../util/writtenDate.ts';
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
  /** True if `day` is the day this machine detected that the transfer had ended, not one stated by the service. */
  readonly isSeen: boolean;
}

/**
 * Returns the receipt of a transfer; undefined unless it succeeded and transferred files. A service's status contains
 * no time and doesn't say which files are missing, so the caller passes them as `missing` if it knows them.
 */
export function createReceipt(transfer: Transfer, missing: readonly TransferFile[] = []): TransferReceipt | undefined {
  if (!hasTransferredFiles(transfer)) return undefined;
  const { moved, total = transfer.order.files.length } = getProgress(transfer);
  const seenAt = transfer.changes.at(-1)?.at;
  const isPartial = moved !== undefined && moved < total;
  return {
    ...{ fileCount: total, isSeen: true },
    ...(isPartial && { movedCount: moved, ...(missing.length > 0 && { missing }) }),
    ...(seenAt !== undefined && { day: formatDay(seenAt) }),
  };
}

/** Returns the day on which all files were obtained; undefined if some or all weren't, or if the day is unknown. */
export function getAccessDay(receipt: TransferReceipt | undefined): string | undefined {
  return receipt?.movedCount === undefined ? receipt?.day : undefined;
}
