import { l10n } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import type { ConnectionNode } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { plural } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { openConnection } from './connectionOpener.ts';
import { pickSavedConnection } from './connectionPicker.ts';

/**
 * Removes a connection and its key, and offers to undo this. Asks for confirmation if transfers are running on the
 * service.
 */
export async function forgetConnection(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { settings, connectionStore, notifications, removals } = services;
  const requestedId = node && (node.id ?? connectionStore.shown?.id);
  if (requestedId === localConnectionId) {
    void notifications.info(l10n.t('The local service is always available and has no saved connection to remove.'));
    return;
  }
  const { connections } = settings;
  const connection = connections.find(({ id }) => id === requestedId) ?? (await pickConnection(connections));
  if (!connection || !(await confirmForget(services, connection))) return;
  const undo = await remove(services, connection);
  removals.report(l10n.t('Removed {0} and its saved key.', toPlainLine(connection.name)), undo);
}

/** Removes a connection and its key. Returns a function that restores both. */
async function remove(services: CommandServices, connection: Connection): Promise<() => Promise<void>> {
  const { settings, apiKeys, connectFlow, connectionStore } = services;
  const { id } = connection;
  const wasShown = connectionStore.shown?.id === id;
  const key = apiKeys.isFromEnvironment(connection) ? undefined : await apiKeys.get(connection);
  const position = await settings.forgetConnection(id);
  if (connectionStore.shown?.id === id) connectFlow.disconnect();
  connectFlow.close(id);
  await apiKeys.forget(id);
  return async () => {
    if (key !== undefined) await apiKeys.set(connection, key);
    await settings.saveConnection(connection, position);
    if (wasShown && connectionStore.state.kind === 'disconnected') await openConnection(services, id);
  };
}

async function pickConnection(connections: readonly Connection[]): Promise<Connection | undefined> {
  return await pickSavedConnection(connections, {
    title: l10n.t('Remove Connection'),
    placeholder: l10n.t('Select the connection to remove along with its saved key'),
    emptyText: l10n.t('There are no saved connections to remove.'),
  });
}

async function confirmForget(
  { transferStore, notifications }: CommandServices,
  { id, name }: Connection,
): Promise<boolean> {
  const count = transferStore.getRunning().filter(({ order }) => order.connectionId === id).length;
  if (count === 0) return true;
  const running = plural(
    count,
    '{0} transfer is still running on this service.',
    '{0} transfers are still running on this service.',
  );
  const detail = l10n.t("Transfers will continue on the service but won't be monitored here until you reconnect.");
  const question = l10n.t('Remove the {0} connection and its saved key?', toPlainLine(name));
  return await notifications.confirm(question, `${running} ${detail}`, l10n.t('Remove Connection'));
}
