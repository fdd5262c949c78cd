import { l10n } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import type { ConnectionNode } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { CommandServices } from '../services.ts';
import { askApiKey } from './apiKeyPrompt.ts';
import { pickSavedConnection } from './connectionPicker.ts';

/**
 * Sets the key of the row's connection, the active connection, or one that the user picks. Then opens the connection,
 * unless the user picked one that isn't open.
 */
export async function setApiKey(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { settings, connectFlow, connectionStore, sessions, notifications } = services;
  const requestedId = node?.id ?? connectionStore.shown?.id;
  if (requestedId === localConnectionId) {
    void notifications.info(
      l10n.t('The local service creates its own key each time it starts, so there is no key to set.'),
    );
    return;
  }
  const { connections } = settings;
  const connection = connections.find(({ id }) => id === requestedId) ?? (await pickConnection(connections));
  if (!connection) return;
  const key = await askApiKey(services, connection);
  if (key === undefined) return;
  const saved = await removeKeyVariable(services, connection);
  if (saved.id === requestedId || sessions.get(saved.id)) await connectFlow.open(saved, key);
  notifications.showStatusMessage(l10n.t('API key accepted.'));
}

/**
 * Removes the environment variable's name from the settings if the variable is set, because the variable would override
 * the key. Resolves to the connection as saved.
 */
async function removeKeyVariable({ apiKeys, settings }: CommandServices, connection: Connection): Promise<Connection> {
  if (!apiKeys.isFromEnvironment(connection)) return connection;
  const { apiKeyVariable, ...others } = connection;
  await settings.saveConnection(others);
  return others;
}

async function pickConnection(connections: readonly Connection[]): Promise<Connection | undefined> {
  return await pickSavedConnection(connections, {
    title: l10n.t('Set API Key'),
    placeholder: l10n.t('Select the connection to set the API key for'),
    emptyText: l10n.t('There are no saved connections. Connect to a service first.'),
  });
}
