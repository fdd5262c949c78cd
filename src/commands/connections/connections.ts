import { l10n } from 'vscode';
import type { ConnectFlow } from '../../core/flows/connectFlow.ts';
import type { Session, Sessions } from '../../core/flows/sessions.ts';
import type { Connection } from '../../core/model/connection.ts';
import type { Reason, ReasonKind } from '../../core/model/reason.ts';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import type { ApiKeys } from '../../host/apiKeys.ts';
import { CommandFailure, runCommand } from '../../host/commandBoundary.ts';
import type { ConnectionNode } from '../../host/contributions.ts';
import type { LocalService, LocalServiceChange } from '../../host/localService.ts';
import { localConnectionId } from '../../host/machine.ts';
import type { Memory } from '../../host/memory.ts';
import type { NoticeAction, Notices } from '../../host/notices.ts';
import { alone, pickOne, type Choice } from '../../host/quickInput.ts';
import { signInActions } from '../../host/signInActions.ts';
import { isSignInRejected } from '../../host/signInWords.ts';
import { foreignServiceName, localServiceName } from '../../host/serviceNames.ts';
import type { Settings } from '../../host/settings.ts';
import { plainLine, reasonText } from '../../host/words.ts';
import { askApiKey } from './setApiKey.ts';

/** What opening a connection needs. */
export interface ConnectionParts {
  readonly settings: Settings;
  readonly apiKeys: ApiKeys;
  readonly memory: Memory;
  readonly sessions: Sessions;
  readonly connectFlow: ConnectFlow;
  readonly localService: LocalService;
  readonly notices: Notices;
  readonly connectionStore: ConnectionStore;
}

/** Opens a saved connection or the local service; how that goes is shown in the tree, and a failure is thrown in words. */
export async function openConnection(parts: ConnectionParts, id: string): Promise<Session | undefined> {
  if (id === localConnectionId) return await openLocalService(parts);
  const foreign = foreignServiceName(id);
  if (foreign !== undefined)
    throw new CommandFailure(
      l10n.t('{0} can be reached only from that machine. Open a window there.', plainLine(foreign)),
    );
  const connection = parts.settings.connections.find((saved) => saved.id === id);
  if (!connection)
    throw new CommandFailure(l10n.t('This connection is no longer saved. Connect to the service again.'));
  const found = await parts.apiKeys.find(connection);
  const key = found.key ?? (await askApiKey(parts, connection, found.reason));
  return key === undefined ? undefined : await open(parts, connection, key);
}

/** What stands for the address of the local service until it runs. */
const noAddressYet = 'http://127.0.0.1';

/** Starts the local service where it does not run, and connects to it with the token it gave. */
export async function openLocalService(parts: ConnectionParts): Promise<Session | undefined> {
  const signal = parts.connectFlow.prepare(localConnection(noAddressYet));
  try {
    const { address, token } = await parts.localService.start();
    if (signal.aborted) return undefined;
    return await open(parts, localConnection(address), token);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) parts.connectFlow.fail(localConnection(noAddressYet), { kind: 'unreachable', detail });
    throw new CommandFailure(l10n.t('Could not start the local service: {0}', plainLine(detail)));
  }
}

/**
 * Where the local service has ended, shows that its databases are gone; Start or Retry starts it again. Where it is to be reached
 * at another address, after a crash, opens its session anew: what was shown and what runs goes on there (D29).
 */
export async function followLocalService(parts: ConnectionParts, change: LocalServiceChange): Promise<void> {
  const { localService, sessions, connectFlow, connectionStore } = parts;
  const session = sessions.get(localConnectionId);
  const { state } = connectionStore;
  // It may have crashed once more while its session was being opened anew.
  const hasFailed = state.kind === 'failed' && state.connection.id === localConnectionId;
  if (change === 'started' || (!session && !hasFailed)) return;
  const isShown = hasFailed || sessions.active === session;
  connectFlow.close(localConnectionId);
  if (change !== 'moved') {
    if (session && isShown) showEnd(connectFlow, session.connection, change);
    return;
  }
  const { address, token } = await localService.start();
  if (isShown) await connectFlow.open(localConnection(address), token);
  else await connectFlow.openBeside(localConnection(address), token);
}

function showEnd(connectFlow: ConnectFlow, connection: Connection, change: 'stopped' | 'ended'): void {
  if (change === 'stopped') connectFlow.showStopped(connection);
  else connectFlow.fail(connection, { kind: 'unreachable' });
}

/** Lists the databases of the local service again where they are shown. */
export async function refreshLocalDatabases({ sessions, connectFlow }: ConnectionParts): Promise<void> {
  if (sessions.active?.connection.id === localConnectionId) await connectFlow.refreshDatabases();
}

/** The active session; where there is none, opens the last connection, or asks which. Undefined when the person left. */
export async function requireSession(parts: ConnectionParts): Promise<Session | undefined> {
  if (parts.sessions.active) return parts.sessions.active;
  const id = (await connectionToOpen(parts)) ?? (await askConnection(parts, l10n.t('Select a service to connect to')));
  return id === undefined ? undefined : await openConnection(parts, id);
}

