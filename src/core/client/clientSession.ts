import type { ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import { addSuggestedAddress } from './address.ts';
import { readDatabases } from './responseReaders.ts';
import type { Channel, HttpRequest, HttpResponse } from './exchange.ts';
import { readResult, send } from './http.ts';
import type { Result } from './result.ts';
import type { ServerDialects } from './serverDialect.ts';

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
