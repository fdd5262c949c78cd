import { apiVersion, localServiceName } from '../../contract/root.ts';
import type { Connection, ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import { KeyRemover, type Channel, type HttpRequest, type HttpResponse, type Limits } from './exchange.ts';
import { logFailure, readResult, reportBug, send } from './http.ts';
import { ConnectionError, type Result } from './reply.ts';
import type { RequestQueues } from './requestQueue.ts';
import { readDatabases, readRoot } from './responseReaders.ts';
import { createRoute, type RouteObserver } from './route.ts';
import { addSuggestedAddress, formatAuthorization, toBaseAddress } from './serverAccess.ts';
import type { ServerDialects } from './serverDialect.ts';
import type { Transport } from './transport.ts';
import { DirectTransport, EditorTransport, type Fetch } from './transports.ts';

/**
 * Represents a session with a service. Stores the root document and the last listing of databases. Ends when the
 * channel is closed.
 */
export class ClientSession {
  readonly channel: Channel;
  readonly service: ServiceInfo;
  readonly dialects: ServerDialects;
  private readonly apiPath: string;
  /** The last successful listing, if any. Only a listing proves that the key is valid (D6: prove the key). */
  listed: readonly Database[] | undefined;

  /** `apiPath` is the path of `{api_base}` (§4). */
  constructor(channel: Channel, service: ServiceInfo, dialects: ServerDialects, apiPath: string) {
    this.channel = channel;
    this.service = service;
    this.dialects = dialects;
    this.apiPath = apiPath;
  }

  /** Sends a request to the API; `path` is relative to `{api_base}` (§4). */
  async send(request: HttpRequest, signal?: AbortSignal): Promise<Result<HttpResponse>> {
    return await this.sendLocated(this.locate(request), signal);
  }

  /** Sends a request whose path is relative to the service's address: to a route beyond the contract (D26). */
  async sendToRoot(request: HttpRequest, signal?: AbortSignal): Promise<Result<HttpResponse>> {
    const root = this.apiPath.replace(/\/api\/v\d+$/, '');
    return await this.sendLocated({ ...request, path: `${root}/${request.path}` }, signal);
  }

  private async sendLocated(located: HttpRequest, signal?: AbortSignal): Promise<Result<HttpResponse>> {
    return this.addKeyHistory(await send(this.channel, located, signal));
  }

  private locate(request: HttpRequest): HttpRequest {
    return { ...request, path: `${this.apiPath}/${request.path}` };
  }

  getAddressLength(path: string): number {
    return this.channel.origin.length + this.apiPath.length + 1 + path.length;
  }

  async request<T>(request: HttpRequest, read: (json: unknown) => T, signal?: AbortSignal): Promise<Result<T>> {
    const located = this.locate(request);
    return readResult(this.channel, located, await this.sendLocated(located, signal), read);
  }

  /** Returns the result, with `keyWorked` set for a 401 if the key was accepted earlier in the session. */
  private addKeyHistory<T>(result: Result<T>): Result<T> {
    if (!result.reason || result.reason.kind !== 'unauthorized' || !this.listed) return result;
    return { ...result, reason: { ...result.reason, keyWorked: true } };
  }

  /** Lists the databases and caches the list for {@link getDatabases} (§4.2). */
  async listDatabases(signal?: AbortSignal): Promise<Result<readonly Database[]>> {
    const result = await this.request({ method: 'GET', path: 'databases', isUniversal: true }, readDatabases, signal);
    if (result.reason) return { ...result, reason: addSuggestedAddress(result.reason, this.service.address) };
    this.listed = result.value;
    return result;
  }

  /**
   * Resolves to the last listing, or requests a listing if there is none. Resolves to an empty list if the request
   * fails.
   */
  async getDatabases(signal?: AbortSignal): Promise<readonly Database[]> {
    return this.listed ?? (await this.listDatabases(signal)).value ?? [];
  }
}

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