/** The open session of a connection, made the active one where that is wanted; opens it where there is none. */
export async function sessionOf(
  parts: ConnectionParts,
  id: string,
  isToBeActive: boolean,
): Promise<Session | undefined> {
  const open = isToBeActive ? parts.sessions.active : parts.sessions.get(id);
  return open?.connection.id === id ? open : await openConnection(parts, id);
}

/** Opens a connection by itself, as far as that needs no question; how it goes is shown in the tree only. */
export async function reopenConnection(parts: ConnectionParts, wanted?: string): Promise<void> {
  const id = wanted ?? (await connectionToOpen(parts));
  if (id === undefined || parts.connectionStore.state.kind !== 'disconnected') return;
  const connection = parts.settings.connections.find((saved) => saved.id === id);
  if (connection) await reopenSaved(parts, connection);
  else if (id === localConnectionId) await openLocalService(parts).catch(alreadyShown);
}

/** As {@link reopenConnection}, whatever is shown now. */
export async function reopenSaved({ apiKeys, connectFlow }: ConnectionParts, connection: Connection): Promise<void> {
  const { key, reason } = await apiKeys.find(connection);
  if (key === undefined) connectFlow.fail(connection, reason);
  else await connectFlow.reopen(connection, key);
}

/** Opens a connection only for the transfers that run there, as far as that needs no question. */
export async function openBeside(parts: ConnectionParts, id: string): Promise<void> {
  const { settings, apiKeys, connectFlow, localService } = parts;
  if (id === localConnectionId) {
    const access = await localService.start().catch(() => undefined);
    if (access) await connectFlow.openBeside(localConnection(access.address), access.token);
    return;
  }
  const connection = settings.connections.find((saved) => saved.id === id);
  const key = connection && (await apiKeys.get(connection));
  if (connection && key !== undefined) await connectFlow.openBeside(connection, key);
}

/** A failure that the tree shows needs no notice when nobody asked for the connection. */
function alreadyShown(error: unknown): void {
  if (!(error instanceof CommandFailure)) throw error;
}

/** Asks which of the saved connections, or the local service, or `others`. The one that is shown is marked. */
export async function askConnection(
  parts: ConnectionParts,
  placeholder: string,
  others: readonly Choice<string>[] = [],
): Promise<string | undefined> {
  const { shown } = parts.connectionStore;
  const saved = parts.settings.connections.map(({ id, name, server, port }) => ({
    label: plainLine(name),
    description: [port === undefined ? server : `${server}:${port}`, standing(parts, id)].filter(Boolean).join(' · '),
    value: id,
  }));
  const local = {
    label: localServiceName(),
    description: [l10n.t('folders of this machine'), standing(parts, localConnectionId)].filter(Boolean).join(' · '),
    value: localConnectionId,
  };
  const choices = [...saved, local, ...others];
  const answer = await pickOne(alone(l10n.t('Connections')), {
    placeholder,
    choices,
    ...(shown && { active: shown.id }),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

/** How a connection stands, in a word; nothing for one that is not open. */
function standing({ sessions, connectionStore }: ConnectionParts, id: string): string | undefined {
  const { state } = connectionStore;
  if (sessions.active?.connection.id === id)
    return state.kind === 'connected' && state.problem ? l10n.t('not responding') : l10n.t('connected');
  return sessions.get(id) && l10n.t('open for its transfers');
}

/** Returns the connection that was active last; where that isn't known, the only saved one. */
async function connectionToOpen({ settings, memory }: ConnectionParts): Promise<string | undefined> {
  const last = await memory.lastConnectionId();
  const saved = settings.connections.map(({ id }) => id);
  if (last !== undefined && [...saved, localConnectionId].includes(last)) return last;
  return saved.length === 1 ? saved[0] : undefined;
}

async function open(parts: ConnectionParts, connection: Connection, key: string): Promise<Session | undefined> {
  const attempt = await parts.connectFlow.open(connection, key);
  if (attempt.session) return attempt.session;
  if (attempt.reason.kind === 'cancelled') return undefined;
  const text = l10n.t('Could not connect to {0}: {1}', plainLine(connection.name), reasonText(attempt.reason));
  throw new CommandFailure(text, ...actionsFor(attempt.reason, connection.id));
}

/** The buttons that help against a reason: for a rejected sign-in, and for a way to the service that does not work. */
export function actionsFor(reason: Reason, connectionId: string): readonly NoticeAction[] {
  if (isSignInRejected(reason)) return signInActions(reason, connectionId);
  if (connectionId === localConnectionId || !troublesOnTheWay.has(reason.kind)) return [];
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  return [{ label: l10n.t('Test Connection'), run: () => runCommand('dataTransfer.testConnection', node) }];
}

const troublesOnTheWay: ReadonlySet<ReasonKind> = new Set([
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

/** The connection to the local service that listens at this address. */
export function localConnection(address: string): Connection {
  return { id: localConnectionId, name: localServiceName(), server: address };
}
