import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { l10n, Uri, workspace } from 'vscode';
import { createFolder } from '../../core/util/createFolder.ts';
import { isSamePath } from '../../core/util/fileSystem.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { ServedFolder, ServedLocation, Settings } from '../editor/settings.ts';

/** The folders used by the local service and the extension. */
export interface ServiceFolders {
  /** Data folder of the local service. It is never served. */
  readonly dataFolder: string;
  /** Folder for transfers to this machine. */
  readonly receivedFolder: string;
  readonly samplesFolder: string;
}

/** Returns the local service's folders within those of the extension. `machine`: this machine's name. */
export function getServiceFolders(extension: Uri, storage: Uri, machine: string): ServiceFolders {
  return {
    dataFolder: Uri.joinPath(storage, 'local-service', machine).fsPath,
    receivedFolder: Uri.joinPath(storage, 'received').fsPath,
    samplesFolder: Uri.joinPath(extension, 'samples').fsPath,
  };
}

/**
 * Returns the databases that the service serves for this window: those in the settings, the other folders of a trusted
 * workspace, a folder for received files and, if the settings list no databases, the samples. Omits a workspace folder
 * that contains the service's data.
 */
export async function getServedLocations(
  settings: Settings,
  folders: ServiceFolders,
  log: Logger,
): Promise<readonly ServedLocation[]> {
  await createFolder(folders.receivedFolder);
  const machine = l10n.t('This machine');
  const saved = settings.servedLocations.map((location) => addOrganization(location, machine));
  const builtIn = [
    ...(saved.length === 0 ? [createSampleFolder(folders, machine)] : []),
    { name: l10n.t('Received Files'), folder: folders.receivedFolder, organization: machine },
  ];
  const open: ServedFolder[] = [];
  for (const folder of getWorkspaceFolders()) {
    if ([...saved, ...open].some((other) => isSameLocation(other, folder))) continue;
    if (await containsPath(folder.folder, folders.dataFolder))
      log.warn(`${folder.folder} isn't served: it contains the data of the local service`);
    else open.push(folder);
  }
  return [...saved, ...open, ...builtIn];
}

/**
 * Returns the folder with the sample data. The folder is served as read-only, because an update of the extension would
 * delete any files transferred to it.
 */
function createSampleFolder({ samplesFolder }: ServiceFolders, organization: string): ServedFolder {
  return { name: l10n.t('Sample Data'), folder: samplesFolder, organization, readOnly: true };
}

function addOrganization(location: ServedLocation, machine: string): ServedLocation {
  const organization = location.remote === undefined ? machine : l10n.t('Stores');
  return { organization, ...location };
}

/** Returns the settings entry for the database with the given address; undefined if there is none. */
export function findSavedLocation(settings: Settings, url: string): ServedLocation | undefined {
  return settings.servedLocations.find((location) => isLocationAddress(url, location));
}

/** Returns true if a database's address refers to the given folder or store. */
export function isLocationAddress(url: string, { folder, remote }: Pick<ServedLocation, 'folder' | 'remote'>): boolean {
  if (folder === undefined) return url === `rclone:${encodeURI(remote ?? '')}`;
  return url.startsWith('file:') && isSamePath(Uri.parse(url).fsPath, folder);
}

/** Returns true if two entries refer to the same folder or store. */
export function isSameLocation(first: ServedLocation, second: ServedLocation): boolean {
  if (first.folder !== undefined && second.folder !== undefined) return isSamePath(first.folder, second.folder);
  return first.remote !== undefined && first.remote === second.remote;
}

/** Returns true if `path` is `folder` itself or is inside it, after resolving symbolic links. */
export async function containsPath(folder: string, path: string): Promise<boolean> {
  const [outer, inner] = await Promise.all([folder, path].map((one) => realpath(one).catch(() => resolve(one))));
  const relativePath = relative(outer ?? '', inner ?? '');
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

/** Calls a listener when databases or cluster in the settings, workspace folders or workspace trust change. */
export function watchServedLocations(listener: () => void): Disposable {
  const lifetime = new Lifetime();
  lifetime.track(
    workspace.onDidChangeConfiguration((change) => {
      const names = ['databases', 'cluster'].map((name) => `dataTransfer.localService.${name}`);
      if (names.some((name) => change.affectsConfiguration(name))) listener();
    }),
  );
  lifetime.track(workspace.onDidChangeWorkspaceFolders(listener));
  lifetime.track(workspace.onDidGrantWorkspaceTrust(listener));
  return lifetime;
}

/** Returns the folders of the workspace that are on this machine; none if the workspace isn't trusted. */
function getWorkspaceFolders(): readonly ServedFolder[] {
  if (!workspace.isTrusted) return [];
  return (workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, folder: uri.fsPath, organization: l10n.t('Workspace folders') }));
}
