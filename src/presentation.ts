import { commands, window, type Uri } from 'vscode';
import { connectionName, reopenConnection } from './commands/connections/connections.ts';
import { keepConnectionsInStep } from './commands/connections/connectionSteps.ts';
import { keepLocalServiceInStep } from './commands/connections/localServiceSteps.ts';
import { registerCommands, type CommandParts } from './commands/index.ts';
import { systemClock as clock } from './core/util/clock.ts';
import type { KeyWatch } from './core/flows/keyWatch.ts';
import type { ParameterStore } from './core/store/parameterStore.ts';
import type { NoticeClaims } from './core/ledger/noticeClaims.ts';
import type { Transfer } from './core/model/transfer.ts';
import { stagingFound } from './core/model/staging.ts';
import { Estimates } from './core/monitor/estimates.ts';
import type { Lifetime } from './core/util/lifetime.ts';
import type { Logger } from './core/util/logger.ts';
import { CommandRegistry } from './host/commandRegistry.ts';
import { ContextKeyWatch } from './host/contextKeys.ts';
import { viewIds } from './host/contributions.ts';
import { Documents } from './host/documents.ts';
import { KeyNotices } from './host/keyNotices.ts';
import { localConnectionId } from './host/machine.ts';
import { MarkdownDraft } from './host/markdownDraft.ts';
import { savedFolderOf } from './host/servedFolders.ts';
import { TransferNotices, type TransferNoticeParts } from './host/transferNotices.ts';
import { estimateText } from './host/words.ts';
import { MetadataPanels } from './panels/metadataPanel.ts';
import type { PanelParts } from './panels/panelHost.ts';
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
  readonly noticeClaims: NoticeClaims;
}

type Shown = Pick<
  CommandParts,
  | 'documents'
  | 'markdownDraft'
  | 'metadataPanels'
  | 'transferPanels'
  | 'revealSearches'
  | 'revealTransfer'
  | 'acknowledge'
>;

/** Builds everything that a person sees, and the commands. */
export function present(lifetime: Lifetime, parts: Presented): void {
  const { searchStore, transferStore, transferFlow, sessions, keys, extensionUri, log } = parts;
  const registry = lifetime.track(new CommandRegistry(log, parts.notices));
  const pages = { extensionUri, log, run: registry.run };
  const metadataPanels = lifetime.track(new MetadataPanels({ ...pages, ...metadataOf(parts) }));
  const loadFinished = (): Promise<void> => transferFlow.loadFinished();
  const estimates = lifetime.track(new Estimates({ store: transferStore, clock, loadFinished }));
  const estimate = (transfer: Transfer): string | undefined => {
    const made = estimates.of(transfer);
    return made && estimateText(made);
  };
  const transfers = { store: transferStore, clock, loadFinished, estimate };
  const views = lifetime.track(new TreeViews({ databases: databasesOf(parts), searchStore, transfers }));
  const transferPanels = lifetime.track(
    new TransferPanels({
      ...pages,
      transfers: transferStore,
      clock,
      loadFinished,
      estimateOf: (transfer) => estimates.of(transfer),
      reveal: views.revealTransfer,
    }),
  );
  const isConnected = (id: string): boolean => sessions.get(id) !== undefined && keys.standing(id) !== 'refused';
  const statusBar = lifetime.track(new TransferStatusBar({ store: transferStore, clock, isConnected, estimate }));
  lifetime.track(sessions.onDidChange(() => statusBar.draw()));
  lifetime.track(keys.onDidChange(() => statusBar.draw()));
  showNotices(lifetime, parts, registry);
  lifetime.track(new ContextKeyWatch(parts));
  const { revealSearches, revealTransfer } = views;
  const shown: Shown = {
    documents: lifetime.track(new Documents()),
    markdownDraft: lifetime.track(new MarkdownDraft(parts.notices)),
    metadataPanels,
    transferPanels,
    revealSearches,
    revealTransfer,
    acknowledge: () => statusBar.acknowledge(),
  };
  registerCommands(registry, { ...parts, ...shown });
  for (const keepInStep of [keepLocalServiceInStep, keepConnectionsInStep]) lifetime.track(keepInStep(parts, log));
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

/** What the metadata pages ask for, and of whom. */
function metadataOf({
  metadataFlow,
  searchStore,
  sessions,
}: Presented): Omit<ConstructorParameters<typeof MetadataPanels>[0], keyof PanelParts> {
  return {
    clock,
    fetchFile: metadataFlow.fetchFile.bind(metadataFlow),
    stagingOf: (file) => stagingFound(searchStore.all())(file),
    isConnected: (id) => sessions.get(id) !== undefined,
    onDidConnect: sessions.onDidChange,
  };
}

/** What the person is told without having asked. */
function showNotices(lifetime: Lifetime, parts: Presented, { run }: CommandRegistry): void {
  lifetime.track(
    new KeyNotices({
      keys: parts.keys,
      notices: parts.notices,
      nameOf: (id) => connectionName(parts, id),
      tryAgain: (node) => run('dataTransfer.refreshDatabases', node),
      setKey: (node) => run('dataTransfer.setApiKey', node),
    }),
  );
  lifetime.track(new TransferNotices(noticeParts(parts, run)));
}

function noticeParts(
  { transferStore, transferFlow, noticeClaims, notices, settings }: Presented,
  run: CommandRegistry['run'],
): TransferNoticeParts {
  return {
    store: transferStore,
    notices,
    clock,
    level: () => settings.notifications,
    isMine: ({ key }) => transferFlow.isOwn(key),
    claim: (name) => noticeClaims.take(name),
    hasFocus: () => window.state.focused,
    showProgress: (key) => run('dataTransfer.showTransferProgress', { kind: 'transfer', key }),
    showTransfers: () => void commands.executeCommand(`${viewIds.transfers}.focus`),
    didStart: (key) => run('dataTransfer.transferDidStart', { kind: 'transfer', key }),
    didNotStart: (key) => run('dataTransfer.transferDidNotStart', { kind: 'transfer', key }),
  };
}

/** Whether a database that is shown is a folder of the settings. Any service may claim an address like that of one. */
function isSavedFolder({ sessions, settings }: Presented, url: string): boolean {
  return sessions.active?.connection.id === localConnectionId && savedFolderOf(settings, url) !== undefined;
}
