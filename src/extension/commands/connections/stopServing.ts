import { l10n } from 'vscode';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { createSingleStep, pickOne } from '../../editor/quickInput.ts';
import type { ServedLocation } from '../../editor/settings.ts';
import { findSavedLocation } from '../../localService/servedFolders.ts';
import { createServeStep } from '../../notifications/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';

/**
 * Removes a served folder or store from the settings, and offers to undo this. The local service applies the change.
 */
export async function stopServing(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const { settings, removals } = services;
  const saved = node ? requireSavedLocation(services, node) : await askServedLocation(settings.servedLocations);
  if (!saved) return;
  await settings.removeServedLocation(saved);
  const message = l10n.t("Removed {0} from your settings. Its files weren't deleted.", toPlainLine(saved.name));
  // The user may serve it again before undoing this.
  removals.report(message, () => settings.saveServedLocation(saved, saved));
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
  const answer = await pickOne(createSingleStep(l10n.t('Stop Serving a Database')), {
    placeholder: l10n.t('Select the database to stop serving'),
    choices: locations.map((value) => ({
      label: toPlainLine(value.name),
      description: toPlainLine(value.folder ?? value.remote),
      value,
    })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}
