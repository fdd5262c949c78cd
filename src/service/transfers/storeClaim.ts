import { settlesWithin, systemClock } from '../../core/util/clock.ts';
import { getClaimName, getManifestNames } from '../../core/util/transferFolderNames.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { StoreClient, type StoreObject } from '../stores/storeClient.ts';
import { nameTaken } from './folderClaim.ts';
import { TransferFailure } from './transferErrors.ts';

interface StoreFolder {
  readonly remote: string;
  readonly transferId: string;
  readonly folderName: string;
}

/** Maximum time to look for a folder while a submission waits, in milliseconds. */
const lookUpMs = 5_000;

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
  return (item ?? undefined) !== undefined || (await client.list(remote, name)).length > 0;
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
 * {@link TransferFailure} if anything has the name, unless this transfer has marked it. A store has no folder that only
 * one program can create: so the mark is written first, and then the others are looked for, of which at least one
 * transfer finds the other one's (D24: destination layout). Throws a
 * `StoreError` if the store fails.
 */
export async function claimStoreFolder(client: StoreClient, folder: StoreFolder): Promise<void> {
  const { remote, transferId, folderName } = folder;
  const name = getClaimName(transferId);
  const path = `${folderName}/${name}`;
  const isOwn = await hasMark(client, folder, path);
  const hasOthers = async (): Promise<boolean> =>
    (await client.list(remote, folderName)).some((object) => isOthers(object.path, path, isOwn));
  if (await hasOthers()) throw createTakenFailure(folderName);
  const content = Buffer.from(transferId);
  const pieces = (async function* (): AsyncGenerator<Buffer> {
    yield await Promise.resolve(content);
  })();
  const mark = { folder: folderName, name, bytes: content.length };
  await client.write(remote, mark, pieces, new AbortController().signal);
  if (!(await hasOthers())) return;
  if (!isOwn) await client.remove(remote, path);
  throw createTakenFailure(folderName);
}

function isOthers(path: string, mark: string, isOwn: boolean): boolean {
  // rclone may have left an unfinished copy of the mark.
  if (path.startsWith(mark)) return false;
  // In this transfer's folder, only the mark of another one counts.
  return !isOwn || /^[^/]+\/\.part-[0-9a-f-]{36}$/.test(path);
}

async function hasMark(client: StoreClient, { remote, transferId, folderName }: StoreFolder, mark: string) {
  if ((await client.stat(remote, mark, undefined)) !== undefined) return true;
  for (const name of getManifestNames(transferId))
    if ((await readStart(client, remote, `${folderName}/${name}`)).includes(`"id": "${transferId}"`)) return true;
  return false;
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
