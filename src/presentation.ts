import { commands, window, type WebviewPanel } from 'vscode';
import { systemClock as clock } from './core/util/clock.ts';
import type { KeyWatch } from './core/flows/keyWatch.ts';
import type { ParameterStore } from './core/store/parameterStore.ts';
import type { NoticeClaims } from './core/ledger/noticeClaims.ts';
import type { Estimate } from './core/model/estimate.ts';
import type { Transfer } from './core/model/transfer.ts';
import { Estimates } from './core/monitor/estimates.ts';
import type { Lifetime } from './core/util/lifetime.ts';
import { CommandRegistry } from './host/commandRegistry.ts';
import { connectionName } from './host/connectionName.ts';
import { ContextKeyWatch } from './host/contextKeys.ts';
import { panelTypes, viewIds } from './host/contributions.ts';
import { KeyNotices } from './host/keyNotices.ts';
import { localConnectionId } from './host/machine.ts';
import { watchSavedConnections } from './host/savedConnections.ts';
import { savedFolderOf } from './host/servedFolders.ts';
import { TransferNotices, type TransferNoticeParts } from './host/transferNotices.ts';
import { estimateText } from './host/words.ts';
import type { Interaction, Interactive } from './interaction.ts';
import type { DatabaseTreeParts } from './views/databaseTree.ts';
import { TransferStatusBar } from './views/transferStatusBar.ts';
import { TreeViews } from './views/treeViews.ts';

/** What the visible parts are built from. */
export interface Presented extends Omit<Interactive, keyof Seen> {
  readonly keys: KeyWatch;
  readonly parameterStore: ParameterStore;
  readonly noticeClaims: NoticeClaims;
}

type Seen = Pick<Interactive, 'run' | 'estimateOf' | 'revealSearches' | 'revealTransfer' | 'acknowledge'>;

/** Builds everything that a person sees at first, and begins to act when that is first needed. Returns how to. */
export function present(lifetime: Lifetime, parts: Presented): Acting {
  const { searchStore, transferStore, transferFlow, sessions, keys, log } = parts;
  const registry = lifetime.track(new CommandRegistry(log, parts.notices));
  const loadFinished = (): Promise<void> => transferFlow.loadFinished();
  const estimates = lifetime.track(new Estimates({ store: transferStore, clock, loadFinished }));
  const estimateOf = (transfer: Transfer): Estimate | undefined => estimates.of(transfer);
  const estimate = (transfer: Transfer): string | undefined => {
    const made = estimateOf(transfer);
    return made && estimateText(made);
  };
  const transfers = { store: transferStore, clock, loadFinished, estimate };
  const views = lifetime.track(new TreeViews({ databases: databasesOf(parts), searchStore, transfers }));
  const isConnected = (id: string): boolean => sessions.get(id) !== undefined && keys.standing(id) !== 'refused';
  const statusBar = lifetime.track(new TransferStatusBar({ store: transferStore, clock, isConnected, estimate }));
  lifetime.track(sessions.onDidChange(() => statusBar.draw()));
  lifetime.track(keys.onDidChange(() => statusBar.draw()));
  showNotices(lifetime, parts, registry);
  lifetime.track(new ContextKeyWatch(parts));
  const { revealSearches, revealTransfer } = views;
  const acknowledge = (): void => statusBar.acknowledge();
  const seen = { run: registry.run, estimateOf, revealSearches, revealTransfer, acknowledge };
  const acting = actingWhenNeeded(lifetime, { ...parts, ...seen });
  registry.registerAll(async () => (await acting()).commands);
  views.onFirstUse(() => void acting().then(({ reopenConnection }) => reopenConnection()));
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && parts.monitor.askNow()));
  return acting;
}

/** Begins to act, at the first call, and resolves to what can be done. */
export type Acting = () => Promise<Interaction>;

/** Something is to be done with the first command, page or running transfer, or when the connections are not as they were. */
function actingWhenNeeded(lifetime: Lifetime, parts: Interactive): Acting {
  const { transferStore, settings } = parts;
  let begun: Promise<Interaction> | undefined;
  const acting = (): Promise<Interaction> => {
    begun ??= import('./interaction.ts').then(({ interact }) => interact(lifetime, parts));
    return begun;
  };
  for (const page of ['metadata', 'transfer'] as const) {
    const deserializeWebviewPanel = async (panel: WebviewPanel, state: unknown): Promise<void> =>
      (await acting()).bringBack[page](panel, state);
    lifetime.track(window.registerWebviewPanelSerializer(panelTypes[page], { deserializeWebviewPanel }));
  }
  lifetime.track(transferStore.onDidChange(() => transferStore.running().length > 0 && void acting()));
  lifetime.track(watchSavedConnections(() => void acting()));
  if (settings.savedConnections.troubles.length > 0) void acting();
  return acting;
}

function databasesOf(parts: Presented): DatabaseTreeParts {
  return {
    store: parts.connectionStore,
    parameters: parts.parameterStore,
    loadParameters: (name) => parts.parameterFlow.load(name),
    isSaved: (url) => isSavedFolder(parts, url),
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
