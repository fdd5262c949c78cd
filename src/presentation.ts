import { commands, window } from 'vscode';
import { systemClock as clock } from './core/util/clock.ts';
import type { KeyWatch } from './core/flows/keyWatch.ts';
import type { ParameterStore } from './core/store/parameterStore.ts';
import type { SearchabilityStore } from './core/store/searchabilityStore.ts';
import type { NoticeClaims } from './core/ledger/noticeClaims.ts';
import type { Estimate } from './core/model/estimate.ts';
import type { Reason } from './core/model/reason.ts';
import type { Transfer } from './core/model/transfer.ts';
import { Estimates } from './core/monitor/estimates.ts';
import type { Lifetime } from './core/util/lifetime.ts';
import { runCommand } from './host/commandBoundary.ts';
import { connectionName } from './host/connectionName.ts';
import { ContextKeyWatch } from './host/contextKeys.ts';
import { viewIds } from './host/contributions.ts';
import { KeyNotices } from './host/keyNotices.ts';
import { localConnectionId } from './host/machine.ts';
import { savedFolderOf } from './host/servedFolders.ts';
import { TransferNotices, type TransferNoticeParts } from './host/transferNotices.ts';
import { estimateText } from './host/words.ts';
import { interact, type Interaction, type Interactive } from './interaction.ts';
import type { DatabaseTreeParts } from './views/databaseTree.ts';
import { TransferStatusBar } from './views/transferStatusBar.ts';
import type { SideBar } from './views/sideBar.ts';
import { TreeViews } from './views/treeViews.ts';

/** What the visible parts are built from. */
export interface Presented extends Omit<Interactive, keyof Seen> {
  readonly sideBar: SideBar;
  readonly keys: KeyWatch;
  readonly parameterStore: ParameterStore;
  readonly searchabilityStore: SearchabilityStore;
  readonly noticeClaims: NoticeClaims;
}

type Seen = Pick<
  Interactive,
  'run' | 'estimateOf' | 'focusConnection' | 'revealSearches' | 'revealTransfer' | 'acknowledge'
>;

/** Builds everything that a person sees, and what is done with it. */
export function present(lifetime: Lifetime, parts: Presented): Interaction {
  const { sideBar, searchStore, transferStore, transferFlow, sessions, keys } = parts;
  const loadFinished = (): Promise<void> => transferFlow.loadFinished();
  const estimates = lifetime.track(new Estimates({ store: transferStore, clock, loadFinished }));
  const estimateOf = (transfer: Transfer): Estimate | undefined => estimates.of(transfer);
  const estimate = (transfer: Transfer): string | undefined => {
    const made = estimateOf(transfer);
    return made && estimateText(made);
  };
  const transfers = { store: transferStore, clock, loadFinished, estimate };
  const views = lifetime.track(new TreeViews(sideBar, { databases: databasesOf(parts), searchStore, transfers }));
  const isConnected = (id: string): boolean => sessions.get(id) !== undefined;
  // Without a session nothing is retried.
  const keyRejection = (id: string): Reason | undefined => (sessions.get(id) ? keys.rejection(id) : undefined);
  const statusBar = lifetime.track(
    new TransferStatusBar({ store: transferStore, clock, isConnected, keyRejection, estimate }),
  );
  lifetime.track(sessions.onDidChange(() => statusBar.draw()));
  lifetime.track(keys.onDidChange(() => statusBar.draw()));
  showNotices(lifetime, parts);
  lifetime.track(new ContextKeyWatch(parts));
  const { focusConnection, revealSearches, revealTransfer } = views;
  const acknowledge = (): void => statusBar.acknowledge();
  const seen = { run: runCommand, estimateOf, focusConnection, revealSearches, revealTransfer, acknowledge };
  const interaction = interact(lifetime, { ...parts, ...seen });
  views.onFirstUse(() => void interaction.reopenConnection());
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && parts.monitor.askNow()));
  return interaction;
}

function databasesOf(parts: Presented): DatabaseTreeParts {
  return {
    store: parts.connectionStore,
    parameters: parts.parameterStore,
    searchability: parts.searchabilityStore,
    loadParameters: (name) => parts.parameterFlow.load(name),
    isSaved: (url) => isSavedFolder(parts, url),
  };
}

/** What the person is told without having asked. */
function showNotices(lifetime: Lifetime, parts: Presented): void {
  lifetime.track(
    new KeyNotices({
      keys: parts.keys,
      notices: parts.notices,
      nameOf: (id) => connectionName(parts, id),
    }),
  );
  lifetime.track(new TransferNotices(noticeParts(parts)));
}

function noticeParts({ transferStore, transferFlow, noticeClaims, notices, settings }: Presented): TransferNoticeParts {
  return {
    store: transferStore,
    notices,
    clock,
    level: () => settings.notifications,
    isMine: ({ key }) => transferFlow.isOwn(key),
    claim: (name) => noticeClaims.take(name),
    hasFocus: () => window.state.focused,
    showProgress: (key) => runCommand('dataTransfer.showTransferProgress', { kind: 'transfer', key }),
    showTransfers: () => void commands.executeCommand(`${viewIds.transfers}.focus`),
    didStart: (key) => runCommand('dataTransfer.transferDidStart', { kind: 'transfer', key }),
    didNotStart: (key) => runCommand('dataTransfer.transferDidNotStart', { kind: 'transfer', key }),
  };
}

/** Whether a database that is shown is a folder of the settings. Any service may claim an address like that of one. */
function isSavedFolder({ sessions, settings }: Presented, url: string): boolean {
  return sessions.active?.connection.id === localConnectionId && savedFolderOf(settings, url) !== undefined;
}
