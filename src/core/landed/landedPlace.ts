import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { landingFolderOf, manifestName, otherManifestName } from '../util/landedNames.ts';

/** Where a transfer landed. */
export interface LandedPlace {
  readonly folder: string;
  /** Absent where there is none. */
  readonly manifest?: string;
}

/** What came of looking for a landed transfer. */
export interface Sought {
  readonly found?: LandedPlace;
  /** The places that were looked at, in this order; `*` stands for any folder. */
  readonly looked: readonly string[];
}

/** How many folders are looked into for one with the name of the transfer's. */
const mostFolders = 1_000;

/**
 * Looks for what a transfer landed, in a folder that is the transfer's own, or holds it (D24), or holds the folder of a
 * person that holds it, as with the public service. A folder that names another transfer is passed over.
 */
export async function findLanded(folder: string, transferId: string): Promise<Sought> {
  const looked: string[] = [];
  // An id is what a service said: one that is no plain name leads nowhere.
  if (/^\w[\w-]*$/.test(transferId)) {
    const name = landingFolderOf(transferId);
    if (basename(folder) !== name) {
      const found = await findBelow(folder, name, looked);
      if (found !== undefined) return { found: await placeAt(found, transferId), looked };
    }
  }
  const own = basename(folder);
  if (/^dts-[0-9a-f-]{36}$/i.test(own) && own !== landingFolderOf(transferId)) return { looked };
  looked.push(join(folder, manifestName));
  const place = await placeAt(folder, transferId);
  const isFound = place.manifest !== undefined || own === landingFolderOf(transferId);
  return isFound && (await isFolder(folder)) ? { found: place, looked } : { looked };
}

async function findBelow(folder: string, name: string, looked: string[]): Promise<string | undefined> {
  looked.push(join(folder, name));
  if (await isFolder(join(folder, name))) return join(folder, name);
  looked.push(join(folder, '*', name));
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).slice(0, mostFolders);
  for (const inside of folders) {
    const path = join(folder, inside.name, name);
    if (await isFolder(path)) return path;
  }
  return undefined;
}

async function placeAt(folder: string, transferId: string): Promise<LandedPlace> {
  for (const name of [otherManifestName(basename(transferId)), manifestName]) {
    const manifest = join(folder, name);
    const stats = await stat(manifest).catch(() => undefined);
    if (stats?.isFile()) return { folder, manifest };
  }
  return { folder };
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}
