import { addRemoteOptions } from '../../core/util/remote.ts';
import type { StoreClient } from '../stores/storeClient.ts';
import { isS3 } from '../stores/storeFeatures.ts';

const maxParts = 10_000;
/** The part size that rclone uses by default, which is also the smallest one that it accepts. */
const defaultPartMiB = 5;

/**
 * Returns the remote to use for writing an object of `bytes` bytes to a store. For a large S3 object, adds an option
 * that makes the parts large enough for S3's limit of 10,000 parts, because rclone doesn't know the size of an object
 * that it receives as a stream. Throws {@link StoreError}.
 */
export async function chooseUploadRemote(client: StoreClient, remote: string, bytes: number): Promise<string> {
  const partMiB = Math.ceil(bytes / maxParts / 1024 ** 2);
  if (partMiB <= defaultPartMiB || !isS3(remote, await client.getFeatures(remote))) return remote;
  return addRemoteOptions(remote, `chunk_size=${partMiB}Mi`);
}
