import { l10n } from 'vscode';
import type { ConnectFlow } from '../core/flows/connectFlow.ts';
import type { Sessions } from '../core/flows/sessions.ts';
import type { Connection } from '../core/model/connection.ts';
import type { ConnectionStore } from '../core/store/connectionStore.ts';
import type { ApiKeys } from '../host/apiKeys.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import type { ConnectionNode } from '../host/contributions.ts';
import { localConnectionId } from '../host/machine.ts';
import type { Notices } from '../host/notices.ts';
import { alone, askText, pickOne } from '../host/quickInput.ts';
import type { Settings } from '../host/settings.ts';
import { plainLine, reasonText } from '../host/words.ts';

/** What proving and keeping a key needs. */
export interface KeyParts {
  readonly apiKeys: ApiKeys;
  readonly connectFlow: ConnectFlow;
  readonly notices: Notices;
}

/** Said where the editor has no lasting place for secrets. */
export function keyNotKept(): string {
  return l10n.t('This editor did not keep the key; you will be asked for it again.');
}

/** Asks for the key of a connection and keeps it once the service has accepted it (D6). */
export async function askApiKey(parts: KeyParts, connection: Connection): Promise<string | undefined> {
  const answer = await askText(alone(l10n.t('API Key of {0}', plainLine(connection.name))), {
    prompt: l10n.t('The developer token of your account at this service. It is kept in the secret storage.'),
    password: true,
    validate: (value) => (value === '' ? l10n.t('Enter the key.') : undefined),
    check: async (key, signal) => {
      const attempt = await parts.connectFlow.attempt(connection, key, signal);
      attempt.session?.client.dispose();
      return attempt.session ? undefined : l10n.t('Could not connect: {0}.', reasonText(attempt.reason));
    },
  });
  if (typeof answer === 'string') return undefined;
  const isKept = await parts.apiKeys.set(connection, answer.value);
  if (!isKept) void parts.notices.warning(keyNotKept());
  return answer.value;
}

/** What the command needs. */
export interface SetApiKeyParts extends KeyParts {
  readonly settings: Settings;
  readonly connectionStore: ConnectionStore;
  readonly sessions: Sessions;
}

/** Gives a saved connection another key: that of the row, the active one, or one that is asked for. One that is open is opened again with it. */
export async function setApiKey(parts: SetApiKeyParts, node?: ConnectionNode): Promise<void> {
  const { settings, connectionStore, sessions, connectFlow, notices } = parts;
  const { state } = connectionStore;
  const activeId = node?.id ?? (state.kind === 'disconnected' ? undefined : state.connection.id);
  if (activeId === localConnectionId) {
    void notices.info(l10n.t('The local service makes its own key at every start; there is none to set.'));
    return;
  }
  const connection =
    settings.connections.find(({ id }) => id === activeId) ?? (await pickConnection(settings.connections));
  if (!connection) return;
  const key = await askApiKey(parts, connection);
  if (key === undefined) return;
  if (connection.id === activeId || sessions.get(connection.id)) await connectFlow.open(connection, key);
  notices.done(l10n.t('The key was accepted.'));
}

async function pickConnection(connections: readonly Connection[]): Promise<Connection | undefined> {
  if (connections.length === 0)
    throw new CommandFailure(l10n.t('There is no saved connection. Connect to a service first.'));
  const answer = await pickOne(alone(l10n.t('Set API Key')), {
    placeholder: l10n.t('Select the connection whose key you want to set'),
    choices: connections.map((value) => ({ label: plainLine(value.name), description: value.server, value })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}
