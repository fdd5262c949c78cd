import { l10n } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import { isUnderWay, type Transfer } from '../../core/model/transfer.ts';
import type { TransferStore } from '../../core/store/transferStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { ConnectionNode, WelcomeButton } from '../../host/contributions.ts';
import { connectionName } from '../../host/connectionName.ts';
import { localConnectionId } from '../../host/machine.ts';
import { plainLine, plural, progressText, reasonText, transferTitle } from '../../host/words.ts';
import { connect, type ConnectParts } from './connect.ts';
import { actionsFor, askConnection, openConnection, openLocalService, type ConnectionParts } from './connections.ts';

/** What these commands need. */
export interface ManageParts extends ConnectionParts, ConnectParts {
  readonly transferStore: TransferStore;
}

/** Closes the active connection; its key stays kept. */
export function disconnect({ connectFlow, connectionStore, transferStore, notices }: ManageParts): void {
  const { shown } = connectionStore;
  if (!shown) {
    void notices.info(l10n.t('There is no connection to close.'));
    return;
  }
  connectFlow.disconnect();
  const waiting = transferStore.running().filter(({ order }) => order.connectionId === shown.id).length;
  if (waiting === 0) return;
  notices.done(
    plural(
      waiting,
      '{0} transfer goes on there; it is watched again when you connect.',
      '{0} transfers go on there; they are watched again when you connect.',
    ),
  );
}

const another = '';

/** Asks for another connection, or a new one, and makes it the active one. */
export async function switchConnection(parts: ManageParts): Promise<void> {
  const toNew = { label: l10n.t('Connect to Another Service…'), value: another, alwaysShow: true };
  const id = await askConnection(parts, l10n.t('Select a service to connect to'), [toNew]);
  if (id === another) await connect(parts);
  else if (id !== undefined) await openConnection(parts, id);
}

/** Lists the databases again; where connecting failed, connects again. For a row it tries that connection's key out. */
export async function refreshDatabases(parts: ManageParts, node?: ConnectionNode): Promise<void> {
  const { state } = parts.connectionStore;
  const activeId = parts.sessions.active?.connection.id;
  if (node?.id !== undefined && node.id !== activeId) await tryConnection(parts, node.id);
  else if (state.kind === 'connected') await parts.connectFlow.refreshDatabases();
  else if (state.kind === 'failed' || state.kind === 'stopped') await openConnection(parts, state.connection.id);
  else await switchConnection(parts);
  if (node?.id !== undefined && node.id === activeId) throwReason(parts, node.id, parts.connectionStore.listing.reason);
}

/** Asks whether the key of a connection is accepted; one that is not open is opened. */
async function tryConnection(parts: ManageParts, id: string): Promise<void> {
  if (parts.sessions.get(id)) throwReason(parts, id, await parts.connectFlow.tryKey(id));
  else await openConnection(parts, id);
}

function throwReason(parts: ManageParts, id: string, reason: Reason | undefined): void {
  if (!reason) return;
  const name = plainLine(connectionName(parts, id));
  throw new CommandFailure(l10n.t('Could not ask {0}: {1}', name, reasonText(reason)), ...actionsFor(reason, id));
}

/** Starts the local service and connects to it. */
export async function startLocalService(parts: ManageParts, button?: WelcomeButton): Promise<void> {
  const opening = openLocalService(parts);
  if (button) parts.focusConnection();
  await opening;
}

/** Ends the local service, after asking where transfers run on it or other windows use it. */
export async function stopLocalService(parts: ManageParts): Promise<void> {
  const { localService, connectFlow, sessions, notices } = parts;
  const others = await localService.otherWindows();
  if (others === undefined && !localService.isRunning) {
    void notices.info(l10n.t("The local service isn't running."));
    return;
  }
  if (!(await mayStop(parts, others ?? 0))) return;
  if (sessions.active?.connection.id === localConnectionId) connectFlow.disconnect();
  else sessions.close(localConnectionId);
  try {
    await localService.stop();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(l10n.t('Could not stop the local service: {0}', plainLine(detail)));
  }
}

async function mayStop({ notices, transferStore }: ManageParts, others: number): Promise<boolean> {
  const running = transferStore
    .running()
    .filter((transfer) => transfer.order.connectionId === localConnectionId && isUnderWay(transfer));
  const details = [running.length > 0 ? runningText(running) : '', others > 0 ? othersText(others) : ''];
  if (details.every((detail) => detail === '')) return true;
  const question = l10n.t('Stop the local service?');
  return await notices.confirm(question, details.filter(Boolean).join('\n\n'), l10n.t('Stop Local Service'));
}

/** More transfers than these are not named in a question. */
const mostNamed = 5;

function runningText(running: readonly Transfer[]): string {
  const named = running.slice(0, mostNamed).map((transfer) => `${transferTitle(transfer)} · ${progressText(transfer)}`);
  const others = running.length - named.length;
  return [
    plural(running.length, '{0} transfer is running on it:', '{0} transfers are running on it:'),
    ...named,
    ...(others > 0 ? [plural(others, 'and {0} more', 'and {0} more')] : []),
    l10n.t('Running transfers pause, and continue when you start the service again.'),
  ].join('\n');
}

function othersText(others: number): string {
  const use =
    others === 1
      ? l10n.t('Another window uses it.')
      : plural(others, '{0} other window uses it.', '{0} other windows use it.');
  return `${use} ${l10n.t('Its databases disappear there too.')}`;
}
