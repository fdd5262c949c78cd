import { fileStates, type FileState } from '../util/fileStates.ts';
import { hasEnded, type Transfer, type TransferFile } from './transferModel.ts';

/** A file of a transfer, as the service reports it (D71: file states). */
export interface FileProgress {
  /** 0-based index in the request. */
  readonly position: number;
  readonly id: string;
  readonly path: string;
  readonly state: FileState;
  readonly sizeBytes?: number;
  /** Number of attempts that failed; absent if none did, or if it is unknown. */
  readonly failedAttempts?: number;
  /** Why the last attempt failed; absent if it didn't. */
  readonly problem?: string;
}

/** The number of files in each state, without zeros. */
export type FileCounts = Readonly<Partial<Record<FileState, number>>>;

/** Some of a transfer's files, in the order of the request. */
export interface FileProgressPage {
  readonly files: readonly FileProgress[];
  /** Of all files of the transfer. */
  readonly counts: FileCounts;
  /** Continues the list; absent if there are no more files. */
  readonly cursor?: string;
}

/** All states but that of a transferred file, those that need attention first. */
export const untransferredStates = fileStates.filter((state) => state !== 'transferred');

/** Returns true if a service may know a transfer's files: one with an ID that neither succeeded nor expired. */
export function mayHaveFileStates({ id, state }: Transfer): boolean {
  return id !== undefined && state !== 'succeeded' && state !== 'expired';
}

/** Returns true if some, but perhaps not all, files of an ended transfer were transferred, and its order is known. */
export function mayHaveUntransferred(transfer: Transfer): boolean {
  return hasEnded(transfer.state) && mayHaveFileStates(transfer) && !transfer.startedElsewhere;
}

/** Returns the requested files with these positions. Leaves out positions that the order doesn't have. */
export function findRequestedFiles({ order }: Transfer, positions: Iterable<number>): readonly TransferFile[] {
  return [...positions].flatMap((position) => order.files[position] ?? []);
}
