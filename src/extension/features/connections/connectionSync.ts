import { commands, l10n, window } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import { isPaused, isPausedByUser } from '../../../core/model/transferModel.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { watchSavedConnections, type SavedConnections } from '../../editor/settings.ts';
import type { LocalServiceChange } from '../../localService/localService.ts';
import { watchServedLocations } from '../../localService/servedFolders.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import {
  handleServiceChange,
  openInBackground,
  refreshLocalDatabases,
  reopenSavedConnection,
} from './connectionOpener.ts';
import { reopenUnlessShown } from './connectionPicker.ts';

/**
 * Updates the open connections when the user or another window changes the settings or keys. Some editors don't report
 * keys that another window has changed, so the keys are also checked when the window gains focus.
 */
export function syncConnections(services: CommandServices): Disposable {
  const { settings, apiKeys, notifications } = services;
  const lifetime = new Lifetime();
  const logFailure = (error: unknown): void =>
    services.log.error(`Could not follow the saved connections: ${String(error)}`);
  let last = settings.savedConnections;
  showProblems(notifications, last);
  const handleSettingChange = async (): Promise<void> => {
    const [before, now] = [last, settings.savedConnections];
    last = now;
    if (before.problems.join() !== now.problems.join()) showProblems(notifications, now);
    const isNew = (id: string): boolean => !before.connections.some((one) => one.id === id);
    for (const { id } of before.connections) if (!isConfigured(now, id)) close(services, id);
    // Runs after removed connections are closed, because a background attempt is repeated until it succeeds.
    await Promise.all(
      now.connections.map((connection) => updateConnection(services, connection, isNew(connection.id))),
    );
  };
  const handleKeyChange = async (changedId?: string): Promise<void> => {
    const affected = settings.connections.filter(({ id }) =>
      changedId === undefined ? isUsed(services, id) : id === changedId,
    );
    await Promise.all(affected.map((connection) => updateKey(services, connection)));
  };
  lifetime.track(watchSavedConnections(() => void handleSettingChange().catch(logFailure)));
  lifetime.track(apiKeys.onDidChange((id) => void handleKeyChange(id).catch(logFailure)));
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && void handleKeyChange().catch(logFailure)));
  return lifetime;
}

function showProblems(notifications: Notifications, { problems }: SavedConnections): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  const setting = 'dataTransfer.connections';
  const more = others.length === 0 ? '' : ` ${plural(others.length, '({0} more)', '({0} more)')}`;
  const message = l10n.t('The {0} setting is invalid: {1}.', setting, first);
  const open = (): unknown => commands.executeCommand('workbench.action.openSettings', setting);
  void notifications.warning(message + more, { label: l10n.t('Open Settings'), run: open });
}

/** Returns true if the settings have a connection, even an invalid one: a typo must not close it. */
function isConfigured({ connections, brokenIds }: SavedConnections, id: string): boolean {
  return connections.some((one) => one.id === id) || brokenIds.includes(id);
}

async function updateConnection(services: CommandServices, connection: Connection, isNew: boolean): Promise<void> {
  const { connectionStore, sessions } = services;
  const { id, name } = connection;
  const { shown } = connectionStore;
  const open = shown?.id === id ? shown : sessions.get(id)?.connection;
  if (!open) {
    if (isNew) await openForTransfers(services, connection);
  } else if (!hasSameEndpoint(open, connection)) await reopenAfterChange(services, connection);
  else if (shown?.id === id && shown.name !== name) connectionStore.rename(name);
}

/** Returns true if two entries agree on everything that affects the connection to the service. */
function hasSameEndpoint(one: Connection, other: Connection): boolean {
  const serialize = ({ server, port, scheme, allowInsecureHttp, transport, apiKeyVariable }: Connection): string =>
    JSON.stringify([server, port, scheme, allowInsecureHttp, transport, apiKeyVariable]);
  return serialize(one) === serialize(other);
}

async function updateKey(services: CommandServices, connection: Connection): Promise<void> {
  const change = await services.apiKeys.compare(connection);
  if (change === 'forgotten') await handleForgottenConnection(services, connection);
  else if (change === 'unreadable') offerReload(services.notifications, connection);
  else if (change === 'changed')
    await (isUsed(services, connection.id) ? reopenAfterChange : openForTransfers)(services, connection);
}

/** Offers to reload the window, because some browser-based editors read the secrets only at startup. */
function offerReload(notifications: Notifications, { name }: Connection): void {
  const reload = (): unknown => commands.executeCommand('workbench.action.reloadWindow');
  const message = l10n.t(
    'The API key for {0} was changed in another window. Reload this window to use it.',
    toPlainLine(name),
  );
  void notifications.info(message, { label: l10n.t('Reload Window'), run: reload });
}

async function handleForgottenConnection(services: CommandServices, connection: Connection): Promise<void> {
  const { connectionStore, connectFlow } = services;
  connectFlow.close(connection.id);
  if (connectionStore.shown?.id === connection.id) await reopenSavedConnection(services, connection);
}

async function reopenAfterChange(services: CommandServices, connection: Connection): Promise<void> {
  const isShown = services.connectionStore.shown?.id === connection.id;
  services.connectFlow.close(connection.id);
  await (isShown ? reopenSavedConnection(services, connection) : openInBackground(services, connection.id));
}

async function openForTransfers(services: CommandServices, { id }: Connection): Promise<void> {
  if (services.transferStore.getRunning().some(({ order }) => order.connectionId === id))
    await openInBackground(services, id);
}

function isUsed({ connectionStore, sessions }: CommandServices, id: string): boolean {
  return connectionStore.shown?.id === id || sessions.get(id) !== undefined;
}

