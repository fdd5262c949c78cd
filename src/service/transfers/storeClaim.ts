import { settlesWithin, systemClock } from '../../core/util/clock.ts';
import { getClaimName, getManifestNames } from '../../core/util/transferFolderNames.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { StoreClient, type StoreObject } from '../stores/storeClient.ts';
import { StoreError } from '../stores/storeError.ts';
import { nameTaken } from './folderClaim.ts';
import { TransferFailure } from './transferErrors.ts';

interface StoreFolder {
  readonly remote: string;
  readonly transferId: string;
  readonly folderName: string;
}

/** Maximum time to look for a folder while a submission waits, in milliseconds. */
const lookUpMs = 5_000;

/** The content of a mark before it is known that no other transfer has the folder; afterwards, it is the ID. */
const claiming = 'claiming';

/** Returns true if a store has a folder or an object with a name; false also if the store can't be asked in time. */
export async function isNameTaken(daemon: RcloneDaemon, remote: string, name: string): Promise<boolean> {
  let isFound = false;
  const lookUp = daemon.use(async (rclone) => {
    const client = new StoreClient(rclone, 1);
    isFound = await hasEntry(client, remote, name).finally(() => client.dispose());
  });
  await settlesWithin(
    systemClock,
    lookUpMs,
    lookUp.catch(() => undefined),
  );
  return isFound;
}

async function hasEntry(client: StoreClient, remote: string, name: string): Promise<boolean> {
  const { item } = await client.call('operations/stat', { fs: remote, remote: name });
  if ((item ?? undefined) !== undefined) return true;
  const opt = { recurse: false, noModTime: true, noMimeType: true };
  try {
    const { list } = await client.call('operations/list', { fs: remote, remote: name, opt });
    return Array.isArray(list) && list.length > 0;
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'missing') return false;
    throw error;
  }
}

/** Lists the objects in a folder; an empty list if there is none. Throws a failure if an object has its name. */
export async function listChosenFolder(
  client: StoreClient,
  remote: string,
  folderName: string,
): Promise<readonly StoreObject[]> {
  const object = await client.stat(remote, folderName, undefined);
  if (object !== undefined) throw createTakenFailure(folderName);
  return await client.list(remote, folderName);
}

/**
 * Marks the folder with a chosen name in a store as this transfer's until its manifest is complete. Throws a
 * {@link TransferFailure} if anything has the name, unless the folder is this transfer's. A store has no folder that
 * only one program can create: so a mark that claims it is written first, and then the others are looked for, of which
 * at least one transfer finds the other one's (D24: destination layout). Only then does the mark state that the folder
 * is this transfer's. Throws a `StoreError` if the store fails.
 */
export async function claimStoreFolder(client: StoreClient, folder: StoreFolder): Promise<void> {
  const { remote, transferId, folderName } = folder;
  const path = getMarkPath(folder);
  if (!(await isOwnStoreFolder(client, folder))) {
    const hasOthers = async (): Promise<boolean> =>
      // rclone may have left an unfinished copy of the mark.
      (await client.list(remote, folderName)).some((object) => !object.path.startsWith(path));
    if (await hasOthers()) throw createTakenFailure(folderName);
    await writeMark(client, folder, claiming);
    if (await hasOthers()) {
      await client.remove(remote, path);
      throw createTakenFailure(folderName);
    }
  }
  await writeMark(client, folder, transferId);
}

async function writeMark(client: StoreClient, { remote, transferId, folderName }: StoreFolder, text: string) {
  const content = Buffer.from(text);
  const pieces = (async function* (): AsyncGenerator<Buffer> {
    yield await Promise.resolve(content);
  })();
  const mark = { folder: folderName, name: getClaimName(transferId), bytes: content.length };
  await client.write(remote, mark, pieces, new AbortController().signal);
}

/**
 * Returns true if a folder with a chosen name is this transfer's: its mark or its manifest says so. The mark of a claim
 * that was interrupted doesn't. Throws a `StoreError` if the store fails.
 */
export async function isOwnStoreFolder(client: StoreClient, folder: StoreFolder): Promise<boolean> {
  const { remote, transferId, folderName } = folder;
  if ((await readStart(client, remote, getMarkPath(folder))) === transferId) return true;
  for (const name of getManifestNames(transferId))
    if ((await readStart(client, remote, `${folderName}/${name}`)).includes(`"id": "${transferId}"`)) return true;
  return false;
}

function getMarkPath({ transferId, folderName }: StoreFolder): string {
  return `${folderName}/${getClaimName(transferId)}`;
}

async function readStart(client: StoreClient, remote: string, path: string): Promise<string> {
  if ((await client.stat(remote, path, undefined)) === undefined) return '';
  for await (const piece of client.read(remote, path, 0, new AbortController().signal))
    return piece.toString('utf8', 0, 1024);
  return '';
}

function createTakenFailure(folderName: string): TransferFailure {
  return new TransferFailure(`could not write ${folderName}: ${nameTaken}`);
}
