import { getTransferFolderName, getUploadFolderName } from '../../core/util/transferFolderNames.ts';
import type { ServedDatabase } from '../catalog/servedDatabases.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { waitForAbandonedRequests } from '../stores/abandonedRequests.ts';
import { StoreClient } from '../stores/storeClient.ts';
import { StoreError } from '../stores/storeError.ts';
import type { StoreObject } from '../stores/storeObject.ts';
import { hasRoom } from './transferErrors.ts';

interface StoreLeftovers {
  readonly remote: string;
  readonly transferId: string;
  /** Name of the manifest to remove; empty to keep it. */
  readonly manifest: string;
}

/**
 * The result of a removal: `failed` if the store is unavailable or unfinished objects remain; `incomplete` if more of
 * them may appear, because rclone is still uploading, or is used by other work and can't close its connections.
 */
export type Removal = 'complete' | 'incomplete' | 'failed';

/** Removes a transfer's unfinished objects and its manifest from a store; complete objects remain. */
export async function discardInStore(daemon: RcloneDaemon, leftovers: StoreLeftovers): Promise<Removal> {
  const { remote, transferId, manifest } = leftovers;
  const folder = getTransferFolderName(transferId);
  const isLeftover = ({ path }: StoreObject): boolean =>
    path.endsWith(`.part-${transferId}`) || path === `${folder}/${manifest}`;
  const work = async (client: StoreClient): Promise<Removal> => {
    const isIdle = await waitForAbandonedRequests(client, folder);
    const canClose = isIdle && !daemon.isShared;
    if (canClose) await closeConnections(client);
    const objects = await client.list(remote, folder);
    for (const { path } of objects.filter(isLeftover)) await client.remove(remote, path);
    const isRemoved = await client.purge(remote, getUploadFolderName(transferId));
    // Some stores reject this request if the folder doesn't exist. A folder that remains has no unfinished objects.
    if (objects.every(isLeftover)) await client.removeEmptyFolders(remote, folder).catch(throwIfUnreachable);
    if (!isRemoved) return 'failed';
    return canClose ? 'complete' : 'incomplete';
  };
  return await withStoreClient(daemon, work).catch(() => 'failed');
}

/**
 * Makes rclone close its connections to all stores. rclone doesn't close the object of a failed upload, and some SFTP
 * servers, such as rclone's own, hide a removed object until then and create it afterwards. rclone would keep
 * connections that are in use open for another minute.
 */
async function closeConnections(client: StoreClient): Promise<void> {
  await client.call('fscache/clear', {});
}

function throwIfUnreachable(error: unknown): void {
  if (!(error instanceof StoreError) || error.kind === 'unreachable') throw error;
}

/** Runs `work` with a client for rclone, which is started if necessary. The client's requests belong to `group`. */
export async function withStoreClient<T>(
  daemon: RcloneDaemon,
  work: (client: StoreClient) => Promise<T>,
  group?: string,
): Promise<T> {
  return await daemon.use(async (address) => {
    const client = new StoreClient(address, 2, group);
    try {
      return await work(client);
    } finally {
      client.dispose();
    }
  });
}

/** Returns true if both databases are available and the destination isn't known to have too little free space. */
export async function canResume(
  daemon: RcloneDaemon,
  { source, destination }: { readonly source: ServedDatabase; readonly destination: ServedDatabase },
  neededBytes: number,
): Promise<boolean> {
  if (!(await hasRoom(source.location.folder, destination.location.folder, neededBytes))) return false;
  const [from, to] = [source.location.remote, destination.location.remote];
  const remotes = [from, to].flatMap((remote) => remote ?? []);
  if (remotes.length === 0) return true;
  return await withStoreClient(daemon, async (client) => {
    await Promise.all(remotes.map(async (remote) => await client.requireReachable(remote)));
    const freeBytes = to === undefined ? undefined : await client.getFreeBytes(to);
    return freeBytes === undefined || freeBytes >= neededBytes;
  }).catch(() => false);
}
