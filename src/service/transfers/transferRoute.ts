import type { FileFailure, FileToMove, FileToStage, JobResult, JobSignal } from './fileJobs.ts';
import type { TransferRecord, TransferRecordFile } from './journalRecord.ts';

/** Stages and moves files between two databases: folders, or stores that rclone reaches. */
export interface TransferRoute {
  /** True if staging reads and hashes the files; otherwise they are hashed while they are moved. */
  readonly isHashedFirst: boolean;
  /** Hashes files of the source. */
  stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult>;
  /** Prepares a run: determines which files the destination has from an earlier run. */
  prepare(): Promise<void>;
  /** Moves files to their final names, after verifying them under a temporary name. */
  move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /** Finds transferred files that the destination no longer has. */
  findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /** Makes all files durable and writes the manifest. */
  finish(record: TransferRecord, files: readonly TransferRecordFile[], signal: AbortSignal): Promise<void>;
  /** Removes unfinished files and the manifest from the destination. Never rejects. */
  discard(manifestName: string): Promise<void>;
  /** Converts the failure of a file to the transfer's failure or suspension. */
  toTransferError(failure: FileFailure, file: TransferRecordFile): Promise<unknown>;
}
