import { command, viewIds } from '../../editor/contributions.ts';
import { checkTransferById, markTransferNotStarted, markTransferStarted } from './checkTransferById.ts';
import {
  clearFinishedTransfers,
  exportTransferHistory,
  findInHistory,
  removeFromHistory,
  restoreRemovedTransfers,
} from './transferHistory.ts';
import {
  cancelTransfer,
  copyTransferId,
  deleteFocusedTransfer,
  pauseTransfer,
  refreshTransfers,
  resumeTransfer,
  sendNow,
  showRunningTransfers,
  showTransferProgress,
} from './transferRows.ts';
import { commands, window, type Uri } from 'vscode';
import type { Explorer } from '../../../core/explorer.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import type { Estimates } from '../../../core/transfers/estimates.ts';
import { systemClock as clock } from '../../../core/util/clock.ts';
import type { Lifetime } from '../../../core/util/lifetime.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import type { TreeViews } from '../../views/treeViews.ts';
import { describeEstimate } from '../../words/transferWords.ts';
import type { CommandServices, EditorServices } from '../services.ts';
import { locateTransferredFiles } from '../verification/transferredFolders.ts';
import { TransferNotifications } from './transferNotifications.ts';
import { untransferredStates } from '../../../core/model/fileProgress.ts';
import { TransferPanels } from './transferPanel.ts';
import { TransferStatusBar } from './transferStatusBar.ts';

/** The commands of transfers. */
export const transferCommands = {
  'dataTransfer.showTransferProgress': command(showTransferProgress, { takes: ['transfer'], icon: 'graph-line' }),
  'dataTransfer.cancelTransfer': command(cancelTransfer, { takes: ['transfer'], icon: 'circle-slash' }),
  'dataTransfer.pauseTransfer': command(pauseTransfer, { takes: ['transfer'], icon: 'debug-pause' }),
  'dataTransfer.resumeTransfer': command(resumeTransfer, { takes: ['transfer'], icon: 'debug-continue' }),
  'dataTransfer.sendNow': command(sendNow),
  'dataTransfer.copyTransferId': command(copyTransferId, { takes: ['transfer'] }),
  'dataTransfer.refreshTransfers': command(refreshTransfers, { icon: 'refresh' }),
  'dataTransfer.removeFromHistory': command(removeFromHistory, { takes: ['transfer'] }),
  'dataTransfer.deleteFocusedTransfer': command(deleteFocusedTransfer, { takes: ['transfer'] }),
  'dataTransfer.clearFinishedTransfers': command(clearFinishedTransfers, { icon: 'clear-all' }),
  'dataTransfer.restoreRemovedTransfers': command(restoreRemovedTransfers, { icon: 'discard' }),
  'dataTransfer.showRunningTransfers': command(showRunningTransfers),
  'dataTransfer.checkTransferById': command(checkTransferById),
  'dataTransfer.transferDidStart': command(markTransferStarted, { takes: ['transfer'], icon: 'pass' }),
  'dataTransfer.transferDidNotStart': command(markTransferNotStarted, { takes: ['transfer'], icon: 'redo' }),
  'dataTransfer.findInHistory': command(findInHistory, { icon: 'search' }),
  'dataTransfer.exportTransferHistory': command(exportTransferHistory),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly transfers: typeof transferCommands;
  }
}

/** Services of the pages and the status bar item. */
interface TransferDisplay {
  readonly extensionUri: Uri;
  readonly estimates: Estimates;
  readonly views: TreeViews;
}

/** Starts showing transfers in the status bar and on pages, and notifying the user about them. */
export function startTransfers(
  lifetime: Lifetime,
  core: Explorer,
  editor: EditorServices,
  display: TransferDisplay,
): Pick<CommandServices, 'statusBar' | 'transferPanels'> {
  const statusBar = lifetime.track(createStatusBar(lifetime, core, display.estimates));
  startNotifications(lifetime, core, editor);
  return { statusBar, transferPanels: lifetime.track(createPanels(core, editor, display)) };
}

function createStatusBar(
  lifetime: Lifetime,
  { transferStore, sessions, keys }: Explorer,
  estimates: Estimates,
): TransferStatusBar {
  const isConnected = (id: string): boolean => sessions.get(id) !== undefined;
  const statusBar = new TransferStatusBar({
    store: transferStore,
    clock,
    isConnected,
    // Requests with a rejected key are retried only while the connection is open.
    keyRejection: (id) => (isConnected(id) ? keys.getRejection(id) : undefined),
    estimate: (transfer) => describeTimeLeft(estimates, transfer),
  });
  lifetime.track(sessions.onDidChange(() => statusBar.draw()));
  lifetime.track(keys.onDidChange(() => statusBar.draw()));
  return statusBar;
}

/** Describes a transfer's remaining time. Returns undefined if there is no reliable estimate. */
function describeTimeLeft(estimates: Estimates, transfer: Transfer): string | undefined {
  const estimate = estimates.getEstimate(transfer);
  return estimate && describeEstimate(estimate);
}

function startNotifications(
  lifetime: Lifetime,
  { transferStore, transferFlow, notificationClaims }: Explorer,
  { notifications, settings }: EditorServices,
): void {
  lifetime.track(
    new TransferNotifications({
      store: transferStore,
      notifications,
      clock,
      level: () => settings.notifications,
      isMine: ({ key }) => transferFlow.isOwn(key),
      claim: (name) => notificationClaims.claim(name),
      hasFocus: () => window.state.focused,
      showFiles: (key) => runCommand('dataTransfer.revealLandedFiles', { kind: 'transfer', key }),
      showProgress: (key) => runCommand('dataTransfer.showTransferProgress', { kind: 'transfer', key }),
      showTransfers: () => void commands.executeCommand(`${viewIds.transfers}.focus`),
      didStart: (key) => runCommand('dataTransfer.transferDidStart', { kind: 'transfer', key }),
      didNotStart: (key) => runCommand('dataTransfer.transferDidNotStart', { kind: 'transfer', key }),
    }),
  );
}

function createPanels(
  { connectFlow, sessions, transferStore, transferFlow, fileStateFlow, monitor }: Explorer,
  editor: EditorServices,
  { extensionUri, estimates, views }: TransferDisplay,
): TransferPanels {
  const { log, settings, verificationHistory } = editor;
  const locateFiles = (transfer: Transfer): ReturnType<typeof locateTransferredFiles> =>
    locateTransferredFiles({ ...editor, connectFlow, sessions }, transfer);
  return new TransferPanels(
    {
      extensionUri,
      log,
      clock,
      run: runCommand,
      transfers: transferStore,
      flow: transferFlow,
      fileStates: {
        getOverview: (transfer, limit) => fileStateFlow.getOverview(transfer, limit, untransferredStates),
        onDidChangeConnections: sessions.onDidChange,
      },
      getEstimate: (transfer) => estimates.getEstimate(transfer),
      reveal: views.revealTransfer,
      places: { locateFiles, verificationHistory },
    },
    { transfers: transferStore, monitor, clock, window, settings },
  );
}
