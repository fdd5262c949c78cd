import type { DatabaseLocation } from '../catalog/servedDatabases.ts';
import type { RcloneAddress } from '../stores/storeClient.ts';
import type { CopyVerification } from './copyVerification.ts';
import type { FileToMove, JobSignal } from './fileJobs.ts';

/** One side of a transfer to or from a store. */
export interface CarrySide {
  readonly location: DatabaseLocation;
  /** A store's preferred hash algorithm; undefined for a folder, or a store without hashes. */
  readonly hash: string | undefined;
}

/** A file to move from or to a store. */
export interface FileToCarry extends FileToMove {
  /** True if the destination is a store that has an object with this name from an earlier attempt. */
  readonly isPresent: boolean;
}

/** Files to transfer to or from a store with the help of rclone (D62: stores through rclone). */
export interface CarryJob {
  readonly transferId: string;
  /** Identifies the run of the transfer. Names the folder that contains the unfinished objects of its batches. */
  readonly attempt: string;
  readonly source: CarrySide;
  readonly destination: CarrySide;
  /** Resolved path of the destination's folder at submission, if known. */
  readonly destinationPlace?: string | undefined;
  readonly rclone: RcloneAddress;
  readonly files: readonly FileToCarry[];
  /** Present if both sides share a remote and its store supports server-side copies (D66: copies within a store). */
  readonly copyVerification?: CopyVerification | undefined;
  readonly bytesPerSecond?: number | undefined;
  /** True if each file is flushed to disk individually. */
  readonly isFlushed: boolean;
  readonly signal: JobSignal;
}
