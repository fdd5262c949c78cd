import { l10n } from 'vscode';
import type { ConnectFlow } from '../../core/flows/connectFlow.ts';
import type { Connection } from '../../core/model/connection.ts';
import type { ApiKeys } from '../../host/apiKeys.ts';
import type { NoticeAction, Notices } from '../../host/notices.ts';
import { alone, askText } from '../../host/quickInput.ts';
import { isVariableName } from '../../host/savedConnections.ts';
import type { Settings } from '../../host/settings.ts';
import { plainLine, reasonText } from '../../host/words.ts';

/** What keeping a key, or naming where it is, needs. */
export interface KeyParts {
  readonly apiKeys: ApiKeys;
  readonly connectFlow: ConnectFlow;
  readonly notices: Notices;
  readonly settings: Settings;
}

/** Says that the editor has no lasting place for secrets, and offers one: a variable of the environment. */
export function warnOfLostKeys(parts: KeyParts, connection: Connection): void {
  const message = l10n.t(
    'This editor does not keep secrets; you will be asked for the key of {0} again.',
    connection.name,
  );
  const action: NoticeAction = {
    label: l10n.t('Use an Environment Variable'),
    run: async () => await askKeyVariable(parts, connection.id),
  };
  void parts.notices.warning(message, action);
}

/** Asks which environment variable holds the key of a saved connection, tries it where it is set, and saves its name. */
async function askKeyVariable(parts: KeyParts, connectionId: string): Promise<void> {
  const { settings, notices } = parts;
  const connection = settings.connections.find(({ id }) => id === connectionId);
  if (!connection) return;
  const answer = await askText(alone(l10n.t('API Key of {0}', plainLine(connection.name))), {
    prompt: l10n.t('Name of the environment variable that holds the key where the editor runs, never the key itself'),
    placeholder: 'DATA_TRANSFER_KEY',
    value: connection.apiKeyVariable ?? '',
    validate: (name) =>
      isVariableName(name) ? undefined : l10n.t('A name has letters, digits and _, and does not begin with a digit.'),
    check: (name, signal) => trouble(parts, { ...connection, apiKeyVariable: name }, signal),
  });
  if (typeof answer === 'string') return;
  const named = { ...connection, apiKeyVariable: answer.value };
  await settings.saveConnection(named);
  if (parts.apiKeys.isFromEnvironment(named)) notices.done(l10n.t('The key was accepted.'));
  else void notices.info(l10n.t('Set {0} to the key before the editor is started the next time.', answer.value));
}

/** Why the key in a variable does not do. One that is not set yet will be when the editor is started the next time. */
async function trouble(
  { apiKeys, connectFlow }: KeyParts,
  connection: Connection,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = apiKeys.isFromEnvironment(connection) ? await apiKeys.get(connection) : undefined;
  return key === undefined ? undefined : await whyRefused(connectFlow, connection, key, signal);
}

/** Tries a key and leaves everything as it is; the sentence that says why it does not do. */
export async function whyRefused(
  connectFlow: ConnectFlow,
  connection: Connection,
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const attempt = await connectFlow.attempt(connection, key, signal);
  attempt.session?.client.dispose();
  return attempt.session ? undefined : l10n.t('Could not connect: {0}.', reasonText(attempt.reason));
}
