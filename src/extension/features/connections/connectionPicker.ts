import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import { getEnteredAddress, type Connection } from '../../../core/model/connection.ts';
import type { Database } from '../../../core/model/databaseModel.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { createConnectStep, createNoDatabasesHint, createSwitchStep } from '../../editor/nextSteps.ts';
import { chooseOne, type Choice, type PickOptions } from '../../editor/quickInput.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getDatabaseLabel } from '../../words/searchWords.ts';
import { getLocalServiceName } from '../../words/serviceNames.ts';
import type { CommandServices } from '../services.ts';
import { openConnection, reopenConnection } from './connectionOpener.ts';

/** Returns the active session, or opens the last active connection, the only saved one, or one that the user picks. */
export async function requireSession(services: CommandServices): Promise<OpenConnection | undefined> {
  if (services.sessions.active) return services.sessions.active;
  const id = (await findLastId(services)) ?? (await pickService(services));
  return id === undefined ? undefined : await openConnection(services, id);
}

/** Reopens a connection, by default the last active one, without prompting, unless one is already shown. */
export async function reopenUnlessShown(services: CommandServices, connectionId?: string): Promise<void> {
  const id = connectionId ?? (await findLastId(services));
  if (id !== undefined && services.connectionStore.state.kind === 'disconnected') await reopenConnection(services, id);
}

/** Calls {@link reopenUnlessShown} for a connection if it is the last active one. Resolves to whether it is. */
export async function reopenIfLast(services: CommandServices, connectionId: string): Promise<boolean> {
  const isLast = (await findLastId(services)) === connectionId;
  if (isLast) await reopenUnlessShown(services, connectionId);
  return isLast;
}

/** Calls {@link reopenUnlessShown} for the last active connection without awaiting it. Logs unexpected failures. */
export function reopenLastConnection(services: CommandServices): void {
  reopenUnlessShown(services).catch((error: unknown) =>
    services.log.error(`Could not reopen the last connection: ${String(error)}`),
  );
}

/** Lets the user pick the service to connect to, or one of `others`. */
export async function pickService(
  services: CommandServices,
  others: readonly Choice<string>[] = [],
): Promise<string | undefined> {
  return await pickConnection(services, l10n.t('Select a service to connect to'), others);
}

/** Lets the user pick a saved connection, the local service or one of `others`. Highlights the active connection. */
export async function pickConnection(
  services: CommandServices,
  placeholder: string,
  others: readonly Choice<string>[] = [],
): Promise<string | undefined> {
  const { shown } = services.connectionStore;
  const saved = services.settings.connections.map((connection) =>
    createChoice(services, connection.id, connection.name, getEnteredAddress(connection)),
  );
  const local = createChoice(services, localConnectionId, getLocalServiceName(), l10n.t('folders and stores'));
  return await chooseOne(l10n.t('Connections'), {
    placeholder,
    choices: [...saved, local, ...others],
    ...(shown && { active: shown.id }),
  });
}

function createChoice(services: CommandServices, id: string, name: string, address: string): Choice<string> {
  const description = [address, describeStatus(services, id)].filter(Boolean).join(' · ');
  return { label: toPlainLine(name), description, value: id };
}

function describeStatus({ sessions, connectionStore }: CommandServices, id: string): string | undefined {
  const { state } = connectionStore;
  if (sessions.active?.connection.id === id)
    return state.kind === 'connected' && state.problem ? l10n.t('not responding') : l10n.t('connected');
  return sessions.get(id) && l10n.t('connected in the background');
}

/**
 * Returns the ID of the last active connection. If it is unknown or no longer saved, returns the ID of the only saved
 * connection, or undefined if there are none or more than one.
 */
async function findLastId({ settings, memory }: CommandServices): Promise<string | undefined> {
  const last = await memory.getLastConnectionId();
  const saved = settings.connections.map(({ id }) => id);
  if (last !== undefined && [...saved, localConnectionId].includes(last)) return last;
  return saved.length === 1 ? saved[0] : undefined;
}

/** Asks for a saved connection. Throws a {@link CommandHint} with `emptyText` if there are none. */
export async function pickSavedConnection(
  connections: readonly Connection[],
  { title, placeholder, emptyText }: Readonly<Record<'title' | 'placeholder' | 'emptyText', string>>,
): Promise<Connection | undefined> {
  if (connections.length === 0) throw new CommandHint(emptyText, createConnectStep());
  return await chooseOne(title, {
    placeholder,
    choices: connections.map((value) => ({ label: toPlainLine(value.name), description: value.server, value })),
  });
}

/**
 * Returns the databases of the connection that a command uses. Throws a {@link CommandHint} if this connection is no
 * longer active, because its databases are then unknown.
 */
export function getActiveDatabases(
  { sessions, connectionStore }: CommandServices,
  connectionId: string,
): readonly Database[] {
  if (sessions.active?.connection.id === connectionId) return connectionStore.listing.databases;
  throw new CommandHint(
    l10n.t('The command was canceled because its connection is no longer active.'),
    createSwitchStep(),
  );
}

/** Creates the prompt for the database with the files. Highlights the one that was searched last. */
export async function createDatabasePick(
  services: CommandServices,
  connectionId: string,
): Promise<PickOptions<string>> {
  const databases = getActiveDatabases(services, connectionId);
  if (databases.length === 0) throw createNoDatabasesHint();
  const [last] = await services.memory.getRecentSearches(connectionId);
  return {
    placeholder: l10n.t('Select the database that contains the files'),
    choices: databases.map(({ name, organization }) => ({
      label: getDatabaseLabel(name),
      description: toPlainLine(organization),
      value: name,
    })),
    ...(last?.database !== undefined && { active: last.database }),
  };
}
