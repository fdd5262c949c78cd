import { l10n } from 'vscode';
import type { Reason } from '../../../core/model/reason.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { ConnectionNode } from '../../editor/contributions.ts';
import { plural } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import type { CommandServices } from '../services.ts';
import { askNewConnection } from './connect.ts';
import { getReasonActions } from './connectionFailure.ts';
import { openConnection } from './connectionOpener.ts';
import { pickConnection } from './connectionPicker.ts';

/** Closes the active connection but keeps its key. */
export function disconnect({ connectFlow, connectionStore, transferStore, notifications }: CommandServices): void {
  const { shown } = connectionStore;
  if (!shown) {
    void notifications.info(l10n.t('There is no connection to close.'));
    return;
  }
  connectFlow.disconnect();
  const waiting = transferStore.getRunning().filter(({ order }) => order.connectionId === shown.id).length;
  if (waiting === 0) return;
  notifications.showStatusMessage(
    plural(
      waiting,
      '{0} transfer continues on the service; monitoring will resume when you reconnect.',
      '{0} transfers continue on the service; monitoring will resume when you reconnect.',
    ),
  );
}

const newConnectionChoice = '';

/** Makes a connection active: the row's connection, or a saved or new one that the user picks. */
export async function switchConnection(services: CommandServices, node?: ConnectionNode): Promise<void> {
  const newConnection = { label: l10n.t('Connect to Another Service…'), value: newConnectionChoice, alwaysShow: true };
  const id = node?.id ?? (await pickConnection(services, l10n.t('Select a service to connect to'), [newConnection]));
  if (id === newConnectionChoice) await askNewConnection(services);
  else if (id !== undefined) await openConnection(services, id);
}

/**
 * Reloads the databases of the active connection, or reopens it if it has failed or was stopped. If there is no active
 * connection, or a connection attempt is in progress, asks for a connection. For the row of another connection, checks
 * the key if that connection is open; otherwise opens the connection.
 */
export async function refreshDatabases(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { connectFlow, connectionStore, sessions } = services;
  const { state } = connectionStore;
  const activeId = sessions.active?.connection.id;
  if (node?.id !== undefined && node.id !== activeId) await checkConnection(services, node.id);
  else if (state.kind === 'connected') await connectFlow.refreshDatabases();
  else if (state.kind === 'failed' || state.kind === 'stopped') await openConnection(services, state.connection.id);
  else await switchConnection(services);
  if (node?.id !== undefined && node.id === activeId) throwIfFailed(services, node.id, connectionStore.listing.reason);
}

/** Checks that the service accepts a connection's key. Opens the connection if it isn't open. */
async function checkConnection(services: CommandServices, id: string): Promise<void> {
  const { sessions, connectFlow } = services;
  if (sessions.get(id)) throwIfFailed(services, id, await connectFlow.tryKey(id));
  else await openConnection(services, id);
}

function throwIfFailed(services: CommandServices, id: string, reason: Reason | undefined): void {
  if (!reason) return;
  const name = toPlainLine(getConnectionName(services, id));
  throw new CommandFailure(
    l10n.t('Could not refresh {0}: {1}', name, describeReason(reason)),
    ...getReasonActions(reason, id),
  );
}
