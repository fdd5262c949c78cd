import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { l10n, workspace, type Uri } from 'vscode';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { DatabaseNode } from '../../host/contributions.ts';
import { pickFolder } from '../../host/openDialogs.ts';
import { localConnectionId } from '../../host/machine.ts';
import { alone, askText, pickOne } from '../../host/quickInput.ts';
import { holds, isAddressOf, isSameFolder, savedFolderOf, type ServicePlaces } from '../../host/servedFolders.ts';
import type { ServedFolder } from '../../host/settings.ts';
import { plainLine } from '../../host/words.ts';
import { openLocalService, type ConnectionParts } from './connections.ts';

/** What these commands need. */
export interface ServeFolderParts extends ConnectionParts {
  readonly servicePlaces: ServicePlaces;
}

/** Serves a folder of this machine as a database from now on: asks which, unless it is given, and for a name. */
export async function serveFolder(parts: ServeFolderParts, given: Uri | undefined): Promise<void> {
  const uri = given ?? (await pickFolder(l10n.t('Serve a Folder as a Database')));
  if (!uri) return;
  const folder = await servableFolder(parts, uri);
  const saved = parts.settings.servedFolders.find((one) => isSameFolder(one.folder, folder));
  if (saved) {
    void parts.notices.info(l10n.t('{0} is served already, as {1}.', plainLine(folder), plainLine(saved.name)));
    return;
  }
  const answer = await askText(alone(l10n.t('Serve a Folder as a Database')), {
    prompt: l10n.t('Name of the database for {0}', plainLine(folder)),
    value: basename(folder),
    validate: (name) => nameTrouble(parts, folder, name),
  });
  if (typeof answer === 'string') return;
  await parts.settings.saveServedFolder({ name: answer.value, folder });
  await showServed(parts);
  parts.notices.done(l10n.t('{0} is served as a database.', plainLine(answer.value)));
}

/**
 * Takes a folder out of those that the settings name, and offers to put it back; from the palette asks which. What is
 * served follows the settings by itself.
 */
export async function stopServing(parts: ServeFolderParts, node: DatabaseNode | undefined): Promise<void> {
  const saved = node ? savedOf(parts, node) : await askSaved(parts.settings.servedFolders);
  if (!saved) return;
  const { settings, notices } = parts;
  await settings.removeServedFolder(saved.folder);
  const message = l10n.t('{0} is no longer served. Its files are not touched.', plainLine(saved.name));
  void notices.info(message, {
    label: l10n.t('Undo'),
    run: () => settings.saveServedFolder(saved),
  });
}

/** The path of a folder that can be served. Throws a sentence that says why it cannot. */
async function servableFolder({ servicePlaces }: ServeFolderParts, uri: Uri): Promise<string> {
  const name = plainLine(uri.scheme === 'file' ? uri.fsPath : uri.toString(true));
  if (uri.scheme !== 'file') {
    throw new CommandFailure(l10n.t('{0} is not a folder of this machine; only those can be served.', name));
  }
  if (!workspace.isTrusted && workspace.getWorkspaceFolder(uri)) {
    throw new CommandFailure(l10n.t('{0} is in a workspace that you do not trust. Trust it first to serve it.', name));
  }
  const found = await stat(uri.fsPath).catch(() => undefined);
  if (!found) throw new CommandFailure(l10n.t('The folder {0} does not exist.', name));
  if (!found.isDirectory()) throw new CommandFailure(l10n.t('{0} is not a folder.', name));
  const [holdsOurs, isOurs] = await Promise.all([
    holds(uri.fsPath, servicePlaces.dataFolder),
    holds(servicePlaces.dataFolder, uri.fsPath),
  ]);
  if (holdsOurs || isOurs) {
    throw new CommandFailure(l10n.t('{0} holds the data of the local service. Select a folder below it.', name));
  }
  return uri.fsPath;
}

function nameTrouble(parts: ServeFolderParts, folder: string, name: string): string | undefined {
  if (name === '') return l10n.t('Enter a name.');
  const { settings, sessions, connectionStore } = parts;
  const isShown = sessions.active?.connection.id === localConnectionId;
  const shown = isShown ? connectionStore.listing.databases : [];
  const taken = [
    ...settings.servedFolders.map((saved) => saved.name),
    ...shown.filter(({ url }) => !isAddressOf(url, folder)).map((database) => database.name),
  ];
  return taken.includes(name) ? l10n.t('There is a database of this name already.') : undefined;
}

/** Shows the databases with what the settings name now; starts the service where it does not run. */
async function showServed(parts: ServeFolderParts): Promise<void> {
  const { localService, sessions, connectFlow } = parts;
  try {
    await localService.serve();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(l10n.t('Could not serve the folder: {0}', plainLine(detail)));
  }
  if (sessions.active?.connection.id === localConnectionId && localService.isRunning)
    await connectFlow.refreshDatabases();
  else await openLocalService(parts);
}

function savedOf({ connectionStore, settings }: ServeFolderParts, { name }: DatabaseNode): ServedFolder {
  const database = connectionStore.database(name);
  const saved = database && savedFolderOf(settings, database.url);
  if (saved) return saved;
  throw new CommandFailure(l10n.t('{0} is not among the folders of the settings.', plainLine(name)));
}

async function askSaved(folders: readonly ServedFolder[]): Promise<ServedFolder | undefined> {
  if (folders.length === 0) throw new CommandFailure(l10n.t('The settings name no folder that is served.'));
  const answer = await pickOne(alone(l10n.t('Stop Serving a Folder')), {
    placeholder: l10n.t('Select the folder to serve no longer'),
    choices: folders.map((value) => ({ label: plainLine(value.name), description: plainLine(value.folder), value })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}
