import type { FileResource } from '../../contract/fileResource.ts';
import type { TransferStatusDocument } from '../../contract/transfer.ts';
import type { JsonObject } from '../../core/util/json.ts';

/** The states of a transfer (D23). */
export type TransferStatusWord = 'staging' | 'active' | 'finalizing' | 'inactive' | 'succeeded' | 'failed';

/** A transfer as the journal keeps it. Databases are named by id, times are milliseconds since 1970. */
export interface TransferRecord {
  readonly id: string;
  readonly orcid: string;
  readonly sourceId: string;
  readonly destinationId: string;
  /** Where the destination's folder was at submission, links resolved; absent when it was away. */
  readonly destinationPlace?: string;
  readonly description?: string;
  readonly instructions?: JsonObject;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  readonly status: TransferStatusWord;
  readonly message: string;
  readonly movedCount: number;
  readonly isCancelRequested: boolean;
  readonly endedAtMs?: number;
}

/** One file of a transfer. */
export interface TransferFile {
  /** Its place in the order asked, from 0. */
  readonly position: number;
  /** Relative to the source's folder, and to the folder that the transfer lands in. */
  readonly path: string;
  /** What the source said of it when the transfer was submitted. */
  readonly resource: FileResource;
  readonly bytes: number;
  /** Hex; there once the file was staged. */
  readonly sha256?: string;
  /** It is whole and verified at the destination. */
  readonly isLanded: boolean;
}

/** Whether nothing more happens to a transfer. */
export function hasEnded(status: TransferStatusWord): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The wire form of a transfer's status (§2.4). */
export function statusDocument(record: TransferRecord): TransferStatusDocument {
  return {
    id: record.id,
    status: record.status,
    message: record.message,
    num_files: record.fileCount,
    num_files_transferred: record.movedCount,
  };
}

/** The message of a transfer: always begins with whose it is (D11). */
export function messageOf(id: string, text: string): string {
  return `Transfer ${id}: ${text}`;
}

/** `3 file(s) (1.2 MB)`. */
export function describeAmount(fileCount: number, sizeBytes: number): string {
  return `${fileCount} file(s) (${describeSize(sizeBytes)})`;
}

/** What a transfer says until it is its turn. */
export function describeWaiting(fileCount: number, sizeBytes: number): string {
  return `waiting to stage ${describeAmount(fileCount, sizeBytes)}`;
}

function describeSize(sizeBytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = sizeBytes;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit] ?? ''}`;
}
