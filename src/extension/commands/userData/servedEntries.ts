import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { findRclonePath } from '../../../core/util/rclonePath.ts';
import { getRemoteName } from '../../../core/util/remote.ts';
import type { ServedEntry } from '../../../core/userData/userData.ts';
import type { ServedPlace, ServedStore } from '../../editor/settings.ts';
import { listRemotes } from '../../localService/rclone.ts';
import { containsPath, getServedPlaces, isSamePlace } from '../../localService/servedFolders.ts';
import type { CommandServices } from '../services.ts';

/** A folder or store in a user data file, compared with this machine's settings. */
export interface ServedComparison {
  /** The entry to save. Its name isn't used by another database on this machine. */
  readonly place: ServedPlace;
  /** The settings entry for the same folder or store. */
  readonly saved?: ServedPlace;
  /** Set if the folder or the remote can't be used on this machine. */
  readonly missing?: 'folder' | 'remote' | 'rclone';
}

/**
 * Compares the folders and stores in a user data file with the settings. Omits those that are identical to the settings
 * or can't be served.
 */
export async function compareServedEntries(
  services: CommandServices,
  entries: readonly ServedEntry[],
): Promise<readonly ServedComparison[]> {
  const { settings, serviceFolders, log } = services;
  const all = await getServedPlaces(settings, serviceFolders, log);
  const names = new Set(all.map(({ name }) => name));
  const remotes = entries.some(({ remote }) => remote !== undefined) ? await findRemoteNames(services) : undefined;
  const compared: ServedComparison[] = [];
  for (const entry of entries) {
    const found = await compareEntry(services, toPlace(entry), names, remotes);
    if (found) names.add(found.place.name);
    compared.push(...(found ? [found] : []));
  }
  return compared;
}

async function compareEntry(
  { settings, serviceFolders, log }: CommandServices,
  place: ServedPlace,
  names: ReadonlySet<string>,
  remotes: ReadonlySet<string> | undefined,
): Promise<ServedComparison | undefined> {
  const saved = settings.servedPlaces.find((one) => isSamePlace(one, place));
  if (saved && serialize(saved) === serialize(place)) return undefined;
  const missing = await findMissing(place, remotes);
  if (missing === undefined && !(await canServe(place, serviceFolders.dataFolder))) {
    log.warn(`The folder ${place.folder ?? ''} of the imported file can't be served on this machine`);
    return undefined;
  }
  const name = saved?.name === place.name ? place.name : getFreeName(place.name, names);
  return { place: { ...place, name, ...pickRestore(saved) }, ...(saved && { saved }), ...(missing && { missing }) };
}

/**
 * Returns the saved permission to restore archived objects. Restoring costs money, so a file can't change the
 * permission (D67: archived objects).
 */
function pickRestore(saved: ServedPlace | undefined): Pick<ServedStore, 'restore'> {
  return saved && 'restore' in saved ? { restore: saved.restore } : {};
}

/** Converts an entry to the form used in the settings. Resolves `..` in an absolute path. */
function toPlace({ folder, remote = '', rescanMinutes, ...fields }: ServedEntry): ServedPlace {
  if (folder === undefined) return { ...fields, remote, ...(rescanMinutes !== undefined && { rescanMinutes }) };
  return { ...fields, folder: isAbsolute(folder) ? resolve(folder) : folder };
}

async function findMissing(
  { folder, remote }: ServedPlace,
  remotes: ReadonlySet<string> | undefined,
): Promise<ServedComparison['missing']> {
  if (remote !== undefined && !remotes) return 'rclone';
  if (remote !== undefined) return remotes?.has(getRemoteName(remote)) ? undefined : 'remote';
  const found = isOnThisMachine(folder) ? await stat(folder).catch(() => undefined) : undefined;
  return found?.isDirectory() ? undefined : 'folder';
}

/**
 * Returns false for a relative path. Also returns false for a path to a server (`\\server\share`), because Windows
 * would sign in there.
 */
function isOnThisMachine(folder: string): boolean {
  return isAbsolute(folder) && !folder.startsWith(String.raw`\\`);
}

/**
 * Returns false for a folder that contains data of the local service, or is part of it. The service would refuse such a
 * folder.
 */
async function canServe({ folder }: ServedPlace, dataFolder: string): Promise<boolean> {
  if (folder === undefined) return true;
  return !(await containsPath(folder, dataFolder)) && !(await containsPath(dataFolder, folder));
}

/** Resolves to the names of the remotes in the user's configuration. Undefined if rclone isn't found. */
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

function serialize(place: ServedPlace): string {
  const { name, organization, readOnly } = place;
  return JSON.stringify([name, organization, readOnly, 'rescanMinutes' in place ? place.rescanMinutes : undefined]);
}
