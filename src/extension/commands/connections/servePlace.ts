import { l10n } from 'vscode';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { askText, createSingleStep } from '../../editor/quickInput.ts';
import type { ServedPlace } from '../../editor/settings.ts';
import { isPlaceAddress, isSamePlace } from '../../localService/servedFolders.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, openLocalConnection, refreshLocalDatabases } from './localConnection.ts';

/**
 * Serves a folder or store as a database. Asks for a name (`place.name` is the default), saves the place to the
 * settings, and shows the database. If the place is already served, only notifies the user.
 */
export async function servePlace(
  services: CommandServices,
  place: ServedPlace,
  input: { readonly title: string; readonly prompt: string },
): Promise<void> {
  if (reportServedPlace(services, place)) return;
  const answer = await askText(createSingleStep(input.title), {
    prompt: input.prompt,
    value: place.name,
    validate: (name) => validateName(services, place, name),
  });
  if (typeof answer === 'string') return;
  await services.settings.saveServedPlace({ ...place, name: answer.value });
  await showServed(services, answer.value);
  reportAdded(services, place, answer.value);
}

/**
 * Reports the new database. If the service has appended a number to the name, explains that the name was already in
 * use.
 */
function reportAdded({ connectionStore, notices }: CommandServices, place: ServedPlace, requested: string): void {
  const { name = requested } = connectionStore.listing.databases.find(({ url }) => isPlaceAddress(url, place)) ?? {};
  const [shown, other] = [toPlainLine(name), toPlainLine(requested)];
  if (name === requested) notices.showStatusMessage(l10n.t('Added {0} as a database.', shown));
  else
    void notices.info(
      l10n.t('Added as {0}, because the local service uses the name {1} for another folder or store.', shown, other),
    );
}

/** Notifies the user if a place is already served. Returns false if it isn't. */
function reportServedPlace({ settings, notices }: CommandServices, place: ServedPlace): boolean {
  const saved = settings.servedPlaces.find((one) => isSamePlace(one, place));
  if (!saved) return false;
  const shown = toPlainLine(place.folder ?? place.remote);
  void notices.info(l10n.t('{0} is already served as {1}.', shown, toPlainLine(saved.name)));
  return true;
}

function validateName(services: CommandServices, place: ServedPlace, name: string): string | undefined {
  if (name === '') return l10n.t('Enter a name.');
  const { settings, connectionStore } = services;
  const shown = isLocalConnectionActive(services) ? connectionStore.listing.databases : [];
  const taken = [
    ...settings.servedPlaces.map((saved) => saved.name),
    ...shown.filter(({ url }) => !isPlaceAddress(url, place)).map((database) => database.name),
  ];
  return taken.includes(name) ? l10n.t('A database with this name already exists.') : undefined;
}

/** Shows the databases after the settings have changed. Starts the service if it isn't running. */
async function showServed(services: CommandServices, name: string): Promise<void> {
  const { localService } = services;
  try {
    await localService.updateServedPlaces();
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not serve {0}: {1}', toPlainLine(name), describeError(error)));
  }
  if (isLocalConnectionActive(services) && localService.isRunning) await refreshLocalDatabases(services);
  else await openLocalConnection(services);
}
