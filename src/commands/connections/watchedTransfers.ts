import { isPaused } from '../../core/model/transfer.ts';
import type { TransferStore } from '../../core/store/transferStore.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { localConnectionId } from '../../host/machine.ts';
import { openBeside, reopenConnection, type ConnectionParts } from './connections.ts';

/** What watching over the transfers of all windows needs. */
export interface WatchedParts extends ConnectionParts {
  readonly transferStore: TransferStore;
}

/**
 * Opens every connection that transfers run on, as far as that needs no question, and goes on trying where a service
 * cannot be reached. The one that was used last is shown, or that of the newest transfer; one on which a transfer begins
 * later, in whichever window, is opened beside what is shown. Each once: who disconnects here is not connected again.
 */
export function keepTransfersWatched(parts: WatchedParts, log: Logger): Disposable {
  const { transferStore, sessions } = parts;
  const lifetime = new Lifetime();
  const opened = new Set<string>();
  const noteOpen = (): void => sessions.all().forEach(({ connection }) => opened.add(connection.id));
  const open = async (isStart: boolean): Promise<void> => {
    const ids = connectionsInUse(parts, opened, isStart);
    for (const id of ids) opened.add(id);
    const last = isStart ? await parts.memory.lastConnectionId() : undefined;
    const shown = isStart ? (ids.find((id) => id === last) ?? ids[0]) : undefined;
    await Promise.all(ids.map((id) => (id === shown ? reopenStubbornly(parts, id) : openBeside(parts, id))));
  };
  const note = (error: unknown): void => log.error(`A connection of a transfer could not be opened: ${String(error)}`);
  noteOpen();
  lifetime.track(sessions.onDidChange(noteOpen));
  lifetime.track(transferStore.onDidChange(() => void open(false).catch(note)));
  void open(true).catch(note);
  return lifetime;
}

/**
 * The saved connections on which transfers run, and the local service's, by the newest transfer; without `others`. Only
 * at a start it includes a local service that was stopped: later on, the person decides when it starts again.
 */
function connectionsInUse(
  { settings, transferStore }: WatchedParts,
  others: ReadonlySet<string>,
  isStart: boolean,
): readonly string[] {
  const running = transferStore.running().filter((transfer) => isStart || !isPaused(transfer));
  const ids = new Set(running.map(({ order }) => order.connectionId));
  const missing = [...ids].filter((id) => !others.has(id));
  if (missing.length === 0) return [];
  const known = new Set([...settings.connections.map(({ id }) => id), localConnectionId]);
  return missing.filter((id) => known.has(id));
}

async function reopenStubbornly(parts: WatchedParts, id: string): Promise<void> {
  await reopenConnection(parts, id);
  const { state } = parts.connectionStore;
  if (state.kind === 'failed' && state.connection.id === id && id !== localConnectionId) await openBeside(parts, id);
}
