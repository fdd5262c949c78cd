import { l10n } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { watchServedFolders } from '../../host/servedFolders.ts';
import { plainLine } from '../../host/words.ts';
import { followLocalService, refreshLocalDatabases, type ConnectionParts } from './connections.ts';

/** Keeps what is shown in step with the local service, and what it serves in step with settings and workspace (D29). */
export function keepLocalServiceInStep(parts: ConnectionParts, log: Logger): Disposable {
  const { localService, notices, settings } = parts;
  const lifetime = new Lifetime();
  const note = (error: unknown): void => log.error(`The local service could not be followed: ${String(error)}`);
  let hadOwn = settings.servedFolders.length > 0;
  const tellOfSamples = (): void => {
    const hasOwn = settings.servedFolders.length > 0;
    if (hasOwn && !hadOwn && localService.isRunning) void notices.info(samplesGone());
    hadOwn = hasOwn;
  };
  const serve = async (): Promise<void> => {
    try {
      await localService.serve();
      tellOfSamples();
    } catch (error) {
      const detail = plainLine(error instanceof Error ? error.message : String(error));
      void notices.error(l10n.t('The local service cannot serve what the settings name: {0}', detail));
    }
  };
  lifetime.track(localService.onDidChange((change) => void followLocalService(parts, change).catch(note)));
  lifetime.track(localService.onDidChangeDatabases(() => void refreshLocalDatabases(parts).catch(note)));
  lifetime.track(watchServedFolders(() => void serve()));
  return lifetime;
}

/** What is served as long as there is nothing else does not go away without a word. */
function samplesGone(): string {
  return l10n.t(
    'The sample data is not served any longer, now that the settings name folders of your own. It comes back when they name none.',
  );
}
