import { basename, dirname } from 'node:path';
import { l10n, type Uri } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { Database } from '../../../core/model/databaseModel.ts';
import { isLoopback } from '../../../core/model/connection.ts';
import { findFolderName, type Transfer } from '../../../core/model/transferModel.ts';
import {
  findServedFolder,
  findTransferredFolder,
  type FolderSearchResult,
  type TransferredFolder,
} from '../../../core/verification/transferredFolder.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { pickFolder } from '../../editor/fileDialogs.ts';
import { getServedLocations } from '../../localService/servedFolders.ts';
import { createUnknownIdHint } from '../../editor/nextSteps.ts';
import { formatList } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { openLocalInBackground } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';

/** The services needed to find a destination's folder. */
type FolderServices = Pick<
  CommandServices,
  'connectFlow' | 'sessions' | 'memory' | 'settings' | 'serviceFolders' | 'log'
>;

/**
 * Finds a transfer's folder in the destination's folder on this machine, or in the folder selected earlier (D24:
 * destination layout). Never prompts and never starts the local service.
 */
export async function locateTransferredFiles(
  services: FolderServices,
  transfer: Transfer,
): Promise<TransferredFolder | undefined> {
  if (transfer.id === undefined) return undefined;
  return (await searchFolders(await getKnownFolders(services, transfer), transfer)).found;
}

/**
 * Finds a transfer's folder. If the transfer belongs to the local service, starts the service if needed. Never prompts.
 * If the folder isn't found, the result lists the searched locations.
 */
export async function searchTransferredFiles(
  services: CommandServices,
  transfer: Transfer,
): Promise<FolderSearchResult> {
  const { connectionId } = transfer.order;
  const known = await searchFolders(await getKnownFolders(services, transfer), transfer);
  if (known.found || connectionId !== localConnectionId || services.sessions.get(connectionId)) return known;
  await openLocalInBackground(services);
  return await searchFolders(await getKnownFolders(services, transfer), transfer);
}

/**
 * Finds a transfer's folder. If {@link searchTransferredFiles} doesn't find it, prompts the user with {@link
 * askTransferredFolder}. Returns undefined if the user cancels.
 */
export async function findTransferredFiles(
  services: CommandServices,
  transfer: Transfer,
): Promise<TransferredFolder | undefined> {
  const { found, searched } = await searchTransferredFiles(services, transfer);
  if (found) return found;
  if (searched.length > 0 && !(await askToPickAnother(services, getId(transfer), searched))) return undefined;
  return await askTransferredFolder(services, transfer);
}

/**
 * Asks for a transfer's folder. Unless the folder was renamed, remembers its parent for other transfers to the same
 * destination. Returns undefined if the user cancels.
 */
export async function askTransferredFolder(
  services: CommandServices,
  transfer: Transfer,
): Promise<TransferredFolder | undefined> {
  const id = getId(transfer);
  const name = findFolderName(transfer);
  for (;;) {
    const title = l10n.t('Select the {0} folder or its parent folder', toPlainLine(name ?? ''));
    const picked = await pickFolder(title);
    if (!picked) return undefined;
    const { found, searched } = await findTransferredFolder(getLocalPath(picked), id, name);
    if (found) {
      await rememberFolder(services, transfer, found.folder);
      return found;
    }
    if (!(await askToPickAnother(services, id, searched))) return undefined;
  }
}

async function getKnownFolders(services: FolderServices, transfer: Transfer): Promise<readonly string[]> {
  const { memory, settings, serviceFolders, log } = services;
  const { connectionId, destination } = transfer.order;
  const isLocal = connectionId === localConnectionId;
  const local = isLocal ? await getServedLocations(settings, serviceFolders, log) : [];
  const folders = [
    ...local.filter(({ name }) => name === destination).map(({ folder }) => folder),
    await findServedDestination(services, transfer),
    await memory.getDestinationFolder(connectionId, destination),
  ];
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

/** Returns the destination's folder if a connected service on this machine serves it. */
async function findServedDestination(
  { connectFlow, sessions }: FolderServices,
  { order }: Transfer,
): Promise<string | undefined> {
  const session = sessions.get(order.connectionId);
  if (!session || !isLoopback(new URL(session.service.address).hostname)) return undefined;
  return getServedFolder(session, await connectFlow.listDatabases(order.connectionId), order.destination);
}

async function searchFolders(folders: readonly string[], transfer: Transfer): Promise<FolderSearchResult> {
  const [id, name] = [getId(transfer), findFolderName(transfer)];
  const checked: string[] = [];
  for (const folder of folders) {
    const { found, searched } = await findTransferredFolder(folder, id, name);
    if (found) return { found, searched };
    checked.push(...searched);
  }
  return { searched: checked };
}

function getId({ id, key }: Transfer): string {
  if (id !== undefined) return id;
  throw createUnknownIdHint(key);
}

/** Remembers the parent of a transfer's folder for this destination, unless the folder was renamed. */
async function rememberFolder(services: CommandServices, transfer: Transfer, folder: string): Promise<void> {
  if (basename(folder) !== findFolderName(transfer)) return;
  const { memory } = services;
  const { order } = transfer;
  await memory.rememberDestinationFolder(order.connectionId, order.destination, dirname(folder));
}

/** Reports files that weren't found, and where. Returns true if the user wants to select a folder. */
async function askToPickAnother(services: CommandServices, id: string, searched: readonly string[]): Promise<boolean> {
  const folders = formatList(searched.map(toPlainLine));
  const text = l10n.t('Could not find the files for transfer {0}. Locations checked: {1}', toPlainLine(id), folders);
  const selectFolder = l10n.t('Select Folder…');
  return (await services.notifications.offer('warning', text, selectFolder)) === selectFolder;
}

/** Returns the path of a file or folder on this machine. Throws a {@link CommandFailure} for any other URI. */
export function getLocalPath(uri: Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new CommandFailure(
    l10n.t("{0} isn't on this machine, so it can't be used here.", toPlainLine(uri.toString(true))),
  );
}

/** Returns the folder behind a database; undefined for a store or a service on another machine. */
function getServedFolder(
  session: OpenConnection,
  databases: readonly Database[],
  databaseName: string,
): string | undefined {
  const database = databases.find(({ name }) => name === databaseName);
  return database && findServedFolder(session, database);
}