function close({ connectionStore, connectFlow }: CommandServices, id: string): void {
  if (connectionStore.shown?.id === id) connectFlow.disconnect();
  else connectFlow.close(id);
}

/** Updates the connection when the service changes, and the service when the settings change (D29: shared service). */
export function syncLocalService(services: CommandServices): Disposable {
  const { localService, notifications, settings } = services;
  const lifetime = new Lifetime();
  const logFailure = (error: unknown): void =>
    services.log.error(`Could not follow the local service: ${String(error)}`);
  let hadLocations = settings.servedLocations.length > 0;
  const reportRemovedSamples = (): void => {
    const hasLocations = settings.servedLocations.length > 0;
    if (hasLocations && !hadLocations && localService.isRunning)
      void notifications.info(
        l10n.t("The sample data is no longer shown because you're now serving your own databases."),
      );
    hadLocations = hasLocations;
  };
  const serve = async (): Promise<void> => {
    try {
      await localService.updateServedLocations();
      reportRemovedSamples();
    } catch (error) {
      const detail = describeError(error);
      void notifications.error(l10n.t("The local service can't use your settings: {0}", detail));
    }
  };
  const handleChange = async (change: LocalServiceChange): Promise<void> => {
    await handleServiceChange(services, change);
    if (change === 'stopped' || change === 'ended') await pauseTransfers(services);
  };
  lifetime.track(localService.onDidChange((change) => void handleChange(change).catch(logFailure)));
  lifetime.track(localService.onDidChangeDatabases(() => void refreshLocalDatabases(services).catch(logFailure)));
  lifetime.track(watchServedLocations(() => void serve()));
  return lifetime;
}

/** Marks the local service's running transfers as paused, and offers to start the service. */
async function pauseTransfers({ transferFlow, notifications, localService }: CommandServices): Promise<void> {
  const stopped = await transferFlow.pauseAll(localConnectionId);
  const paused = stopped.filter((transfer) => !isPausedByUser(transfer));
  if (paused.length === 0 || localService.isRunning) return;
  const text = plural(
    paused.length,
    'The local service is stopped. {0} transfer is paused.',
    'The local service is stopped. {0} transfers are paused.',
  );
  void notifications.info(text, { label: l10n.t('Start'), run: () => runCommand('dataTransfer.startLocalService') });
}

/**
 * Opens every connection that has running transfers, without prompting. At startup, unless a connection is already
 * shown, makes one of them active: the most recently used one or, if it has no running transfers, the one with the
 * newest transfer. Opens the others, and those of transfers that start later in any window, in the background. Opens
 * each connection only once, so that a manual disconnect lasts.
 */
export function watchRunningTransfers(services: CommandServices): Disposable {
  const { transferStore, sessions, memory } = services;
  const lifetime = new Lifetime();
  const openedIds = new Set<string>();
  const recordOpenConnections = (): void => sessions.getAll().forEach(({ connection }) => openedIds.add(connection.id));
  const open = async (isStart: boolean): Promise<void> => {
    const ids = findConnectionsInUse(services, openedIds, isStart);
    for (const id of ids) openedIds.add(id);
    const lastId = isStart ? await memory.getLastConnectionId() : undefined;
    const shownId = isStart ? (ids.find((id) => id === lastId) ?? ids[0]) : undefined;
    await Promise.all(
      ids.map((id) => (id === shownId ? reopenUntilConnected(services, id) : openInBackground(services, id))),
    );
  };
  const logFailure = (error: unknown): void =>
    services.log.error(`Could not open the connection of a transfer: ${String(error)}`);
  recordOpenConnections();
  lifetime.track(sessions.onDidChange(recordOpenConnections));
  lifetime.track(transferStore.onDidChange(() => void open(false).catch(logFailure)));
  void open(true).catch(logFailure);
  return lifetime;
}

/**
 * Returns the IDs of connections with running transfers, except `openedIds`. The connection with the newest transfer
 * comes first. Transfers that are paused because the local service is stopped count only at startup. Later, the user
 * decides when to start the service.
 */
function findConnectionsInUse(
  { settings, transferStore }: CommandServices,
  openedIds: ReadonlySet<string>,
  isStart: boolean,
): readonly string[] {
  const running = transferStore.getRunning().filter((transfer) => isStart || !isPaused(transfer));
  const ids = new Set(running.map(({ order }) => order.connectionId));
  const missing = [...ids].filter((id) => !openedIds.has(id));
  if (missing.length === 0) return [];
  const known = new Set([...settings.connections.map(({ id }) => id), localConnectionId]);
  return missing.filter((id) => known.has(id));
}

/**
 * Makes a connection active unless another one is shown. If another one is shown, or if the attempt fails, opens the
 * connection in the background, with retries. A failed attempt to start the local service isn't retried.
 */
async function reopenUntilConnected(services: CommandServices, id: string): Promise<void> {
  await reopenUnlessShown(services, id);
  await waitWhileConnecting(services, id);
  const { state, shown } = services.connectionStore;
  const isOtherShown = shown !== undefined && shown.id !== id;
  if (isOtherShown || (state.kind === 'failed' && id !== localConnectionId)) await openInBackground(services, id);
}

/** Waits until a connection is no longer shown as connecting. Another caller may have started the attempt. */
export async function waitWhileConnecting({ connectionStore }: CommandServices, id: string): Promise<void> {
  const isConnecting = (): boolean => connectionStore.state.kind === 'connecting' && connectionStore.shown?.id === id;
  while (isConnecting()) {
    await new Promise<void>((resolve) => {
      const subscription = connectionStore.onDidChange(() => {
        subscription.dispose();
        resolve();
      });
    });
  }
}
