import { l10n } from 'vscode';
import { isStore, type Database } from '../../../core/model/databaseModel.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { chooseOne } from '../../editor/quickInput.ts';
import { createServeStoreStep } from '../../editor/nextSteps.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, refreshLocalDatabases } from './connectionOpener.ts';

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
  return await chooseOne(l10n.t('Scan a Store Again'), {
    placeholder: l10n.t('Select the store to scan again'),
    choices: stores.map((value) => ({ label: toPlainLine(value.name), value })),
  });
}

const intervalMs = 2_000;

/**
 * Reloads the list of databases repeatedly while the local service scans a store, or a folder that can't be searched yet, because only the list reports the
 * progress.
 */
export function watchStoreScans(services: CommandServices, clock: Clock): Disposable {
  const lifetime = new Lifetime();
  let timer: Disposable | undefined;
  const refresh = (): void => {
    timer = undefined;
    void refreshLocalDatabases(services);
  };
  const update = (): void => {
    const { databases, isLoading } = services.connectionStore.listing;
    const isScanning =
      isLocalConnectionActive(services) && databases.some(({ listing }) => listing?.state === 'scanning');
    if (isScanning && !isLoading) timer ??= clock.after(intervalMs, refresh);
  };
  lifetime.track(services.connectionStore.onDidChange(update));
  lifetime.track({ dispose: () => timer?.dispose() });
  return lifetime;
}
