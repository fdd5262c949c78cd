import { mkdir, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { l10n, Uri, workspace } from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { Logger } from '../core/util/logger.ts';
import type { ServedFolder, Settings } from './settings.ts';

/** Where the extension keeps things and what it brings along; the places that are served, or must not be. */
export interface ServicePlaces {
  /** Where the local service keeps what it keeps. */
  readonly dataFolder: string;
  /** Where transfers to this machine arrive. */
  readonly received: string;
  readonly samples: string;
}

/** The places of the local service for an extension that is installed here and keeps its things there. */
export function servicePlaces(extension: Uri, storage: Uri, machine: string): ServicePlaces {
  return {
    dataFolder: Uri.joinPath(storage, 'local-service', machine).fsPath,
    received: Uri.joinPath(storage, 'received').fsPath,
    samples: Uri.joinPath(extension, 'samples').fsPath,
  };
}

/**
 * The folders that this window wants to have served: those of the settings, those of the workspace that are not among
 * them, a place for what arrives, and, as long as the settings name none, the samples.
 */
export async function servedFolders(
  settings: Settings,
  places: ServicePlaces,
  log: Logger,
): Promise<readonly ServedFolder[]> {
  await mkdir(places.received, { recursive: true });
  const machine = l10n.t('This machine');
  const saved = settings.servedFolders.map((folder) => ({ organization: machine, ...folder }));
  const own = [
    ...(saved.length === 0 ? [sampleData(places, machine)] : []),
    { name: l10n.t('Received Files'), folder: places.received, organization: machine },
  ];
  const open: ServedFolder[] = [];
  for (const folder of openFolders()) {
    if ([...saved, ...open].some((other) => isSameFolder(other.folder, folder.folder))) continue;
    if (await holds(folder.folder, places.dataFolder))
      log.warn(`${folder.folder} is not served: it holds the data of the local service`);
    else open.push(folder);
  }
  return [...saved, ...open, ...own];
}

/** The samples are part of the extension: an update would delete what landed there. */
function sampleData({ samples }: ServicePlaces, organization: string): ServedFolder {
  return { name: l10n.t('Sample Data'), folder: samples, organization, readOnly: true };
}

/** The entry of the settings that this address of a database comes from. */
export function savedFolderOf(settings: Settings, url: string): ServedFolder | undefined {
  return settings.servedFolders.find(({ folder }) => isAddressOf(url, folder));
}

/** Whether the address of a database names this folder. */
export function isAddressOf(url: string, folder: string): boolean {
  return url.startsWith('file:') && isSameFolder(Uri.parse(url).fsPath, folder);
}

/** Whether two absolute paths name the same folder; links are not followed. */
export function isSameFolder(one: string, other: string): boolean {
  return resolve(one) === resolve(other);
}

/** Whether a folder holds another path, links resolved. */
export async function holds(folder: string, path: string): Promise<boolean> {
  const [outer, inner] = await Promise.all([folder, path].map((one) => realpath(one).catch(() => resolve(one))));
  const way = relative(outer ?? '', inner ?? '');
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Calls when the settings or the workspace name other folders. */
export function watchServedFolders(act: () => void): Disposable {
  const lifetime = new Lifetime();
  lifetime.track(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('dataTransfer.localService.databases')) act();
    }),
  );
  lifetime.track(workspace.onDidChangeWorkspaceFolders(act));
  return lifetime;
}

function openFolders(): readonly ServedFolder[] {
  return (workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, folder: uri.fsPath, organization: l10n.t('Open folders') }));
}
