import { getRemoteName } from '../../core/util/remote.ts';
import type { StoreFeatures } from '../stores/storeFeatures.ts';

/** Options for creating and listing the copies of a store, so that their hashes are those of their content. */
export interface CopyVerification {
  /** rclone options for the remote that is copied. */
  readonly copyOptions: string;
  /** rclone options for the remote whose copies are listed. */
  readonly listOptions: string;
  /** False if a hash may come from metadata that the uploader set and copies inherit. */
  readonly hasOwnHashes: boolean;
}

/** Kinds of stores that compute the hash of each object, as rclone describes them. */
const hashingStores = /^(?:GCS|Swift|Google drive|box|pcloud) /;
const s3 = /^S3 /;

/**
 * S3 computes the MD5 of an object that it copies in one piece, but not of one that it encrypts with a user's key.
 * Without the options for that encryption, rclone reports the value that S3 has instead, which never equals an MD5.
 */
const s3Verification: CopyVerification = {
  // The largest size that S3 copies in one piece is 5 GiB.
  copyOptions: 'copy_cutoff=4608Mi',
  listOptions: 'server_side_encryption=,sse_customer_algorithm=,sse_customer_key=,sse_customer_key_base64=',
  hasOwnHashes: true,
};

/** Returns how the copies within a remote are verified (D66: copies within a store). */
export function chooseVerification(remote: string, { name, description }: StoreFeatures): CopyVerification {
  // The options of an alias have no effect on the store behind it.
  if (s3.test(description) && name === getRemoteName(remote)) return s3Verification;
  return { copyOptions: '', listOptions: '', hasOwnHashes: hashingStores.test(description) };
}
