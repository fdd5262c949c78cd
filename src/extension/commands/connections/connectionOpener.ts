import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import type { Connection } from '../../../core/model/connection.ts';
import type { FoundKey } from '../../editor/apiKeys.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { createConnectStep } from '../../notifications/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getForeignServiceName } from '../../words/serviceNames.ts';
import type { CommandServices } from '../services.ts';
import { askApiKey } from './apiKeyPrompt.ts';
import { openOrThrow } from './connectionFailure.ts';
import { openLocalConnection, openLocalInBackground } from './localConnection.ts';

/**
 * Makes a connection active. Asks for the key if none is available. Returns undefined if the user cancels. Throws a
 * {@link CommandFailure} on failure.
 */
export async function openConnection(services: CommandServices, id: string): Promise<OpenConnection | undefined> {
  if (id === localConnectionId) return await openLocalConnection(services);
  const foreign = getForeignServiceName(id);
  if (foreign !== undefined) throw createForeignFailure(toPlainLine(foreign));
  const connection = requireSavedConnection(services, id);
  const found = await services.apiKeys.find(connection);
  const key = found.key ?? (await askApiKey(services, connection, found.reason));
  return key === undefined ? undefined : await openOrThrow(services.connectFlow, connection, key);
}

/**
 * Returns a connection's session. If the connection isn't open or, with `mustBeActive`, isn't active, opens it and
 * makes it active. Returns undefined if the user cancels.
 */
export async function getOrOpenConnection(
  services: CommandServices,
  id: string,
  { mustBeActive = false } = {},
): Promise<OpenConnection | undefined> {
  const { sessions } = services;
  const open = mustBeActive ? sessions.active : sessions.get(id);
  return open?.connection.id === id ? open : await openConnection(services, id);
}

/** Makes a connection active without prompting. Failures appear only in the tree. */
export async function reopenConnection(services: CommandServices, id: string): Promise<void> {
  const connection = findSaved(services, id);
  if (connection) await reopenSavedConnection(services, connection);
  else if (id === localConnectionId) await openLocalConnection(services).catch(ignoreShownFailure);
}

/** Makes a saved connection active without prompting. Failures appear only in the tree. */
export async function reopenSavedConnection(
  { apiKeys, connectFlow, log }: CommandServices,
  connection: Connection,
): Promise<void> {
  // Shows the connection before its key is read. Opening another one or disconnecting aborts the signal.
  const signal = connectFlow.prepare(connection);
  const { key, reason } = await apiKeys.find(connection).catch((error: unknown): FoundKey => {
    log.error(`Could not read the key of a connection: ${String(error)}`);
    return { reason: { kind: 'keyGone' } };
  });
  if (signal.aborted) return;
  if (key === undefined) connectFlow.showFailure(connection, reason);
  else await connectFlow.reopen(connection, key);
}

/** Opens a connection in the background to monitor its transfers. Never prompts. */
export async function openInBackground(services: CommandServices, id: string): Promise<void> {
  if (id === localConnectionId) {
    await openLocalInBackground(services);
    return;
  }
  const connection = findSaved(services, id);
  const key = connection && (await services.apiKeys.get(connection));
  // The connection may have been removed while its key was being read.
  if (connection && key !== undefined && findSaved(services, id))
    await services.connectFlow.openInBackground(connection, key);
}

/** Returns the saved connection with this ID. Throws a {@link CommandHint} if there is none. */
export function requireSavedConnection(services: CommandServices, id: string): Connection {
  const connection = findSaved(services, id);
  if (connection) return connection;
  throw new CommandHint(
    l10n.t('This connection is no longer saved. Connect to the service again.'),
    createConnectStep(),
  );
}

function findSaved({ settings }: CommandServices, id: string): Connection | undefined {
  return settings.connections.find((saved) => saved.id === id);
}

/** Ignores a {@link CommandFailure}, because the tree shows it and the user didn't request the connection. */
function ignoreShownFailure(error: unknown): void {
  if (!(error instanceof CommandFailure)) throw error;
}

function createForeignFailure(machine: string): CommandFailure {
  return new CommandHint(
    l10n.t('{0} can only be reached from its own machine. Open a window on that machine.', machine),
  );
}
