import { formatDay } from '../util/writtenValues.ts';
import { findOtherContent } from './foreignResponse.ts';
import {
  hasEnded,
  isOfService,
  type Transfer,
  type TransferBytes,
  type TransferFile,
  type TransferOrder,
} from './transferModel.ts';

/** The number of transferred files and the total number of files. Unknown counts are absent. */
interface TransferProgress {
  readonly moved?: number;
  readonly total?: number;
  /** Absent after the end. */
  readonly bytes?: TransferBytes;
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
  const isForeign =
    status.doubtful === true && requested !== undefined && findOtherContent(status, { fileCount: requested });
  const { fileCount, movedFileCount, bytes } = isForeign ? {} : status;
  const counted = fileCount === undefined || fileCount < 0 ? undefined : fileCount;
  const total = hasEnded(state) ? findLargest(requested, counted) : (counted ?? requested);
  const reported = movedFileCount ?? (state === 'succeeded' ? counted : undefined);
  const moved = reported === undefined ? undefined : Math.min(Math.max(0, reported), total ?? reported);
  return {
    ...(moved !== undefined && { moved }),
    ...(total !== undefined && { total }),
    ...(bytes && !hasEnded(state) && { bytes }),
  };
}

/** Minimum average size of files for which bytes tell more than the number of files. */
const minTellingBytes = 10_000_000;

/**
 * Returns the bytes of a running transfer of large files: those staged or copied, depending on the state, and the
 * total. Returns undefined if the number of files tells enough.
 */
export function getTellingBytes(transfer: Transfer): { readonly done: number; readonly total: number } | undefined {
  const { bytes, total: fileCount = 1 } = getProgress(transfer);
  if (!bytes || bytes.total < minTellingBytes * Math.max(1, fileCount)) return undefined;
  return { done: transfer.state === 'staging' ? (bytes.staged ?? 0) : bytes.copied, total: bytes.total };
}

/**
 * Returns the transferred fraction of running transfers, from 0 to 1: of their bytes if all services report them,
 * otherwise of their files. Returns undefined if there is no total. Copies of all bytes are at most 0.99 until all
 * files have been transferred.
 */
export function getShare(transfers: readonly TransferProgress[]): number | undefined {
  let [moved, total, copied, bytes] = [0, 0, 0, 0];
  for (const progress of transfers) {
    moved += progress.moved ?? 0;
    total += progress.total ?? 0;
    copied += progress.bytes?.copied ?? Number.NaN;
    bytes += progress.bytes?.total ?? Number.NaN;
  }
  if (bytes > 0) return Math.min(copied / bytes, moved < total ? 0.99 : 1);
  return total > 0 ? moved / total : undefined;
}

/** Returns the outcome of a transfer; undefined until the transfer has ended (D39: server data display). */
export function getOutcome(transfer: Transfer): TransferOutcome | undefined {
  const { state } = transfer;
  if (state === 'succeeded') return isComplete(getProgress(transfer)) ? 'complete' : 'partial';
  return hasEnded(state) ? (state as Exclude<TransferOutcome, 'complete' | 'partial'>) : undefined;
}

/** Returns true if a transfer failed before its request reached the server, and thus wasn't refused by the server. */
export function isUnsent({ state, problem, replacedBy }: Transfer): boolean {
  // A replaced transfer was not confirmed before.
  if (state !== 'refused' || !problem || replacedBy !== undefined) return false;
  // A status means that the server refused the request, unless the status came from a proxy.
  return problem.status === undefined || problem.kind === 'proxy';
}

/** Returns true unless it is certain that a transfer's request never reached the server. */
export function wasSent(transfer: Transfer): boolean {
  return !isUnsent(transfer) && (transfer.state !== 'cancelled' || transfer.id !== undefined);
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

/** Returns true if the IDs in an unconfirmed submission may have crashed the server (D37: crashing file ids). */
export function mayHaveStoppedServer({ state, problem }: Transfer): boolean {
  return state === 'notConfirmed' && (problem?.kind === 'dropped' || problem?.status === 502);
}

/** The number of requested files that were transferred, and the day of the transfer. */
export interface TransferReceipt {
  /** Number of transferred files; absent if all files were, or if it is unknown. */
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

/** The planned files that other transfers are already copying to the same destination. */
export interface FilesUnderWay {
  readonly count: number;
  /** The number of them in transfers that are confirmed. */
  readonly confirmedCount: number;
  /** The other transfers, newest first, including those that are not confirmed (D12: never resubmit). */
  readonly transfers: readonly Transfer[];
}

/**
 * Finds the files in `orders` that other transfers are already copying to the same destination of the service with
 * `serviceIds`. `transfers` contains all known transfers, newest first.
 */
export function findFilesUnderWay(
  transfers: readonly Transfer[],
  orders: readonly TransferOrder[],
  serviceIds: ReadonlySet<string>,
): FilesUnderWay {
  const requested = new Set(orders.flatMap(getFileKeys));
  const [found, confirmed] = [new Set<string>(), new Set<string>()];
  const carriers = transfers.filter((transfer) => {
    if (hasEnded(transfer.state) || !isOfService(transfer, serviceIds)) return false;
    const same = getFileKeys(transfer.order).filter((key) => requested.has(key));
    for (const key of same) found.add(key);
    if (transfer.state !== 'notConfirmed') for (const key of same) confirmed.add(key);
    return same.length > 0;
  });
  return { count: found.size, confirmedCount: confirmed.size, transfers: carriers };
}

function getFileKeys({ source, destination, files }: TransferOrder): readonly string[] {
  return files.map(({ id }) => JSON.stringify([source, destination, id]));
}
