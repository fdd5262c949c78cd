import { commands, l10n } from 'vscode';
import { ConnectionTest, type TestedConnection } from '../../../core/connections/connectionTest.ts';
import type { Connection, TestStep } from '../../../core/model/connection.ts';
import type { Reason } from '../../../core/model/reason.ts';
import { CommandFailure, CommandHint, createCommandAction, runCommand } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { ConnectionNode } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { withProgress, type NotificationAction, type Notifications } from '../../editor/notifications.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeReason, formatStep, getAdvice, getStepTitle, type Advice } from '../../words/reasonWords.ts';
import { describeSavedAgain } from '../../words/sharedLabels.ts';
import type { CommandServices } from '../services.ts';
import { askApiKey, reportAcceptedKey } from './credentials.ts';
import { askNewConnection } from './connect.ts';
import { getReasonActions, openConnection, requireSavedConnection, startLocalService } from './connectionOpener.ts';
import { pickConnection, pickSavedConnection, pickService } from './connectionPicker.ts';

/** Closes the active connection but keeps its key. */
export function disconnect({ connectFlow, connectionStore, transferStore, notifications }: CommandServices): void {
  const { shown } = connectionStore;
  if (!shown) {
    void notifications.info(l10n.t('There is no connection to close.'));
    return;
  }
  connectFlow.disconnect();
  const waiting = transferStore.getRunning().filter(({ order }) => order.connectionId === shown.id).length;
  if (waiting === 0) return;
  notifications.showStatusMessage(
    plural(
      waiting,
      '{0} transfer continues on the service; monitoring will resume when you reconnect.',
      '{0} transfers continue on the service; monitoring will resume when you reconnect.',
    ),
  );
}

const newConnectionChoice = '';

/** Makes a connection active: the row's connection, or a saved or new one that the user picks. */
export async function switchConnection(services: CommandServices, node?: ConnectionNode): Promise<void> {
  const newConnection = { label: l10n.t('Connect to Another Service…'), value: newConnectionChoice, alwaysShow: true };
  const id = node?.id ?? (await pickService(services, [newConnection]));
  if (id === newConnectionChoice) await askNewConnection(services);
  else if (id !== undefined) await openConnection(services, id);
}

/**
 * Reloads the databases of the active connection, or reopens it if it has failed or was stopped. If there is no active
 * connection, or a connection attempt is in progress, asks for a connection. For the row of another connection, checks
 * the key if that connection is open; otherwise opens the connection.
 */
export async function refreshDatabases(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { connectFlow, connectionStore, sessions } = services;
  const { state } = connectionStore;
  const activeId = sessions.active?.connection.id;
  if (node?.id !== undefined && node.id !== activeId) await checkConnection(services, node.id);
  else if (state.kind === 'connected') await connectFlow.refreshDatabases();
  else if (state.kind === 'failed' || state.kind === 'stopped') await openConnection(services, state.connection.id);
  else await switchConnection(services);
  if (node?.id !== undefined && node.id === activeId) throwIfFailed(services, node.id, connectionStore.listing.reason);
}

/** Checks that the service accepts a connection's key. Opens the connection if it isn't open. */
async function checkConnection(services: CommandServices, id: string): Promise<void> {
  const { sessions, connectFlow } = services;
  if (sessions.get(id)) throwIfFailed(services, id, await connectFlow.tryKey(id));
  else await openConnection(services, id);
}

function throwIfFailed(services: CommandServices, id: string, reason: Reason | undefined): void {
  if (!reason) return;
  const name = toPlainLine(getConnectionName(services, id));
  throw new CommandFailure(
    l10n.t('Could not refresh {0}: {1}', name, describeReason(reason)),
    ...getReasonActions(reason, id),
  );
}

/** Removes a connection and its key, with undo. Asks for confirmation while transfers run. */
export async function forgetConnection(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { settings, connectionStore, notifications, removals } = services;
  const requestedId = node && (node.id ?? connectionStore.shown?.id);
  if (requestedId === localConnectionId) {
    void notifications.info(l10n.t('The local service is always available and has no saved connection to remove.'));
    return;
  }
  const { connections } = settings;
  const connection = connections.find(({ id }) => id === requestedId) ?? (await pickConnectionToForget(connections));
  if (!connection || !(await confirmForget(services, connection))) return;
  const undo = await removeConnection(services, connection);
  removals.report(l10n.t('Removed {0} and its saved key.', toPlainLine(connection.name)), undo);
}

/** Removes a connection and its key. Returns a function that restores both. */
async function removeConnection(services: CommandServices, connection: Connection): Promise<() => Promise<void>> {
  const { settings, apiKeys, connectFlow, connectionStore } = services;
  const { id } = connection;
  const wasShown = connectionStore.shown?.id === id;
  const key = apiKeys.isFromEnvironment(connection) ? undefined : await apiKeys.get(connection);
  const position = await settings.forgetConnection(id);
  if (connectionStore.shown?.id === id) connectFlow.disconnect();
  connectFlow.close(id);
  await apiKeys.forget(id);
  return async () => {
    if (settings.connections.some((saved) => saved.id === id))
      throw new CommandHint(describeSavedAgain(toPlainLine(connection.name)));
    if (key !== undefined) await apiKeys.set(connection, key);
    await settings.saveConnection(connection, position);
    if (wasShown && connectionStore.state.kind === 'disconnected') await openConnection(services, id);
  };
}

