import type { DatabaseLocation } from '../catalog/servedDatabases.ts';
import type { RcloneAddress } from '../stores/storeClient.ts';
import { isS3, type StoreFeatures } from '../stores/storeFeatures.ts';
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

/**
 * Options for copying objects within a store and for listing the copies. Where possible, they ensure that the reported
 * hashes are computed from the content.
 */
export interface CopyVerification {
  /** rclone options for the remotes that objects are copied from and to. */
  readonly copyOptions: string;
  /** rclone options for the remote that contains the listed copies. */
  readonly listOptions: string;
  /** False if a hash may come from metadata that was set by the uploader and is inherited by copies. */
  readonly hasOwnHashes: boolean;
}

/** Matches rclone's descriptions of the stores that compute the hash of each object. */
const hashingStores = /^(?:GCS|Swift|Google drive|box|pcloud) /;

/**
 * Verification of S3 copies. The ETag of an object that S3 copies in one piece is its MD5, unless the object is
 * encrypted with a managed or customer-provided key. The listing clears the encryption options, because with them
 * rclone reports a hash from the uploader's metadata instead. An ETag that isn't an MD5 never equals the expected hash.
 */
const s3Verification: CopyVerification = {
  // The largest size that S3 copies in one piece is 5 GiB.
  copyOptions: 'copy_cutoff=4608Mi',
  listOptions: 'server_side_encryption=,sse_customer_algorithm=,sse_customer_key=,sse_customer_key_base64=',
  hasOwnHashes: true,
};

/** Returns the options for verifying copies within a remote (D66: copies within a store). */
export function chooseVerification(remote: string, features: StoreFeatures): CopyVerification {
  if (isS3(remote, features)) return s3Verification;
  return { copyOptions: '', listOptions: '', hasOwnHashes: hashingStores.test(features.description) };
}
