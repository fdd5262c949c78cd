import { l10n } from 'vscode';
import { isStore, type Database } from '../../../core/model/databaseModel.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { createSingleStep, pickOne } from '../../editor/quickInput.ts';
import { createServeStoreStep } from '../../notifications/nextSteps.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, refreshLocalDatabases } from './localConnection.ts';

/** Rescans a store on request, because stores don't report changes (D62: stores through rclone). */
export async function scanStore(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const stores = findStores(services);
  const store = node ? stores.find(({ name }) => name === node.name) : await askStore(stores);
  if (!store) return;
  try {
    await services.localService.scan(store.id);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not scan {0}: {1}', toPlainLine(store.name), describeError(error)));
  }
  await refreshLocalDatabases(services);
}

function findStores(services: CommandServices): readonly Database[] {
  if (!isLocalConnectionActive(services)) return [];
  return services.connectionStore.listing.databases.filter(isStore);
}

async function askStore(stores: readonly Database[]): Promise<Database | undefined> {
  if (stores.length === 0)
    throw new CommandHint(
      l10n.t(
        "No stores to scan. Only the local service's stores can be scanned, and only while it's the active connection.",
      ),
      createServeStoreStep(),
    );
  const answer = await pickOne(createSingleStep(l10n.t('Scan a Store Again')), {
    placeholder: l10n.t('Select the store to scan again'),
    choices: stores.map((value) => ({ label: toPlainLine(value.name), value })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}
