import { apiVersion } from '../../contract/apiVersion.ts';
import { localServiceName } from '../../contract/root.ts';
import type { Connection, ServiceInfo } from '../model/connection.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import { toBaseAddress, addSuggestedAddress } from './address.ts';
import { readRoot } from './responseReaders.ts';
import { DirectTransport } from './directTransport.ts';
import { createRoute } from './dispatcher.ts';
import type { RouteObserver } from './observedConnector.ts';
import { EditorTransport, type Fetch } from './editorTransport.ts';
import { ConnectionError } from './errors.ts';
import type { Channel } from './exchange.ts';
import { logFailure, readResult, reportBug, send } from './http.ts';
import { KeyRemover } from './keyRemover.ts';
import type { Limits } from './limits.ts';
import type { RequestQueues } from './requestQueue.ts';
import type { ServerDialects } from './serverDialect.ts';
import { ClientSession } from './clientSession.ts';
import { formatAuthorization } from './token.ts';
import type { Transport } from './transport.ts';

/** Describes the service to connect to and the key to use (§4.9). */
export type ConnectOptions = Pick<Connection, 'server' | 'port' | 'scheme' | 'allowInsecureHttp' | 'transport'> & {
  readonly apiKey: string;
};

/** Dependencies of a client. */
export interface ClientDependencies {
  readonly log: Logger;
  readonly clock: Clock;
  /** Stores the server dialects learned so far (D7: database name or id, D8: metadata by ids). */
  readonly dialects: ServerDialects;
  /** The request queues, which all clients in a program should share (D34: serialized requests). */
  readonly queues: RequestQueues;
  readonly limits: Limits;
  /** Returns the proxy and certificate settings. Called for each connection attempt with the `direct` transport. */
  readonly getNetworkSettings: () => NetworkSettings;
  /** Sends the requests of connections that use the `editor` transport. */
  readonly fetch: Fetch;
  readonly observer?: RouteObserver | undefined;
}

/**
 * Requests the root document and opens a session (§4.1, §4.9). Rejects with ConnectionError (§4.8). Aborting `ended`
 * closes the session. The caller must abort `ended` if this function rejects.
 */
export async function connectTo(
  target: ConnectOptions,
  dependencies: ClientDependencies,
  ended: AbortSignal,
  signal?: AbortSignal,
): Promise<ClientSession> {
  const address = toBaseAddress(target);
  const channel = openChannel(address, target, dependencies, ended);
  const service = await requestRoot(channel, address, signal);
  const apiPath = `${new URL(address).pathname.replace(/\/$/, '')}/api/v${String(apiVersion)}`;
  // The local service handles requests independently of each other, so they need no queue.
  const queued: Channel = service.hasFullPages ? channel : { ...channel, queue: dependencies.queues.get(address) };
  return new ClientSession(queued, service, dependencies.dialects, apiPath);
}

/** Creates the error for a connection attempt that `disconnect` or a later attempt canceled. */
export function createSupersededError(): ConnectionError {
  return new ConnectionError('connect: canceled before it was complete', { kind: 'cancelled' });
}

function openChannel(
  address: string,
  target: ConnectOptions,
  dependencies: ClientDependencies,
  ended: AbortSignal,
): Channel {
  const { log, clock, limits } = dependencies;
  const { transport, proxySecrets } = createTransport(address, target, dependencies);
  ended.addEventListener('abort', () => transport.close(), { once: true });
  const authorization = formatAuthorization(target.apiKey, target.scheme ?? undefined);
  const secrets = [target.apiKey, ...proxySecrets];
  const keyRemover = new KeyRemover(target.apiKey);
  return { transport, origin: new URL(address).origin, authorization, secrets, keyRemover, limits, clock, log, ended };
}

function createTransport(
  address: string,
  target: ConnectOptions,
  { getNetworkSettings, fetch, limits, clock, observer }: ClientDependencies,
): { readonly transport: Transport; readonly proxySecrets: readonly string[] } {
  if (target.transport === 'editor') {
    observer?.didReach('root', {});
    return { transport: new EditorTransport(fetch, clock), proxySecrets: [] };
  }
  const route = createRoute(getNetworkSettings(), address, limits, observer);
  return { transport: new DirectTransport(route), proxySecrets: route.proxy?.secrets ?? [] };
}

async function requestRoot(channel: Channel, address: string, signal?: AbortSignal): Promise<ServiceInfo> {
  const request = { method: 'GET', path: new URL(address).pathname, isUniversal: true } as const;
  const root = await send(channel, request, signal)
    .then((result) => readResult(channel, request, result, readRoot))
    .catch((error: unknown) => reportBug(channel, error));
  if (!root.reason) {
    const hasFullPages = root.value.name === localServiceName;
    return { address, ...root.value, ...(hasFullPages && { hasFullPages }) };
  }
  const reason = addSuggestedAddress(root.reason, address);
  logFailure(channel, reason);
  const facts = [reason.status, reason.kind, reason.code, reason.detail].filter((part) => part !== undefined);
  throw new ConnectionError(`connect: could not connect to ${address}: ${facts.join(', ')}`, reason);
}
