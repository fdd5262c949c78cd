import { command } from '../../editor/contributions.ts';
import { connect } from './connect.ts';
import { copyDiagnostics } from './copyDiagnostics.ts';
import { copyLocalAccess, startAndConnect, stopLocalService } from './localServiceCommands.ts';
import {
  disconnect,
  forgetConnection,
  refreshDatabases,
  setApiKey,
  switchConnection,
  testConnection,
} from './manageConnections.ts';
import { addStore, scanStore, serveStore, watchStoreScans } from './serveStore.ts';
import { serveFolder, stopServing } from './serveFolder.ts';
import { setOrcid } from './credentials.ts';
import { window } from 'vscode';
import type { Explorer } from '../../../core/explorer.ts';
import { systemClock as clock } from '../../../core/util/clock.ts';
import type { Lifetime } from '../../../core/util/lifetime.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { CommandServices } from '../services.ts';
import { syncConnections, syncLocalService } from './connectionSync.ts';
import { notifyRejectedKeys, notifyUnsavedRecords } from './problemNotifications.ts';

/** The commands of connections. */
export const connectionCommands = {
  'dataTransfer.connect': command(connect, { takes: ['welcome'], icon: 'plug' }),
  'dataTransfer.disconnect': command(disconnect, {
    icon: 'debug-disconnect',
    enablement: 'dataTransfer.hasConnection',
  }),
  'dataTransfer.switchConnection': command(switchConnection, { takes: ['connection'], icon: 'arrow-swap' }),
  'dataTransfer.forgetConnection': command(forgetConnection, { takes: ['connection'] }),
  'dataTransfer.setApiKey': command(setApiKey, { takes: ['connection'], icon: 'key' }),
  'dataTransfer.testConnection': command(testConnection, { takes: ['connection'], icon: 'pulse' }),
  'dataTransfer.setOrcid': command(setOrcid),
  'dataTransfer.startLocalService': command(startAndConnect, { takes: ['welcome'], icon: 'play' }),
  'dataTransfer.copyLocalAccess': command(copyLocalAccess),
  'dataTransfer.stopLocalService': command(stopLocalService, {
    icon: 'debug-stop',
    enablement: 'dataTransfer.localServiceRunning',
  }),
  'dataTransfer.serveFolder': command(serveFolder, { takes: ['folder'], icon: 'add' }),
  'dataTransfer.serveThisFolder': command(serveFolder, { takes: ['folder'] }),
  'dataTransfer.serveStore': command(serveStore, { icon: 'cloud' }),
  'dataTransfer.addStore': command(addStore),
  'dataTransfer.scanStore': command(scanStore, { takes: ['database'], icon: 'refresh' }),
  'dataTransfer.stopServing': command(stopServing, { takes: ['database'] }),
  'dataTransfer.refreshDatabases': command(refreshDatabases, { takes: ['connection'], icon: 'refresh' }),
  'dataTransfer.copyDiagnostics': command(copyDiagnostics),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly connections: typeof connectionCommands;
  }
}

/**
 * Follows the saved connections, the local service and the scans of stores, and starts notifying the user about
 * rejected keys and records that couldn't be saved. Polls transfers when the window gains focus.
 */
export function startConnections(
  lifetime: Lifetime,
  services: CommandServices & Pick<Explorer, 'keys' | 'unsaved'>,
): void {
  const { keys, unsaved, notifications, monitor } = services;
  lifetime.track(syncLocalService(services));
  lifetime.track(watchStoreScans(services, clock));
  lifetime.track(syncConnections(services));
  lifetime.track(notifyRejectedKeys(keys, notifications, (id) => getConnectionName(services, id)));
  lifetime.track(notifyUnsavedRecords(unsaved, notifications));
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && monitor.pollNow()));
}
