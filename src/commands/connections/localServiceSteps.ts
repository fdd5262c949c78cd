import { l10n } from 'vscode';
import type { TransferFlow } from '../../core/flows/transferFlow.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { runCommand } from '../../host/commandBoundary.ts';
import type { LocalServiceChange } from '../../host/localService.ts';
import { localConnectionId } from '../../host/machine.ts';
import { watchServedFolders } from '../../host/servedFolders.ts';
import { plainLine, plural } from '../../host/words.ts';
import { followLocalService, refreshLocalDatabases, type ConnectionParts } from './connections.ts';

/** Dependencies of following the local service. */
export interface LocalServiceStepParts extends ConnectionParts {
  readonly transferFlow: TransferFlow;
}

/** Keeps what is shown in step with the local service, and what it serves in step with settings and workspace (D29). */
export function keepLocalServiceInStep(parts: LocalServiceStepParts, log: Logger): Disposable {
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
  const follow = async (change: LocalServiceChange): Promise<void> => {
    await followLocalService(parts, change);
    if (change === 'stopped' || change === 'ended') await pauseTransfers(parts);
  };
  lifetime.track(localService.onDidChange((change) => void follow(change).catch(note)));
  lifetime.track(localService.onDidChangeDatabases(() => void refreshLocalDatabases(parts).catch(note)));
  lifetime.track(watchServedFolders(() => void serve()));
  return lifetime;
}

/** Shows that the transfers of the local service wait for its next start, and offers that. */
async function pauseTransfers({ transferFlow, notices, localService }: LocalServiceStepParts): Promise<void> {
  const paused = await transferFlow.pauseAll(localConnectionId);
  if (paused.length === 0 || localService.isRunning) return;
  const text = plural(
    paused.length,
    'The local service is stopped. {0} transfer is paused.',
    'The local service is stopped. {0} transfers are paused.',
  );
  void notices.info(text, { label: l10n.t('Start'), run: () => runCommand('dataTransfer.startLocalService') });
}

/** What is served as long as there is nothing else does not go away without a word. */
function samplesGone(): string {
  return l10n.t(
    'The sample data is not served any longer, now that the settings name folders of your own. It comes back when they name none.',
  );
}
