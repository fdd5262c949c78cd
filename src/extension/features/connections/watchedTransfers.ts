import { isPaused } from '../../../core/model/transferModel.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { CommandServices } from '../services.ts';
import { openInBackground } from './connectionOpener.ts';
import { reopenUnlessShown } from './connectionPicker.ts';

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
async function waitWhileConnecting({ connectionStore }: CommandServices, id: string): Promise<void> {
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
