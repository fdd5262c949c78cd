import { l10n } from 'vscode';
import type { ConnectFlow } from '../../../core/connections/connectFlow.ts';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { Connection } from '../../../core/model/connection.ts';
import type { Reason, ReasonKind } from '../../../core/model/reason.ts';
import type { FoundKey } from '../../editor/apiKeys.ts';
import { CommandFailure, CommandHint, runCommand } from '../../editor/commandBoundary.ts';
import type { ConnectionNode } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import type { LocalServiceChange } from '../../localService/localService.ts';
import { createConnectStep, createSignInActions } from '../../editor/nextSteps.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeReason, isSignInRejected } from '../../words/reasonWords.ts';
import { getForeignServiceName, getLocalServiceName } from '../../words/serviceNames.ts';
import type { CommandServices } from '../services.ts';
import { askApiKey } from './credentials.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Makes a connection active; asks for a missing key. Undefined if canceled. Throws {@link CommandFailure}. */
export async function openConnection(services: CommandServices, id: string): Promise<OpenConnection | undefined> {
  if (id === localConnectionId) return await openLocalConnection(services);
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

/**
 * Opens a connection in the background, for example to monitor its transfers. Never prompts. Resolves to the reason why
 * it isn't open, if any. `onRetry` gets the reason of each failure that may be temporary.
 */
export async function openInBackground(
  services: CommandServices,
  id: string,
  onRetry?: (reason: Reason) => void,
): Promise<Reason | undefined> {
  if (id === localConnectionId) return await openLocalInBackground(services);
  const connection = findSaved(services, id);
  const found: FoundKey | undefined = connection && (await services.apiKeys.find(connection));
  if (found?.reason) return found.reason;
  // The connection may have been removed while its key was being read.
  if (!connection || !found || !findSaved(services, id)) return { kind: 'notConnected' };
  return await services.connectFlow.openInBackground(connection, found.key, onRetry);
}

/** Throws a {@link CommandHint} unless the connection is saved or is that of this machine's local service. */
export function requireKnownConnection(services: CommandServices, id: string): void {
  if (id !== localConnectionId) requireSavedConnection(services, id);
}

/** Returns the saved connection with this ID. Throws a {@link CommandHint} if there is none. */
export function requireSavedConnection(services: CommandServices, id: string): Connection {
  const foreign = getForeignServiceName(id);
  if (foreign !== undefined) throw createForeignFailure(toPlainLine(foreign));
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
 * nothing if the service can't start. Resolves to the reason why the connection isn't open, if any.
 */
export async function openLocalInBackground(services: CommandServices): Promise<Reason | undefined> {
  const access = await startLocalService(services).catch(describeError);
  if (typeof access === 'string') return { kind: 'unreachable', detail: access };
  return await services.connectFlow.openInBackground(access.connection, access.apiKey);
}

/** Starts the local service if it isn't running. Returns its connection and key. */
export async function startLocalService({
  localService,
}: CommandServices): Promise<{ readonly connection: Connection; readonly apiKey: string }> {
  const { address, token } = await localService.start();
  return { connection: createLocalConnection(address), apiKey: token };
}

/**
 * Reconnects if the local service's address may have changed; rejects if the service can't start. If the service was
 * stopped or has exited, closes its connection and shows this in the view (D29: shared service).
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

/** Opens a connection and makes it active. Undefined if canceled. Throws a {@link CommandFailure} on failure. */
async function openOrThrow(
  connectFlow: ConnectFlow,
  connection: Connection,
  key: string,
): Promise<OpenConnection | undefined> {
  const attempt = await connectFlow.open(connection, key);
  if (attempt.session) return attempt.session;
  if (attempt.reason.kind === 'cancelled') return undefined;
  const text = l10n.t('Could not connect to {0}: {1}', toPlainLine(connection.name), describeReason(attempt.reason));
  throw new CommandFailure(text, ...getReasonActions(attempt.reason, connection.id));
}

/** Returns the buttons that help with a rejected sign-in or an unreachable service. */
export function getReasonActions(reason: Reason, connectionId: string): readonly NotificationAction[] {
  if (isSignInRejected(reason)) return createSignInActions(reason, connectionId);
  if (connectionId === localConnectionId || !networkReasons.has(reason.kind)) return [];
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  return [
    {
      label: getDialogTitle('dataTransfer.testConnection'),
      run: () => runCommand('dataTransfer.testConnection', node),
    },
  ];
}

const networkReasons: ReadonlySet<ReasonKind> = new Set([
  'insecureAddress',
  'unreachable',
  'certificate',
  'proxy',
  'timeout',
  'dropped',
  'redirect',
  'noService',
  'unreadable',
]);
