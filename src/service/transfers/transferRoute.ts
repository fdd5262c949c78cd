import type { FileFailure, FileToMove, FileToStage, JobResult, JobSignal } from './fileJobs.ts';
import type { TransferRecord, TransferRecordFile } from './journalRecord.ts';

/** A transfer whose files have been transferred. */
export interface TransferredFiles {
  readonly record: TransferRecord;
  readonly files: readonly TransferRecordFile[];
  /** Rejects if a file is missing from a folder or has the wrong size there. */
  requireFiles(): Promise<void>;
}

/** Stages and transfers files between two databases, each of which is a folder or a store accessed through rclone. */
export interface TransferRoute {
  /** True if staging reads and hashes the files; otherwise, they are hashed while they are transferred. */
  readonly isHashedFirst: boolean;
  /** False if a store copies the files itself and doesn't report how much of them it has copied. */
  readonly canCountBytes: boolean;
  /** Hashes files in the source. Requires {@link isHashedFirst}. */
  stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult>;
  /**
   * Prepares a run. Queries the features of the stores involved. If the destination is a store, finds the objects that
   * earlier runs left, and removes the unfinished ones.
   */
  prepare(): Promise<void>;
  /** Copies files under temporary names, verifies the copies, and gives them their final names. */
  move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /** Finds transferred files that are missing from the destination or have the wrong size there. */
  findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /**
   * Makes the files durable where the system can, and writes the manifest if all files are at the destination. Returns
   * false if the destination may still have unfinished files.
   */
  finish(transferred: TransferredFiles, signal: AbortSignal): Promise<boolean>;
  /**
   * Removes unfinished files and the manifest from the destination. Returns false if the removal must be tried again
   * later. Never rejects.
   */
  discard(manifestName: string): Promise<boolean>;
  /** Converts a file's failure to a failure or suspension of the transfer. */
  toTransferError(failure: FileFailure, file: TransferRecordFile): Promise<unknown>;
}
