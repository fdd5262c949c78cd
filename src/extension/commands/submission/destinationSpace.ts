import { readFreeBytes } from '../../../core/util/freeSpace.ts';
import type { CommandServices } from '../services.ts';
import { getServedFolder } from '../verification/transferredFolders.ts';

/**
 * Returns the number of free bytes at a destination. The number comes from the active connection or from the file
 * system of a folder: the one that the active connection serves as the destination or, if unknown, the one that the
 * user selected. Returns undefined if the number isn't known or isn't reported in time.
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
