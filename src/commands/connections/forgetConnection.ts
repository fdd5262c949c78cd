import { l10n } from 'vscode';
import type { Connection } from '../../core/model/connection.ts';
import type { TransferStore } from '../../core/store/transferStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { ConnectionNode } from '../../host/contributions.ts';
import { localConnectionId } from '../../host/machine.ts';
import { alone, pickOne } from '../../host/quickInput.ts';
import { plainLine, plural } from '../../host/words.ts';
import { openConnection, type ConnectionParts } from './connections.ts';

/** What the command needs. */
export interface ForgetParts extends ConnectionParts {
  readonly transferStore: TransferStore;
}

/**
 * Forgets the connection of the row, or one that is asked for, and its key; asks where transfers still run there, and
 * offers to take it back.
 */
export async function forgetConnection(parts: ForgetParts, node?: ConnectionNode): Promise<void> {
  const { settings, apiKeys, connectFlow, connectionStore, notices } = parts;
  const of = node && (node.id ?? connectionStore.shown?.id);
  if (of === localConnectionId) {
    void notices.info(l10n.t('The local service is always there; there is nothing saved to forget.'));
    return;
  }
  const connection = settings.connections.find(({ id }) => id === of) ?? (await askWhich(parts));
  if (!connection || !(await mayForget(parts, connection))) return;
  const { id, name } = connection;
  const wasShown = connectionStore.shown?.id === id;
  const key = apiKeys.isFromEnvironment(connection) ? undefined : await apiKeys.get(connection);
  const place = await settings.forgetConnection(id);
  if (connectionStore.shown?.id === id) connectFlow.disconnect();
  connectFlow.close(id);
  await apiKeys.forget(id);
  const takeBack = async (): Promise<void> => {
    if (key !== undefined) await apiKeys.set(connection, key);
    await settings.saveConnection(connection, place);
    if (wasShown && connectionStore.state.kind === 'disconnected') await openConnection(parts, id);
  };
  const message = l10n.t('Forgot {0} and its key.', plainLine(name));
  void notices.info(message, { label: l10n.t('Undo'), run: takeBack });
}

async function askWhich({ settings }: ForgetParts): Promise<Connection | undefined> {
  const { connections } = settings;
  if (connections.length === 0) throw new CommandFailure(l10n.t('There is no saved connection to forget.'));
  const answer = await pickOne(alone(l10n.t('Forget Connection')), {
    placeholder: l10n.t('Select the connection to forget, with its key'),
    choices: connections.map((value) => ({ label: plainLine(value.name), description: value.server, value })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

async function mayForget({ transferStore, notices }: ForgetParts, { id, name }: Connection): Promise<boolean> {
  const count = transferStore.running().filter(({ order }) => order.connectionId === id).length;
  if (count === 0) return true;
  const running = plural(count, '{0} transfer still runs there.', '{0} transfers still run there.');
  const detail = l10n.t('The service goes on with it, but it is not watched here until you connect again.');
  const question = l10n.t('Forget the connection {0} and its key?', plainLine(name));
  return await notices.confirm(question, `${running} ${detail}`, l10n.t('Forget'));
}
