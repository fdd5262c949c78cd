import { l10n } from 'vscode';
import type { ConnectFlow } from '../../../core/flows/connectFlow.ts';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import type { Connection } from '../../../core/model/connection.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { LocalServiceChange } from '../../localService/localService.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getLocalServiceName } from '../../words/serviceNames.ts';
import type { CommandServices } from '../services.ts';
import { openOrThrow } from './connectionFailure.ts';

/** Placeholder for the local service's address, which isn't known until the service has started. */
const placeholderAddress = 'http://127.0.0.1';

/** Returns true if the local service's connection is active. */
export function isLocalConnectionActive({ sessions }: CommandServices): boolean {
  return sessions.active?.connection.id === localConnectionId;
}

/** Starts the local service if needed and makes its connection active. Returns undefined if the attempt is canceled. */
export async function openLocalConnection(services: CommandServices): Promise<OpenConnection | undefined> {
  const { connectFlow } = services;
  const signal = connectFlow.prepare(createLocalConnection(placeholderAddress));
  try {
    const { connection, apiKey } = await startLocalService(services);
    return signal.aborted ? undefined : await openOrThrow(connectFlow, connection, apiKey);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    if (!signal.aborted)
      connectFlow.showFailure(createLocalConnection(placeholderAddress), { kind: 'unreachable', detail });
    throw new CommandFailure(l10n.t('Could not start the local service: {0}', toPlainLine(detail)));
  }
}

/**
 * Starts the local service if it isn't running, and connects to it in the background to monitor its transfers. Does
 * nothing if the service can't start.
 */
export async function openLocalInBackground(services: CommandServices): Promise<void> {
  const access = await startLocalService(services).catch(() => undefined);
  if (access) await services.connectFlow.openInBackground(access.connection, access.apiKey);
}

/** Starts the local service if it isn't running. Returns its connection and key. */
export async function startLocalService({
  localService,
}: CommandServices): Promise<{ readonly connection: Connection; readonly apiKey: string }> {
  const { address, token } = await localService.start();
  return { connection: createLocalConnection(address), apiKey: token };
}

/**
 * Reconnects if the service's address may have changed. If the service was stopped or has exited, closes its connection
 * and shows this in the view (D29: shared service).
 */
export async function handleServiceChange(services: CommandServices, change: LocalServiceChange): Promise<void> {
  const { sessions, connectFlow, connectionStore } = services;
  const session = sessions.get(localConnectionId);
  const { state } = connectionStore;
  // The service may have crashed again while its connection was being reopened.
  const hasFailed = state.kind === 'failed' && state.connection.id === localConnectionId;
  if (change === 'started' || (!session && !hasFailed)) return;
  const isShown = hasFailed || sessions.active === session;
  connectFlow.close(localConnectionId);
  if (change === 'moved') {
    const { connection, apiKey } = await startLocalService(services);
    await (isShown ? connectFlow.open(connection, apiKey) : connectFlow.openInBackground(connection, apiKey));
  } else if (session && isShown) showEnd(connectFlow, session.connection, change);
}

function showEnd(connectFlow: ConnectFlow, connection: Connection, change: 'stopped' | 'ended'): void {
  if (change === 'stopped') connectFlow.showStopped(connection);
  else connectFlow.showFailure(connection, { kind: 'unreachable' });
}

/** Reloads the local service's databases if the service's connection is active. */
export async function refreshLocalDatabases(services: CommandServices): Promise<void> {
  if (isLocalConnectionActive(services)) await services.connectFlow.refreshDatabases();
}

function createLocalConnection(address: string): Connection {
  return { id: localConnectionId, name: getLocalServiceName(), server: address };
}
