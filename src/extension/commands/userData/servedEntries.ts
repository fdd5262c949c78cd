import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { findRclonePath } from '../../../core/util/rclonePath.ts';
import { getRemoteName } from '../../../core/util/remote.ts';
import type { ServedEntry } from '../../../core/userData/userData.ts';
import type { ServedLocation, ServedStore } from '../../editor/settings.ts';
import { listRemotes } from '../../localService/rclone.ts';
import { containsPath, getServedLocations, isSameLocation } from '../../localService/servedFolders.ts';
import type { CommandServices } from '../services.ts';

/** A folder or store in a user data file, compared with this machine's settings. */
export interface ServedComparison {
  /** The entry to save, under a name that no other database of the local service uses. */
  readonly location: ServedLocation;
  /** The entry in the settings for the same folder or store. */
  readonly saved?: ServedLocation;
  /** The folder, remote or program that is missing on this machine. Absent if the folder or store can be used. */
  readonly missing?: 'folder' | 'remote' | 'rclone';
}

/**
 * Compares the folders and stores in a user data file with the settings. Omits entries that the settings already
 * contain, and folders that the local service would refuse.
 */
export async function compareServedEntries(
  services: CommandServices,
  entries: readonly ServedEntry[],
): Promise<readonly ServedComparison[]> {
  const { settings, serviceFolders, log } = services;
  const all = await getServedLocations(settings, serviceFolders, log);
  const names = new Set(all.map(({ name }) => name));
  const remotes = entries.some(({ remote }) => remote !== undefined) ? await findRemoteNames(services) : undefined;
  const compared: ServedComparison[] = [];
  for (const entry of entries) {
    const found = await compareEntry(services, toLocation(entry), names, remotes);
    if (found) names.add(found.location.name);
    compared.push(...(found ? [found] : []));
  }
  return compared;
}

async function compareEntry(
  { settings, serviceFolders, log }: CommandServices,
  location: ServedLocation,
  names: ReadonlySet<string>,
  remotes: ReadonlySet<string> | undefined,
): Promise<ServedComparison | undefined> {
  const saved = settings.servedLocations.find((one) => isSameLocation(one, location));
  if (saved && serialize(saved) === serialize(location)) return undefined;
  const missing = await findMissing(location, remotes);
  if (missing === undefined && !(await canServe(location, serviceFolders.dataFolder))) {
    log.warn(`The folder ${location.folder ?? ''} of the imported file can't be served on this machine`);
    return undefined;
  }
  const name = saved?.name === location.name ? location.name : getFreeName(location.name, names);
  return {
    location: { ...location, name, ...pickRestore(saved) },
    ...(saved && { saved }),
    ...(missing && { missing }),
  };
}

/**
 * Returns the saved permission to restore objects. A user data file never contains it, because restoring costs money
 * (D67: archived objects).
 */
function pickRestore(saved: ServedLocation | undefined): Pick<ServedStore, 'restore'> {
  return saved && 'restore' in saved ? { restore: saved.restore } : {};
}

/** Converts an entry to the form that the settings use. Resolves `..` in an absolute path. */
function toLocation({ folder, remote = '', rescanMinutes, ...fields }: ServedEntry): ServedLocation {
  if (folder === undefined) return { ...fields, remote, ...(rescanMinutes !== undefined && { rescanMinutes }) };
  return { ...fields, folder: isAbsolute(folder) ? resolve(folder) : folder };
}

async function findMissing(
  { folder, remote }: ServedLocation,
  remotes: ReadonlySet<string> | undefined,
): Promise<ServedComparison['missing']> {
  if (remote !== undefined && !remotes) return 'rclone';
  if (remote !== undefined) return remotes?.has(getRemoteName(remote)) ? undefined : 'remote';
  const found = isOnThisMachine(folder) ? await stat(folder).catch(() => undefined) : undefined;
  return found?.isDirectory() ? undefined : 'folder';
}

/**
 * Returns false for a relative path. Also returns false for a UNC path (`\\server\share`), because Windows would sign
 * in to the server.
 */
function isOnThisMachine(folder: string): boolean {
  return isAbsolute(folder) && !folder.startsWith(String.raw`\\`);
}

/**
 * Returns false if a folder contains the local service's data folder or is inside it, because the service would refuse
 * the folder.
 */
async function canServe({ folder }: ServedLocation, dataFolder: string): Promise<boolean> {
  if (folder === undefined) return true;
  return !(await containsPath(folder, dataFolder)) && !(await containsPath(dataFolder, folder));
}

/**
 * Resolves to the names of the remotes in the user's rclone configuration. Resolves to undefined if rclone isn't found,
 * and to an empty set if the remotes can't be listed.
 */
async function findRemoteNames({ settings, log }: CommandServices): Promise<ReadonlySet<string> | undefined> {
  const program = findRclonePath(settings.rclonePath);
  if (program === undefined) return undefined;
  try {
    return new Set((await listRemotes(program)).map(({ remote }) => getRemoteName(remote)));
  } catch (error) {
    log.warn(`The stores in the rclone configuration can't be listed: ${String(error)}`);
    return new Set();
  }
}

function getFreeName(name: string, names: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} (${String(number)})`;
    if (!names.has(candidate)) return candidate;
  }
}

function serialize(location: ServedLocation): string {
  const { name, organization, readOnly } = location;
  return JSON.stringify([
    name,
    organization,
    readOnly,
    'rescanMinutes' in location ? location.rescanMinutes : undefined,
  ]);
}
