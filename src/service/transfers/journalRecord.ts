import type { FileResource } from '../../contract/fileResource.ts';
import type { TransferStatusDocument } from '../../contract/transfer.ts';
import type { JsonObject } from '../../core/util/json.ts';

/** The states of a transfer (D23: transfer states). */
export type TransferStatusWord = 'staging' | 'active' | 'finalizing' | 'inactive' | 'succeeded' | 'failed';

/** A transfer in the journal. Databases are identified by ID; times are in milliseconds since 1970. */
export interface TransferRecord {
  readonly id: string;
  readonly orcid: string;
  readonly sourceId: string;
  readonly destinationId: string;
  /**
   * Resolved path of the destination's folder at submission; absent if it was unavailable or the destination is a
   * store.
   */
  readonly destinationPlace?: string | undefined;
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  readonly status: TransferStatusWord;
  readonly message: string;
  readonly movedCount: number;
  readonly isCancelRequested: boolean;
  readonly endedAtMs?: number;
}

/** A file of a transfer in the journal. */
export interface TransferRecordFile {
  /** Zero-based index in the request. */
  readonly position: number;
  /** Path relative to both the source's folder and the transfer's folder. */
  readonly path: string;
  /** The metadata from the source at the time of submission. Its hash is the declared one, never a cached one. */
  readonly resource: FileResource;
  readonly bytes: number;
  /** In hex; present once the file has been hashed. */
  readonly sha256?: string | undefined;
  /**
   * The store's hash, such as `md5:…`, of a file that the store copied itself; takes the place of the SHA-256 (D66:
   * copies within a store).
   */
  readonly storeHash?: string | undefined;
  /** True if the file is complete and verified at the destination. */
  readonly isTransferred: boolean;
}

/** Returns true for a status that no longer changes. */
export function hasEnded(status: TransferStatusWord): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The bytes of a transfer's files so far. Unverified copies of a failed attempt are no longer counted. */
export interface ByteCounts {
  readonly total: number;
  /** Read and hashed at the source; absent if files are hashed while they are copied. */
  readonly staged?: number;
  /** Copied, verified or not. */
  readonly copied: number;
  /** Verified, or read back so far. */
  readonly verified: number;
}

/** Returns a transfer's status in its wire format (§2.4, D23: transfer states). */
export function toStatusDocument(record: TransferRecord, bytes?: ByteCounts): TransferStatusDocument {
  return {
    id: record.id,
    status: record.status,
    message: record.message,
    num_files: record.fileCount,
    num_files_transferred: record.movedCount,
    ...(bytes && {
      num_bytes: bytes.total,
      ...(bytes.staged !== undefined && { num_bytes_staged: bytes.staged }),
      num_bytes_transferred: bytes.copied,
      num_bytes_verified: bytes.verified,
    }),
  };
}

/** Returns a status message, which always begins with `Transfer` and the ID (D11: check status identity). */
export function formatTransferMessage(id: string, text: string): string {
  return `Transfer ${id}: ${text}`;
}

/** Returns a description such as `3 files (1.2 MB)`. */
export function describeAmount({ fileCount, sizeBytes }: Pick<TransferRecord, 'fileCount' | 'sizeBytes'>): string {
  return `${describeCount(fileCount, 'file')} (${describeSize(sizeBytes)})`;
}

/** Returns a count with its noun, such as `1 file` or `2 files`. */
export function describeCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describeSize(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = sizeBytes / 1_000;
  for (; size >= 1_000 && units.length > 1; size /= 1_000) units.shift();
  return `${size.toFixed(1)} ${units[0] ?? ''}`;
}
