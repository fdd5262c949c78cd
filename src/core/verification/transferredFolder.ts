import { lstat, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getMachine, isLoopback, type Connection, type ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import {
  findClaimant,
  findFolderTransferId,
  findManifestNames,
  getManifestNames,
  getTransferFolderName,
  manifestName,
} from '../util/transferFolderNames.ts';

/** The folder that contains a transfer's files. */
export interface TransferredFolder {
  readonly folder: string;
  /** The path of the folder's manifest; absent if there is none. */
  readonly manifest?: string;
}

/** The result of a search for a transferred folder. */
export interface FolderSearchResult {
  readonly found?: TransferredFolder;
  /** The searched locations, in order; `*` represents any folder. */
  readonly searched: readonly string[];
}

const maxFolders = 1_000;

/** The ID comes within the first lines of a manifest. */
const headBytes = 1024;

/**
 * Finds the folder that contains a transfer's files (D24: destination layout). The result can be the given folder, one
 * of its subfolders or, as on the public server, a folder within a subfolder. Never finds a folder that is named after
 * another transfer, or one with a chosen name whose manifest or mark is another transfer's. `name` is that of the
 * transfer's own folder.
 */
export async function findTransferredFolder(
  folder: string,
  transferId: string,
  name = getTransferFolderName(transferId),
): Promise<FolderSearchResult> {
  const searched: string[] = [];
  // The ID comes from a server. If it is not a plain name, it could point outside the folder.
  if (/^\w[\w-]*$/.test(transferId)) {
    if (basename(folder) !== name) {
      const found = await findSubfolder(folder, name, searched, name === getTransferFolderName(transferId));
      if (found !== undefined) return await checkFound(found, transferId, searched);
    }
  }
  const own = basename(folder);
  if (findFolderTransferId(own) !== undefined && own !== name) return { searched };
  searched.push(join(folder, manifestName));
  const result = await toTransferredFolder(folder, transferId);
  const isFound = result.manifest !== undefined || own === name;
  if (!isFound || !(await isFolder(folder))) return { searched };
  return own === name ? await checkFound(folder, transferId, searched) : { found: result, searched };
}

async function checkFound(folder: string, transferId: string, searched: readonly string[]) {
  const found = await toTransferredFolder(folder, transferId);
  // A later transfer can have a chosen name whose folder was moved away.
  const isForeign =
    (await isForeignManifest(found.manifest, transferId)) || (await isFilledByOther(folder, transferId));
  return isForeign ? { searched } : { found, searched };
}

async function isFilledByOther(folder: string, transferId: string): Promise<boolean> {
  if (basename(folder) === getTransferFolderName(transferId)) return false;
  const claimants = (await readdir(folder).catch(() => [])).flatMap((name) => findClaimant(name) ?? []);
  return claimants.some((id) => id !== transferId.toLowerCase());
}

async function isForeignManifest(manifest: string | undefined, transferId: string): Promise<boolean> {
  if (manifest === undefined || basename(dirname(manifest)) === getTransferFolderName(transferId)) return false;
  const head = await readHead(manifest).catch(() => '');
  const [, id] = /^\s*\{[^{}]*"id": "([0-9a-f-]{36})"/.exec(head) ?? [];
  return id !== undefined && id !== transferId.toLowerCase() && /"name": "manifest"/.test(head);
}

async function readHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function findSubfolder(
  folder: string,
  name: string,
  searched: string[],
  isUnique: boolean,
): Promise<string | undefined> {
  searched.push(join(folder, name));
  if (await isFolder(join(folder, name))) return join(folder, name);
  // A chosen name may also be that of somebody else's folder.
  if (!isUnique) return undefined;
  searched.push(join(folder, '*', name));
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).slice(0, maxFolders);
  for (const inside of folders) {
    const path = join(folder, inside.name, name);
    if (await isFolder(path)) return path;
  }
  return undefined;
}

/**
 * Returns the path of a folder's manifest; undefined if there is none. A file called `manifest.json` may be one of the
 * transferred files (D24: destination layout).
 */
export async function findFolderManifest(folder: string): Promise<string | undefined> {
  return await findManifest(folder, findFolderTransferId(basename(resolve(folder))));
}

async function toTransferredFolder(folder: string, transferId: string): Promise<TransferredFolder> {
  const manifest = await findManifest(folder, basename(transferId));
  return { folder, ...(manifest !== undefined && { manifest }) };
}

async function findManifest(folder: string, transferId: string | undefined): Promise<string | undefined> {
  const listNames = async (): Promise<readonly string[]> => findManifestNames(await readdir(folder).catch(() => []));
  for (const name of transferId === undefined ? await listNames() : getManifestNames(transferId)) {
    const manifest = join(folder, name);
    const stats = await stat(manifest).catch(() => undefined);
    if (stats?.isFile()) return manifest;
  }
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}

interface ServingConnection {
  readonly connection: Pick<Connection, 'id'>;
  readonly service: Pick<ServiceInfo, 'address'>;
}

/**
 * Returns the path of the folder that a service on this machine serves as a database. Returns undefined if the service
 * runs elsewhere, if the database isn't a folder, or if its URL has no equivalent path on this system. A path on
 * another host (`\\host\share`) is returned only for the local service, because Windows signs in to that host.
 */
export function findServedFolder(
  { connection, service }: ServingConnection,
  { url }: Pick<Database, 'url'>,
  isWindows = process.platform === 'win32',
): string | undefined {
  if (!isLoopback(new URL(service.address).hostname) || !url.startsWith('file:')) return undefined;
  try {
    const path = fileURLToPath(url, { windows: isWindows });
    return path.startsWith('\\\\') && getMachine(connection.id) === undefined ? undefined : path;
  } catch {
    return undefined;
  }
}
