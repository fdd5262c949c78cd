import { window, type LogOutputChannel, type Uri } from 'vscode';
import { followLocalService, reopenConnection } from './commands/connections.ts';
import { registerCommands, type CommandParts } from './commands/index.ts';
import { systemClock as clock } from './core/util/clock.ts';
import type { Lifetime } from './core/util/lifetime.ts';
import { CommandRegistry } from './host/commandRegistry.ts';
import { ContextKeyWatch } from './host/contextKeys.ts';
import { JsonDocuments } from './host/jsonDocuments.ts';
import { TransferNotices } from './host/transferNotices.ts';
import { MetadataPanels } from './panels/metadataPanel.ts';
import { TransferPanels } from './panels/transferPanel.ts';
import { TransferStatusBar } from './views/transferStatusBar.ts';
import { TreeViews } from './views/treeViews.ts';

/** What the visible parts are built from. */
export interface Presented extends Omit<CommandParts, keyof Shown> {
  readonly extensionUri: Uri;
  readonly log: LogOutputChannel;
}

type Shown = Pick<
  CommandParts,
  | 'jsonDocuments'
  | 'metadataPanels'
  | 'transferPanels'
  | 'revealSearches'
  | 'revealTransfer'
  | 'acknowledge'
  | 'showLog'
>;

/** Builds everything that a person sees, and the commands. */
export function present(lifetime: Lifetime, parts: Presented): void {
  const { connectionStore, searchStore, transferStore, transferFlow, metadataFlow, sessions, extensionUri, log } =
    parts;
  const registry = lifetime.track(new CommandRegistry(log, parts.notices));
  const pages = { extensionUri, log, run: registry.run };
  const fetchFile = metadataFlow.fetchFile.bind(metadataFlow);
  const metadataPanels = lifetime.track(new MetadataPanels({ ...pages, fetchFile }));
  const loadFinished = (): Promise<void> => transferFlow.loadFinished();
  const transferPanels = lifetime.track(
    new TransferPanels({ ...pages, transfers: transferStore, clock, loadFinished }),
  );
  const transfers = { store: transferStore, clock, loadFinished };
  const views = lifetime.track(new TreeViews({ connectionStore, searchStore, transfers }));
  const isConnected = (connectionId: string): boolean => sessions.get(connectionId) !== undefined;
  const statusBar = lifetime.track(new TransferStatusBar({ store: transferStore, clock, isConnected }));
  lifetime.track(sessions.onDidChange(() => statusBar.draw()));
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
    showLog: () => log.show(),
  };
  registerCommands(registry, { ...parts, ...shown });
  lifetime.track(parts.localService.onDidChange(() => followLocalService(parts)));
  views.onFirstUse(() => void reopenConnection(parts));
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && parts.monitor.askNow()));
}
