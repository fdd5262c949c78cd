import { l10n } from 'vscode';
import type { Sessions } from '../../core/flows/sessions.ts';
import type { Connection } from '../../core/model/connection.ts';
import type { Reason } from '../../core/model/reason.ts';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { ConnectionNode } from '../../host/contributions.ts';
import { localConnectionId } from '../../host/machine.ts';
import { alone, askText, pickOne } from '../../host/quickInput.ts';
import { plainLine, reasonText } from '../../host/words.ts';
import { warnOfLostKeys, whyRefused, type KeyParts } from './keyVariable.ts';

/**
 * Asks for the key of a connection and keeps it once the service has accepted it (D6). `reason` is why it has to be
 * asked for, where it was not the person's own wish.
 */
export async function askApiKey(parts: KeyParts, connection: Connection, reason?: Reason): Promise<string | undefined> {
  const whose = l10n.t('The developer token of your account at this service. It is kept in the secret storage.');
  const why = reason && l10n.t('Cannot connect: {0}.', reasonText(reason));
  const answer = await askText(alone(l10n.t('API Key of {0}', plainLine(connection.name))), {
    prompt: why === undefined ? whose : `${why} ${whose}`,
    password: true,
    validate: (value) => (value === '' ? l10n.t('Enter the key.') : undefined),
    check: (key, signal) => whyRefused(parts.connectFlow, connection, key, signal),
  });
  if (typeof answer === 'string') return undefined;
  const isKept = await parts.apiKeys.set(connection, answer.value);
  if (!isKept || reason?.kind === 'keyGone') warnOfLostKeys(parts, connection);
  return answer.value;
}

/** What the command needs. */
export interface SetApiKeyParts extends KeyParts {
  readonly connectionStore: ConnectionStore;
  readonly sessions: Sessions;
}

/**
 * Gives a saved connection another key: that of the row, the active one, or one that is asked for. One that is open is
 * opened again with it.
 */
export async function setApiKey(parts: SetApiKeyParts, node?: ConnectionNode): Promise<void> {
  const { settings, connectionStore, sessions, connectFlow, notices } = parts;
  const activeId = node?.id ?? connectionStore.shown?.id;
  if (activeId === localConnectionId) {
    void notices.info(l10n.t('The local service makes its own key at every start; there is none to set.'));
    return;
  }
  const connection =
    settings.connections.find(({ id }) => id === activeId) ?? (await pickConnection(settings.connections));
  if (!connection) return;
  const key = await askApiKey(parts, connection);
  if (key === undefined) return;
  const saved = await withKeyOfItsOwn(parts, connection);
  if (saved.id === activeId || sessions.get(saved.id)) await connectFlow.open(saved, key);
  notices.done(l10n.t('The key was accepted.'));
}

/** A key that was entered would not be used as long as a variable has another one. */
async function withKeyOfItsOwn({ apiKeys, settings }: SetApiKeyParts, connection: Connection): Promise<Connection> {
  if (!apiKeys.isFromEnvironment(connection)) return connection;
  const { apiKeyVariable, ...others } = connection;
  await settings.saveConnection(others);
  return others;
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
