import { l10n } from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { Logger } from '../core/util/logger.ts';
import { watchServedFolders } from '../host/servedFolders.ts';
import { plainLine } from '../host/words.ts';
import { followLocalService, refreshLocalDatabases, type FollowParts } from './connections.ts';

/** Keeps what is shown in step with the local service, and what it serves in step with settings and workspace (D29). */
export function keepLocalServiceInStep(parts: FollowParts, log: Logger): Disposable {
  const { localService, notices } = parts;
  const lifetime = new Lifetime();
  const note = (error: unknown): void => log.error(`The local service could not be followed: ${String(error)}`);
  const serve = async (): Promise<void> => {
    try {
      await localService.serve();
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
