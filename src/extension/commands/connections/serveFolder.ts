import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { commands, l10n, workspace, type Uri } from 'vscode';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { pickFolder } from '../../editor/openDialogs.ts';
import { createSingleStep, askText, pickOne } from '../../editor/quickInput.ts';
import type { ServedFolder } from '../../editor/settings.ts';
import { createServeStep } from '../../notices/nextSteps.ts';
import {
  containsPath,
  isFolderAddress,
  isSameFolder,
  findSavedFolder,
  type ServicePlaces,
} from '../../localService/servedFolders.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, openLocalConnection, refreshLocalDatabases } from './localConnection.ts';

/** Serves a folder as a database. Asks for a name, and for the folder unless it is given. */
export async function serveFolder(services: CommandServices, given: Uri | undefined): Promise<void> {
  const uri = given ?? (await pickFolder(l10n.t('Serve a Folder as a Database')));
  if (!uri) return;
  const folder = await requireServableFolder(services.servicePlaces, uri);
  const saved = services.settings.servedFolders.find((one) => isSameFolder(one.folder, folder));
  if (saved) {
    void services.notices.info(l10n.t('{0} is already served as {1}.', toPlainLine(folder), toPlainLine(saved.name)));
    return;
  }
  const answer = await askText(createSingleStep(l10n.t('Serve a Folder as a Database')), {
    prompt: l10n.t('Database name for {0}', toPlainLine(folder)),
    value: basename(folder),
    validate: (name) => validateName(services, folder, name),
  });
  if (typeof answer === 'string') return;
  await services.settings.saveServedFolder({ name: answer.value, folder });
  await showServed(services);
  services.notices.showStatusMessage(l10n.t('Added {0} as a database.', toPlainLine(answer.value)));
}

/** Removes a served folder from the settings, and offers Undo. The local service picks up the change. */
export async function stopServing(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const saved = node ? findServedFolder(services, node) : await askServedFolder(services.settings.servedFolders);
  if (!saved) return;
  const { settings, notices } = services;
  await settings.removeServedFolder(saved.folder);
  const message = l10n.t('{0} is no longer served. Its files are kept.', toPlainLine(saved.name));
  void notices.info(message, { label: l10n.t('Undo'), run: () => settings.saveServedFolder(saved) });
}

/** Returns the path of a folder. Throws a {@link CommandFailure} if the folder can't be served. */
async function requireServableFolder(servicePlaces: ServicePlaces, uri: Uri): Promise<string> {
  const name = toPlainLine(uri.scheme === 'file' ? uri.fsPath : uri.toString(true));
  if (uri.scheme !== 'file') {
    throw new CommandFailure(l10n.t("{0} isn't on this machine. Only folders on this machine can be served.", name));
  }
  if (!workspace.isTrusted && workspace.getWorkspaceFolder(uri)) {
    throw new CommandHint(l10n.t('{0} is in an untrusted workspace. Trust the workspace to serve this folder.', name), {
      label: l10n.t('Manage Workspace Trust'),
      run: () => commands.executeCommand('workbench.trust.manage'),
    });
  }
  const found = await stat(uri.fsPath).catch(() => undefined);
  if (!found) throw new CommandFailure(l10n.t("The folder {0} doesn't exist.", name));
  if (!found.isDirectory()) throw new CommandFailure(l10n.t("{0} isn't a folder.", name));
  const [containsData, isInData] = await Promise.all([
    containsPath(uri.fsPath, servicePlaces.dataFolder),
    containsPath(servicePlaces.dataFolder, uri.fsPath),
  ]);
  if (containsData || isInData) {
    throw new CommandFailure(l10n.t('{0} contains data of the local service. Select another folder.', name));
  }
  return uri.fsPath;
}

function validateName(services: CommandServices, folder: string, name: string): string | undefined {
  if (name === '') return l10n.t('Enter a name.');
  const { settings, connectionStore } = services;
  const shown = isLocalConnectionActive(services) ? connectionStore.listing.databases : [];
  const taken = [
    ...settings.servedFolders.map((saved) => saved.name),
    ...shown.filter(({ url }) => !isFolderAddress(url, folder)).map((database) => database.name),
  ];
  return taken.includes(name) ? l10n.t('A database with this name already exists.') : undefined;
}

/** Shows the databases after a settings change. Starts the service if it isn't running. */
async function showServed(services: CommandServices): Promise<void> {
  const { localService } = services;
  try {
    await localService.updateServedFolders();
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not serve the folder: {0}', describeError(error)));
  }
  if (isLocalConnectionActive(services) && localService.isRunning) await refreshLocalDatabases(services);
  else await openLocalConnection(services);
}

function findServedFolder({ connectionStore, settings }: CommandServices, { name }: DatabaseNode): ServedFolder {
  const database = connectionStore.findDatabase(name);
  const saved = database && findSavedFolder(settings, database.url);
  if (saved) return saved;
  throw new CommandFailure(l10n.t("{0} isn't one of the folders in your settings.", toPlainLine(name)));
}

async function askServedFolder(folders: readonly ServedFolder[]): Promise<ServedFolder | undefined> {
  if (folders.length === 0) throw new CommandHint(l10n.t('Your settings list no served folders.'), createServeStep());
  const answer = await pickOne(createSingleStep(l10n.t('Stop Serving a Folder')), {
    placeholder: l10n.t('Select the folder to stop serving'),
    choices: folders.map((value) => ({
      label: toPlainLine(value.name),
      description: toPlainLine(value.folder),
      value,
    })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}
