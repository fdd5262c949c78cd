import { statfs } from 'node:fs/promises';
import { setTimeout as passed } from 'node:timers/promises';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import type { Memory } from '../../host/memory.ts';
import type { Sessions } from '../../core/flows/sessions.ts';
import { servedFolderOf } from '../landed/landedPlace.ts';

/** What looking for free space needs. */
export interface FreeSpaceParts {
  readonly connectionStore: ConnectionStore;
  readonly sessions: Sessions;
  readonly memory: Memory;
}

const longestWaitMs = 1_000;

/**
 * How many bytes are free where the files of a transfer will land, where that is a folder of this machine: one that a
 * service of this machine serves, or one that the person has shown. A file system that does not answer is left alone.
 */
export async function freeBytesAt(
  { connectionStore, sessions, memory }: FreeSpaceParts,
  connectionId: string,
  destination: string,
): Promise<number | undefined> {
  const session = sessions.get(connectionId);
  const isShown = session !== undefined && sessions.active === session;
  const served = isShown ? servedFolderOf(session, connectionStore.listing.databases, destination) : undefined;
  const folder = served ?? (await memory.landedFolder(connectionId, destination));
  return folder === undefined ? undefined : await Promise.race([freeBytes(folder), tooLate()]);
}

async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

async function tooLate(): Promise<undefined> {
  await passed(longestWaitMs, undefined, { ref: false });
}
