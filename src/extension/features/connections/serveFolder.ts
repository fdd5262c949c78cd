import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { commands, l10n, workspace, type Uri } from 'vscode';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { pickFolder } from '../../editor/fileDialogs.ts';
import { askText, chooseOne, createSingleStep } from '../../editor/quickInput.ts';
import type { ServedLocation, Settings } from '../../editor/settings.ts';
import {
  containsPath,
  findSavedLocation,
  isLocationAddress,
  isSameLocation,
  type ServiceFolders,
} from '../../localService/servedFolders.ts';
import { createServeStep } from '../../editor/nextSteps.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeSavedAgain } from '../../words/sharedLabels.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, openLocalConnection, refreshLocalDatabases } from './connectionOpener.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Serves a folder as a database. Asks for a name and, unless it is given, for the folder. */
export async function serveFolder(services: CommandServices, given: Uri | undefined): Promise<void> {
  const title = getDialogTitle('dataTransfer.serveFolder');
  const uri = given ?? (await pickFolder(title));
  if (!uri) return;
  const folder = await requireServableFolder(services.serviceFolders, uri);
  const prompt = l10n.t('Database name for {0}', toPlainLine(folder));
  await serveLocation(services, { name: basename(folder), folder }, { title, prompt });
}

/** Returns the path of a folder. Throws a {@link CommandFailure} if the folder can't be served. */
async function requireServableFolder(serviceFolders: ServiceFolders, uri: Uri): Promise<string> {
  const name = toPlainLine(uri.scheme === 'file' ? uri.fsPath : uri.toString(true));
  if (uri.scheme !== 'file') {
    throw new CommandFailure(l10n.t("{0} isn't on this machine. Only folders on this machine can be served.", name));
  }
  if (!workspace.isTrusted && workspace.getWorkspaceFolder(uri)) {
    throw new CommandHint(
      l10n.t('{0} is in an untrusted workspace. To serve this folder, trust the workspace.', name),
      {
        label: l10n.t('Manage Workspace Trust'),
        run: () => commands.executeCommand('workbench.trust.manage'),
      },
    );
  }
  const found = await stat(uri.fsPath).catch(() => undefined);
  if (!found) throw new CommandFailure(l10n.t("The folder {0} doesn't exist or can't be accessed.", name));
  if (!found.isDirectory()) throw new CommandFailure(l10n.t("{0} isn't a folder.", name));
  const [containsData, isInData] = await Promise.all([
    containsPath(uri.fsPath, serviceFolders.dataFolder),
    containsPath(serviceFolders.dataFolder, uri.fsPath),
  ]);
  if (containsData || isInData) {
    throw new CommandFailure(l10n.t('{0} contains local service data. Select another folder.', name));
  }
  return uri.fsPath;
}

/**
 * Asks for a database name, saves the folder or store under this name in the settings, and shows the database. The
 * suggested name is the one in `location`. If the location is already in the settings, only reports its name.
 */
export async function serveLocation(
  services: CommandServices,
  location: ServedLocation,
  input: { readonly title: string; readonly prompt: string },
): Promise<void> {
  if (reportServedLocation(services, location)) return;
  const answer = await askText(createSingleStep(input.title), {
    prompt: input.prompt,
    value: location.name,
    validate: (name) => validateName(services, location, name),
  });
  if (typeof answer === 'string') return;
  await services.settings.saveServedLocation({ ...location, name: answer.value });
  await showServed(services, answer.value);
  reportAdded(services, location, answer.value);
}

/** Reports the new database. If its name differs from the requested one, explains why. */
function reportAdded(
  { connectionStore, notifications }: CommandServices,
  location: ServedLocation,
  requested: string,
): void {
  const { name = requested } =
    connectionStore.listing.databases.find(({ url }) => isLocationAddress(url, location)) ?? {};
  const [shown, other] = [toPlainLine(name), toPlainLine(requested)];
  if (name === requested) notifications.showStatusMessage(l10n.t('Added {0} as a database.', shown));
  else void notifications.info(l10n.t('Added as {0} because the name {1} is taken.', shown, other));
}

/** Returns true, and reports the database name, if the settings already contain a location. */
function reportServedLocation({ settings, notifications }: CommandServices, location: ServedLocation): boolean {
  const saved = settings.servedLocations.find((one) => isSameLocation(one, location));
  if (!saved) return false;
  const shown = toPlainLine(location.folder ?? location.remote);
  void notifications.info(l10n.t('{0} is already served as {1}.', shown, toPlainLine(saved.name)));
  return true;
}

function validateName(services: CommandServices, location: ServedLocation, name: string): string | undefined {
  if (name === '') return l10n.t('Enter a name.');
  const { settings, connectionStore } = services;
  const shown = isLocalConnectionActive(services) ? connectionStore.listing.databases : [];
  const taken = [
    ...settings.servedLocations.map((saved) => saved.name),
    ...shown.filter(({ url }) => !isLocationAddress(url, location)).map((database) => database.name),
  ];
  return taken.includes(name) ? l10n.t('A database with this name already exists.') : undefined;
}

/** Shows the databases after the settings have changed. Starts the service if it isn't running. */
async function showServed(services: CommandServices, name: string): Promise<void> {
  const { localService } = services;
  try {
    await localService.updateServedLocations();
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not serve {0}: {1}', toPlainLine(name), describeError(error)));
  }
  if (isLocalConnectionActive(services) && localService.isRunning) await refreshLocalDatabases(services);
  else await openLocalConnection(services);
}

/** Removes a served folder or store from the settings, with undo. The local service follows. */
export async function stopServing(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const { settings, removals } = services;
  const saved = node ? requireSavedLocation(services, node) : await askServedLocation(settings.servedLocations);
  if (!saved) return;
  await settings.removeServedLocation(saved);
  const message = l10n.t("Removed {0} from your settings. Its files weren't deleted.", toPlainLine(saved.name));
  removals.report(message, async () => await restoreServing(settings, saved));
}

async function restoreServing(settings: Settings, removed: ServedLocation): Promise<void> {
  // The user may have served it again before undoing this.
  const newer = settings.servedLocations.find((one) => isSameLocation(one, removed));
  if (!newer) await settings.saveServedLocation(removed);
  else if (!isDeepStrictEqual(newer, removed)) throw new CommandHint(describeSavedAgain(toPlainLine(removed.name)));
}

function requireSavedLocation({ connectionStore, settings }: CommandServices, { name }: DatabaseNode): ServedLocation {
  const database = connectionStore.findDatabase(name);
  const saved = database && findSavedLocation(settings, database.url);
  if (saved) return saved;
  throw new CommandFailure(l10n.t("{0} isn't one of the databases in your settings.", toPlainLine(name)));
}

async function askServedLocation(locations: readonly ServedLocation[]): Promise<ServedLocation | undefined> {
  if (locations.length === 0)
    throw new CommandHint(l10n.t('Your settings list no databases to serve.'), createServeStep());
  return await chooseOne(l10n.t('Stop Serving a Database'), {
    placeholder: l10n.t('Select the database to stop serving'),
    choices: locations.map((value) => ({
      label: toPlainLine(value.name),
      description: toPlainLine(value.folder ?? value.remote),
      value,
    })),
  });
}