async function pickConnectionToForget(connections: readonly Connection[]): Promise<Connection | undefined> {
  return await pickSavedConnection(connections, {
    title: getDialogTitle('dataTransfer.forgetConnection'),
    placeholder: l10n.t('Select the connection to remove along with its saved key'),
    emptyText: l10n.t('There are no saved connections to remove.'),
  });
}

async function confirmForget(
  { transferStore, notifications }: CommandServices,
  { id, name }: Connection,
): Promise<boolean> {
  const count = transferStore.getRunning().filter(({ order }) => order.connectionId === id).length;
  if (count === 0) return true;
  const running = plural(
    count,
    '{0} transfer is still running on this service.',
    '{0} transfers are still running on this service.',
  );
  const detail = l10n.t("Transfers will continue on the service but won't be monitored here until you reconnect.");
  const question = l10n.t('Remove the {0} connection and its saved key?', toPlainLine(name));
  return await notifications.confirm(question, `${running} ${detail}`, getDialogTitle('dataTransfer.forgetConnection'));
}

/**
 * Sets the key of the row's connection, the shown one if no other is saved, or one that the user picks. Then opens it,
 * unless the user picked one that is neither shown nor open.
 */
export async function setApiKey(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { settings, connectFlow, connectionStore, sessions, notifications } = services;
  const requestedId = node && (node.id ?? connectionStore.shown?.id);
  if (requestedId === localConnectionId) {
    void notifications.info(
      l10n.t('The local service creates its own key each time it starts, so there is no key to set.'),
    );
    return;
  }
  const { connections } = settings;
  const connection = connections.find(({ id }) => id === requestedId) ?? (await chooseConnectionForKey(services));
  if (!connection) return;
  const key = await askApiKey(services, connection);
  if (key === undefined) return;
  const saved = await removeKeyVariable(services, connection);
  if ([requestedId, connectionStore.shown?.id].includes(saved.id) || sessions.get(saved.id))
    await connectFlow.open(saved, key);
  reportAcceptedKey(services);
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

async function chooseConnectionForKey({
  settings: { connections },
  connectionStore: { shown },
}: CommandServices): Promise<Connection | undefined> {
  const [only] = connections;
  if (connections.length === 1 && only?.id === shown?.id) return only;
  const isShown = ({ id }: Connection): boolean => id === shown?.id;
  const sorted = [...connections.filter(isShown), ...connections.filter((one) => !isShown(one))];
  return await pickSavedConnection(sorted, {
    title: getDialogTitle('dataTransfer.setApiKey'),
    placeholder: l10n.t('Select the connection to set the API key for'),
    emptyText: l10n.t('There are no saved connections. Connect to a service first.'),
  });
}

/** Tests a connection step by step, and reports the result. If a step fails, suggests a fix. */
export async function testConnection(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { testDependencies, connectionStore, notifications } = services;
  const id =
    node?.id ?? connectionStore.shown?.id ?? (await pickConnection(services, l10n.t('Select the connection to test')));
  const tested = id === undefined ? undefined : await getTestedConnection(services, id);
  if (!tested) return;
  const name = toPlainLine(tested.connection.name);
  const test = new ConnectionTest(testDependencies);
  const steps = await withProgress(l10n.t('Testing the connection to {0}', name), async (signal, report) => {
    const results = await test.run(tested, signal, (step) => report(getStepTitle(step)));
    return signal.aborted ? undefined : results;
  });
  if (steps) reportTestResult(notifications, tested.connection, steps);
}

async function getTestedConnection(services: CommandServices, id: string): Promise<TestedConnection> {
  if (id === localConnectionId) {
    return await startLocalService(services).catch((error: unknown) => {
      throw new CommandFailure(l10n.t('Could not start the local service: {0}', describeError(error)));
    });
  }
  const connection = requireSavedConnection(services, id);
  return { connection, apiKey: await services.apiKeys.get(connection) };
}

function reportTestResult(notifications: Notifications, connection: Connection, steps: readonly TestStep[]): void {
  const name = toPlainLine(connection.name);
  const lines = steps.map(formatStep);
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (failed) reportFailedTest(notifications, connection, lines, failed);
  else void notifications.report('info', l10n.t('The connection to {0} works.', name), lines.join('\n'));
}

function reportFailedTest(
  notifications: Notifications,
  { id, name }: Connection,
  lines: readonly string[],
  failed: TestStep,
): void {
  const advice = getAdvice(failed);
  const message = l10n.t('Could not connect to {0}. Failed step: {1}', toPlainLine(name), getStepTitle(failed.name));
  const detail = [...lines, '', advice.text].join('\n');
  void notifications.report('warning', message, detail, ...getAdviceActions(advice, id));
}

function getAdviceActions({ setting, needsKey }: Advice, connectionId: string): readonly NotificationAction[] {
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  const openSettings = (): void => void commands.executeCommand('workbench.action.openSettings', setting);
  return [
    { label: l10n.t('Test Again'), run: () => runCommand('dataTransfer.testConnection', node) },
    ...(needsKey ? [createCommandAction('dataTransfer.setApiKey', node)] : []),
    ...(setting === undefined ? [] : [{ label: l10n.t('Open Settings'), run: openSettings }]),
  ];
}
