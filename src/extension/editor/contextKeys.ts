import { commands } from 'vscode';
import type { ConnectionStore } from '../../core/connections/connectionStore.ts';
import type { ContentFlow } from '../../core/search/contentFlow.ts';
import type { SearchStore } from '../../core/search/searchStore.ts';
import type { TransferStore } from '../../core/transfers/transferStore.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { LocalService } from '../localService/localService.ts';
import type { ContextKeys } from './contributions.ts';

/** Stores and services observed by {@link watchContextKeys}. */
interface ContextSources {
  readonly connectionStore: ConnectionStore;
  readonly contentFlow: ContentFlow;
  readonly searchStore: SearchStore;
  readonly transferStore: TransferStore;
  readonly localService: LocalService;
}

/** Sets the context keys of the stores and the local service, and follows their changes. */
export function watchContextKeys({
  connectionStore,
  contentFlow,
  searchStore,
  transferStore,
  localService,
}: ContextSources): Disposable {
  const lifetime = new Lifetime();
  let last: Partial<ContextKeys> = {};
  const update = (): void => {
    const values = {
      'dataTransfer.connected': connectionStore.state.kind === 'connected',
      'dataTransfer.hasConnection': connectionStore.shown !== undefined,
      'dataTransfer.localServiceRunning': localService.isRunning,
      'dataTransfer.canOpenFiles': connectionStore.shown !== undefined && contentFlow.canRead(connectionStore.shown.id),
      'dataTransfer.hasSearches': searchStore.getAll().length > 0,
      'dataTransfer.hasChecked': searchStore.checked.count > 0,
      'dataTransfer.hasTransfers': transferStore.getAll().length > 0,
      'dataTransfer.hasRunning': transferStore.getRunning().length > 0,
      'dataTransfer.hasFinished': transferStore.getFinished().length > 0 || transferStore.hasEarlier,
    };
    for (const [key, value] of Object.entries(values))
      if (last[key as keyof typeof values] !== value) void commands.executeCommand('setContext', key, value);
    last = values;
  };
  lifetime.track(connectionStore.onDidChange(update));
  lifetime.track(localService.onDidChange(update));
  lifetime.track(searchStore.onDidChange(update));
  lifetime.track(searchStore.onDidChangeChecks(update));
  lifetime.track(transferStore.onDidChange(update));
  update();
  return lifetime;
}

const rcloneMissingKey: keyof ContextKeys = 'dataTransfer.rcloneMissing';
const hasWaitingKey: keyof ContextKeys = 'dataTransfer.hasWaiting';

/** Sets the context key for the welcome view that explains how to install rclone. */
export function setRcloneMissing(isMissing: boolean): void {
  void commands.executeCommand('setContext', rcloneMissingKey, isMissing);
}

/** Sets the context key for the command that sends a waiting request. */
export function setHasWaiting(hasWaiting: boolean): void {
  void commands.executeCommand('setContext', hasWaitingKey, hasWaiting);
}
