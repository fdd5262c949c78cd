import { l10n } from 'vscode';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { LocalServiceChange } from '../../localService/localService.ts';
import { watchServedLocations } from '../../localService/servedFolders.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeError } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { handleServiceChange, refreshLocalDatabases } from './localConnection.ts';

/** Updates the connection when the service changes, and the service when the settings change (D29: shared service). */
export function syncLocalService(services: CommandServices): Disposable {
  const { localService, notifications, settings } = services;
  const lifetime = new Lifetime();
  const logFailure = (error: unknown): void =>
    services.log.error(`Could not follow the local service: ${String(error)}`);
  let hadLocations = settings.servedLocations.length > 0;
  const reportRemovedSamples = (): void => {
    const hasLocations = settings.servedLocations.length > 0;
    if (hasLocations && !hadLocations && localService.isRunning)
      void notifications.info(
        l10n.t("The sample data is no longer shown because you're now serving your own databases."),
      );
    hadLocations = hasLocations;
  };
  const serve = async (): Promise<void> => {
    try {
      await localService.updateServedLocations();
      reportRemovedSamples();
    } catch (error) {
      const detail = describeError(error);
      void notifications.error(l10n.t("The local service can't serve the databases in your settings: {0}", detail));
    }
  };
  const handleChange = async (change: LocalServiceChange): Promise<void> => {
    await handleServiceChange(services, change);
    if (change === 'stopped' || change === 'ended') await pauseTransfers(services);
  };
  lifetime.track(localService.onDidChange((change) => void handleChange(change).catch(logFailure)));
  lifetime.track(localService.onDidChangeDatabases(() => void refreshLocalDatabases(services).catch(logFailure)));
  lifetime.track(watchServedLocations(() => void serve()));
  return lifetime;
}

/** Marks the local service's running transfers as paused, and offers to start the service. */
async function pauseTransfers({ transferFlow, notifications, localService }: CommandServices): Promise<void> {
  const paused = await transferFlow.pauseAll(localConnectionId);
  if (paused.length === 0 || localService.isRunning) return;
  const text = plural(
    paused.length,
    'The local service is stopped. {0} transfer is paused.',
    'The local service is stopped. {0} transfers are paused.',
  );
  void notifications.info(text, { label: l10n.t('Start'), run: () => runCommand('dataTransfer.startLocalService') });
}
