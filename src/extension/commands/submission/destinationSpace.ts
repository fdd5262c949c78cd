import { readFreeBytes } from '../../../core/util/freeSpace.ts';
import type { CommandServices } from '../services.ts';
import { getServedFolder } from '../verification/transferredFolders.ts';

/**
 * Returns the number of free bytes at a destination. For the active connection, the number is known if a store has
 * reported it or this machine serves the destination's folder; for any, if the user has selected the folder. Returns
 * undefined otherwise, or if the file system doesn't report it in time.
 */
export async function getDestinationFreeBytes(
  { connectionStore, sessions, memory }: CommandServices,
  connectionId: string,
  destination: string,
): Promise<number | undefined> {
  const session = sessions.get(connectionId);
  const isShown = session !== undefined && sessions.active === session;
  const { databases } = connectionStore.listing;
  const reported = isShown ? databases.find(({ name }) => name === destination)?.listing?.freeBytes : undefined;
  if (reported !== undefined) return reported;
  const served = isShown ? getServedFolder(session, databases, destination) : undefined;
  const folder = served ?? (await memory.getDestinationFolder(connectionId, destination));
  return folder === undefined ? undefined : await readFreeBytes(folder);
}
