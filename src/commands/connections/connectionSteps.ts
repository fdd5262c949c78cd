import { commands, l10n, window } from 'vscode';
import type { Connection } from '../../core/model/connection.ts';
import type { TransferStore } from '../../core/store/transferStore.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { watchSavedConnections, type SavedConnections } from '../../host/savedConnections.ts';
import { plainLine } from '../../host/words.ts';
import { openBeside, reopenSaved, type ConnectionParts } from './connections.ts';

/** What following the saved connections needs. */
export interface SavedParts extends ConnectionParts {
  readonly transferStore: TransferStore;
}

/**
 * Keeps what is open in step with the setting and the keys, whoever changes them: the person by hand, or another
 * window. Not every editor tells of keys that another window changed, so they are looked at on focus as well.
 */
export function keepConnectionsInStep(parts: SavedParts, log: Logger): Disposable {
  const { settings, apiKeys } = parts;
  const lifetime = new Lifetime();
  const note = (error: unknown): void => log.error(`The saved connections could not be followed: ${String(error)}`);
  let before = settings.savedConnections;
  tellTroubles(parts, before);
  const followSetting = async (): Promise<void> => {
    const [earlier, now] = [before, settings.savedConnections];
    before = now;
    if (earlier.troubles.join() !== now.troubles.join()) tellTroubles(parts, now);
    const isNew = (id: string): boolean => !earlier.connections.some((one) => one.id === id);
    await Promise.all(now.connections.map((connection) => followEntry(parts, connection, isNew(connection.id))));
    for (const { id } of earlier.connections) if (!isMeant(now, id)) close(parts, id);
  };
  const followKeys = async (id?: string): Promise<void> => {
    const concerned = settings.connections.filter((one) => (id === undefined ? isUsed(parts, one.id) : one.id === id));
    await Promise.all(concerned.map((connection) => followKey(parts, connection)));
  };
  lifetime.track(watchSavedConnections(() => void followSetting().catch(note)));
  lifetime.track(apiKeys.onDidChange((id) => void followKeys(id).catch(note)));
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && void followKeys().catch(note)));
  return lifetime;
}

/** One notice, however many entries are wrong. */
function tellTroubles({ notices }: SavedParts, { troubles }: SavedConnections): void {
  const [first, ...others] = troubles;
  if (first === undefined) return;
  const setting = 'dataTransfer.connections';
  const more = others.length === 0 ? '' : ` ${l10n.t('({0} more)', others.length)}`;
  const message = l10n.t('The setting {0} cannot be used as it is: {1}.', setting, first);
  const open = (): unknown => commands.executeCommand('workbench.action.openSettings', setting);
  void notices.warning(message + more, { label: l10n.t('Open Settings'), run: open });
}

/** A broken entry is still meant: what is open there stays open until the person has mended it. */
function isMeant({ connections, brokenIds }: SavedConnections, id: string): boolean {
  return connections.some((one) => one.id === id) || brokenIds.includes(id);
}

async function followEntry(parts: SavedParts, connection: Connection, isNew: boolean): Promise<void> {
  const { connectionStore, sessions } = parts;
  const { id, name } = connection;
  const { shown } = connectionStore;
  const open = shown?.id === id ? shown : sessions.get(id)?.connection;
  if (!open) {
    if (isNew) await openForTransfers(parts, connection);
  } else if (!isSameWay(open, connection)) await openAnew(parts, connection);
  else if (shown?.id === id && shown.name !== name) connectionStore.rename(name);
}

/** Whether two entries lead to the same place in the same way; what they are called does not matter. */
function isSameWay(one: Connection, other: Connection): boolean {
  const way = ({ server, port, scheme, allowInsecureHttp, transport, apiKeyVariable }: Connection): string =>
    JSON.stringify([server, port, scheme, allowInsecureHttp, transport, apiKeyVariable]);
  return way(one) === way(other);
}

async function followKey(parts: SavedParts, connection: Connection): Promise<void> {
  const change = await parts.apiKeys.compare(connection);
  if (change === 'forgotten') await forgotten(parts, connection);
  else if (change === 'unreadable') askForReload(parts, connection);
  else if (change === 'changed') await (isUsed(parts, connection.id) ? openAnew : openForTransfers)(parts, connection);
}

/** Some editors in a browser read the secrets once, when the window is loaded. */
function askForReload({ notices }: SavedParts, { name }: Connection): void {
  const reload = (): unknown => commands.executeCommand('workbench.action.reloadWindow');
  const message = l10n.t(
    'The key of {0} was changed in another window. This editor reads it here when the window is reloaded.',
    plainLine(name),
  );
  void notices.info(message, { label: l10n.t('Reload Window'), run: reload });
}

async function forgotten(parts: SavedParts, connection: Connection): Promise<void> {
  const { connectionStore, connectFlow } = parts;
  connectFlow.close(connection.id);
  if (connectionStore.shown?.id === connection.id) await reopenSaved(parts, connection);
}

async function openAnew(parts: SavedParts, connection: Connection): Promise<void> {
  const isShown = parts.connectionStore.shown?.id === connection.id;
  parts.connectFlow.close(connection.id);
  await (isShown ? reopenSaved(parts, connection) : openBeside(parts, connection.id));
}

async function openForTransfers(parts: SavedParts, { id }: Connection): Promise<void> {
  if (parts.transferStore.running().some(({ order }) => order.connectionId === id)) await openBeside(parts, id);
}

function isUsed({ connectionStore, sessions }: SavedParts, id: string): boolean {
  return connectionStore.shown?.id === id || sessions.get(id) !== undefined;
}

function close({ connectionStore, connectFlow }: SavedParts, id: string): void {
  if (connectionStore.shown?.id === id) connectFlow.disconnect();
  else connectFlow.close(id);
}
