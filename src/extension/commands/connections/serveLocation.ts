import { l10n } from 'vscode';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { askText, createSingleStep } from '../../editor/quickInput.ts';
import type { ServedLocation } from '../../editor/settings.ts';
import { isLocationAddress, isSameLocation } from '../../localService/servedFolders.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, openLocalConnection, refreshLocalDatabases } from './localConnection.ts';

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
