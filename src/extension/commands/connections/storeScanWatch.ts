import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, refreshLocalDatabases } from './localConnection.ts';

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
