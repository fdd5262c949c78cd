import type { ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/database.ts';
import { withSuggestedAddress } from './address.ts';
import { readDatabases } from './answers.ts';
import type { Channel, HttpRequest } from './exchange.ts';
import { readAnswer, send } from './http.ts';
import type { Failed, Outcome, Read } from './http.ts';
import type { ServerDialects } from './serverDialect.ts';

/** What a {@link Session} is made of. */
interface SessionParts {
  readonly channel: Channel;
  readonly service: ServiceInfo;
  readonly dialects: ServerDialects;
  /** Path of `{api_base}` (§4). */
  readonly apiPath: string;
}

/** A connected service: what was told at its root, its last listing, and the way to it. Ends with its channel. */
export class Session {
  readonly channel: Channel;
  readonly service: ServiceInfo;
  readonly dialects: ServerDialects;
  private readonly apiPath: string;
  private listing: readonly Database[] | undefined;
  /** True once a listing came: only that proves a key (D6). */
  private keyWorked = false;

  constructor({ channel, service, dialects, apiPath }: SessionParts) {
    this.channel = channel;
    this.service = service;
    this.dialects = dialects;
    this.apiPath = apiPath;
  }

  /** Sends one request of the API; `path` stands below `{api_base}` (§4). */
  async send(request: HttpRequest, signal?: AbortSignal): Promise<Outcome> {
    return this.withKeyHistory(await send(this.channel, this.located(request), signal));
  }

  private located(request: HttpRequest): HttpRequest {
    return { ...request, path: `${this.apiPath}/${request.path}` };
  }

  /** Length of the address that `path` gives, in bytes. */
  addressLength(path: string): number {
    return this.channel.origin.length + this.apiPath.length + 1 + path.length;
  }

  /** Sends a request and reads its answer. */
  async ask<T>(request: HttpRequest, read: (json: unknown) => T, signal?: AbortSignal): Promise<Read<T> | Failed> {
    const located = this.located(request);
    const outcome = await send(this.channel, located, signal);
    return outcome.kind === 'failed' ? this.withKeyHistory(outcome) : readAnswer(located, outcome, read);
  }

  /** Adds to a 401 that the key of this session worked before. */
  private withKeyHistory<T extends Outcome>(outcome: T | Failed): T | Failed {
    if (outcome.kind !== 'failed' || outcome.reason.kind !== 'unauthorized' || !this.keyWorked) return outcome;
    return { ...outcome, reason: { ...outcome.reason, keyWorked: true } };
  }

  /** Lists the databases and keeps the list for {@link knownDatabases} (§4.2). */
  async list(signal?: AbortSignal): Promise<Read<readonly Database[]> | Failed> {
    const outcome = await this.ask({ method: 'GET', path: 'databases', isUniversal: true }, readDatabases, signal);
    if (outcome.kind === 'failed')
      return { ...outcome, reason: withSuggestedAddress(outcome.reason, this.service.address) };
    this.listing = outcome.value;
    this.keyWorked = true;
    return outcome;
  }

  /** The last listing, if there is one; asks for nothing. */
  get listed(): readonly Database[] | undefined {
    return this.listing;
  }

  /** The last listing; asks for one where there is none yet. Empty when that fails. */
  async knownDatabases(signal?: AbortSignal): Promise<readonly Database[]> {
    if (this.listing) return this.listing;
    const outcome = await this.list(signal);
    return outcome.kind === 'read' ? outcome.value : [];
  }
}
