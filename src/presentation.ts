import { window, type Uri } from 'vscode';
import { connectionName, reopenConnection } from './commands/connections.ts';
import { keepLocalServiceInStep } from './commands/localServiceSteps.ts';
import { registerCommands, type CommandParts } from './commands/index.ts';
import { systemClock as clock } from './core/util/clock.ts';
import type { KeyWatch } from './core/flows/keyWatch.ts';
import type { ParameterStore } from './core/store/parameterStore.ts';
import type { Lifetime } from './core/util/lifetime.ts';
import type { Logger } from './core/util/logger.ts';
import { CommandRegistry } from './host/commandRegistry.ts';
import { ContextKeyWatch } from './host/contextKeys.ts';
import { JsonDocuments } from './host/jsonDocuments.ts';
import { KeyNotices } from './host/keyNotices.ts';
import { localConnectionId } from './host/machine.ts';
import { savedFolderOf } from './host/servedFolders.ts';
import { TransferNotices } from './host/transferNotices.ts';
import { MetadataPanels } from './panels/metadataPanel.ts';
import { TransferPanels } from './panels/transferPanel.ts';
import type { DatabaseTreeParts } from './views/databaseTree.ts';
import { TransferStatusBar } from './views/transferStatusBar.ts';
import { TreeViews } from './views/treeViews.ts';

/** What the visible parts are built from. */
export interface Presented extends Omit<CommandParts, keyof Shown> {
  readonly extensionUri: Uri;
  readonly log: Logger;
  readonly keys: KeyWatch;
  readonly parameterStore: ParameterStore;
}

type Shown = Pick<
  CommandParts,
  'jsonDocuments' | 'metadataPanels' | 'transferPanels' | 'revealSearches' | 'revealTransfer' | 'acknowledge'
>;

/** Builds everything that a person sees, and the commands. */
export function present(lifetime: Lifetime, parts: Presented): void {
  const { searchStore, transferStore, transferFlow, metadataFlow, sessions, keys, extensionUri, log } = parts;
  const registry = lifetime.track(new CommandRegistry(log, parts.notices));
  const pages = { extensionUri, log, run: registry.run };
  const fetchFile = metadataFlow.fetchFile.bind(metadataFlow);
  const metadataPanels = lifetime.track(new MetadataPanels({ ...pages, fetchFile }));
  const loadFinished = (): Promise<void> => transferFlow.loadFinished();
  const transferPanels = lifetime.track(
    new TransferPanels({ ...pages, transfers: transferStore, clock, loadFinished }),
  );
  const transfers = { store: transferStore, clock, loadFinished };
  const views = lifetime.track(new TreeViews({ databases: databasesOf(parts), searchStore, transfers }));
  const isConnected = (id: string): boolean => sessions.get(id) !== undefined && keys.standing(id) !== 'refused';
  const statusBar = lifetime.track(new TransferStatusBar({ store: transferStore, clock, isConnected }));
  lifetime.track(sessions.onDidChange(() => statusBar.draw()));
  lifetime.track(keys.onDidChange(() => statusBar.draw()));
  lifetime.track(
    new KeyNotices({
      keys,
      notices: parts.notices,
      nameOf: (id) => connectionName(parts, id),
      tryAgain: (node) => registry.run('dataTransfer.refreshDatabases', node),
      setKey: (node) => registry.run('dataTransfer.setApiKey', node),
    }),
  );
  lifetime.track(new ContextKeyWatch(parts));
  lifetime.track(
    new TransferNotices({
      store: transferStore,
      notices: parts.notices,
      level: () => parts.settings.notifications,
      showProgress: (key) => registry.run('dataTransfer.showTransferProgress', { kind: 'transfer', key }),
    }),
  );
  const { revealSearches, revealTransfer } = views;
  const shown: Shown = {
    jsonDocuments: lifetime.track(new JsonDocuments()),
    metadataPanels,
    transferPanels,
    revealSearches,
    revealTransfer,
    acknowledge: () => statusBar.acknowledge(),
  };
  registerCommands(registry, { ...parts, ...shown });
  lifetime.track(keepLocalServiceInStep(parts, log));
  views.onFirstUse(() => void reopenConnection(parts));
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && parts.monitor.askNow()));
}

function databasesOf(parts: Presented): DatabaseTreeParts {
  return {
    store: parts.connectionStore,
    parameters: parts.parameterStore,
    loadParameters: (name) => parts.parameterFlow.load(name),
    isSaved: (url) => isSavedFolder(parts, url),
  };
}

/** Whether a database that is shown is a folder of the settings. Any service may claim an address like that of one. */
function isSavedFolder({ sessions, settings }: Presented, url: string): boolean {
  return sessions.active?.connection.id === localConnectionId && savedFolderOf(settings, url) !== undefined;
}
