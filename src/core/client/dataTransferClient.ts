import type { ServiceInfo, TokenScheme, TransportKind } from '../model/connection.ts';
import type { Database } from '../model/database.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import { plainNetwork, type NetworkSettings } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import type { SearchParameter } from '../model/searchParameter.ts';
import type { StagingStatus } from '../model/searchQuery.ts';
import type { TurnOptions } from '../model/requestTurn.ts';
import type { TransferStatus } from '../model/transfer.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import type { JsonObject } from '../util/json.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { readFiles, readSearchParameters } from './answers.ts';
import { checkArguments, numberToSend } from './arguments.ts';
import type { Given, Operation } from './arguments.ts';
import { searchRequest } from './bodies.ts';
import { connectTo, overtaken } from './connecting.ts';
import type { Target } from './connecting.ts';
import { askWithName, DatabaseName, isNamingKnown } from './databaseName.ts';
import type { Fetch } from './editorTransport.ts';
import { RuntimeError } from './errors.ts';
import { logFailure } from './http.ts';
import type { Failed, Read } from './http.ts';
import { defaultLimits } from './limits.ts';
import type { Limits } from './limits.ts';
import { MetadataAsker } from './metadata.ts';
import { MetadataBatches } from './metadataBatches.ts';
import { encodePart, queryOf } from './query.ts';
import type { MetadataReply, Reply } from './reply.ts';
import { RequestLines } from './requestLine.ts';
import { ServerDialects } from './serverDialect.ts';
import type { Session } from './session.ts';
import { askStatus } from './status.ts';
import type { StatusOptions } from './status.ts';
import { submit } from './submission.ts';
import type { CancelOptions, TransferOptions } from './transferOptions.ts';
import { canonicalUuid } from '../util/uuid.ts';

/** Where to connect, and as whom (§4.9). */
export interface ConnectOptions {
  /** Address with `http://` or `https://` (D4). */
  readonly server: string;
  readonly port?: number;
  readonly apiKey: string;
  /** How the key is written into the header; `base64` where not given (D5). */
  readonly scheme?: TokenScheme;
  /** Lets the key travel over plain http to an address that is not loopback (D4). */
  readonly allowInsecureHttp?: boolean;
  /** `direct` where not given. */
  readonly transport?: TransportKind;
}

/** What a {@link DataTransferClient} works with. */
export interface ClientOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  /** What was learned of servers before; what is learned goes in there (D7, D8). */
  readonly dialects?: ServerDialects;
  /** The lines in which requests wait for their turn; shared by all clients of a program (D34). */
  readonly lines?: RequestLines;
  /** Other bounds than the usual ones (D15, D16). */
  readonly limits?: Partial<Limits>;
  /** How the network is reached; asked for at every connect. */
  readonly network?: () => NetworkSettings;
  /** What the transport `editor` sends with; the runtime's own where not given. */
  readonly fetch?: Fetch;
}

/** A search (§4.3). Empty optional fields, and an `offset` of 0, are left out of the request. */
export interface SearchOptions {
  /** Name of the database. */
  readonly database: string;
  readonly orcid: string;
  readonly query: string | number;
  readonly status?: StagingStatus | '' | undefined;
  readonly offset?: number | string | undefined;
  readonly limit?: number | string | null | undefined;
  readonly specific?: JsonObject | undefined;
}

/** A metadata request (§4.4). */
export interface MetadataOptions {
  /** Name of the database. */
  readonly database: string;
  readonly orcid: string;
  readonly ids: readonly string[];
  readonly offset?: number | string | undefined;
  readonly limit?: number | string | null | undefined;
}

/**
 * The client of the service. Wrong arguments, and calls without a connection, reject before anything is sent (§4.8, D1);
 * whatever the server or the network does is a reply with a reason (D2).
 */
export class DataTransferClient implements Disposable {
  private readonly log: Logger;
  private readonly clock: Clock;
  private readonly dialects: ServerDialects;
  private readonly lines: RequestLines;
  /** Lines that no other client shares. */
  private readonly ownLines: RequestLines | undefined;
  private readonly limits: Limits;
  private readonly network: () => NetworkSettings;
  private readonly fetch: Fetch;
  private readonly replied = new Emitter<Reason | undefined>();
  /**
   * Fires for the outcome of every operation: with the reason, or without one when it went well (D28). Not for search
   * parameters that a server does not tell of: a route that is not there says nothing of the key.
   */
  readonly onDidReply = this.replied.event;
  private session: Session | undefined;
  /** Ends the connection that stands, with everything under way on it. */
  private standing: AbortController | undefined;
  /** Ends an attempt to connect. */
  private attempt: AbortController | undefined;

  constructor(options: ClientOptions) {
    this.log = options.log;
    this.clock = options.clock ?? systemClock;
    this.dialects = options.dialects ?? new ServerDialects();
    this.lines = options.lines ?? new RequestLines(this.clock);
    this.ownLines = options.lines ? undefined : this.lines;
    this.limits = { ...defaultLimits, ...options.limits };
    this.network = options.network ?? (() => plainNetwork);
    this.fetch = options.fetch ?? (async (address, init) => await globalThis.fetch(address, init));
  }

  /** Makes a client; with a `server` it is connected when the promise resolves, without one it is not (§4.9, D1). */
  static async create(options: ClientOptions & Partial<ConnectOptions>): Promise<DataTransferClient> {
    const client = new DataTransferClient(options);
    const server: unknown = options.server;
    if (server !== undefined && server !== null) await client.connect(options as ConnectOptions);
    return client;
  }

  /** What the root document of the connected service told; undefined while disconnected. */
  get service(): ServiceInfo | undefined {
    return this.session?.service;
  }

  /**
   * Asks the service for its root document and uses it from then on (§4.1, §4.9). What was connected before stays so
   * until that succeeded. A later call, or `disconnect`, ends an earlier one that is still under way.
   * Rejects with TypeError, ValueError or ConnectionError (§4.8).
   */
  async connect(options: ConnectOptions, signal?: AbortSignal): Promise<ServiceInfo> {
    const target = checkArguments('connect', options) as Given & Target;
    this.attempt?.abort();
    const attempt = new AbortController();
    this.attempt = attempt;
    const { log, clock, limits, dialects, lines, fetch } = this;
    const parts = { log, clock, limits, dialects, lines, fetch, network: this.network(), ended: attempt.signal };
    const session = await connectTo(target, parts, signal).catch((error: unknown) => {
      attempt.abort();
      throw error;
    });
    if (attempt.signal.aborted) throw overtaken();
    this.attempt = undefined;
    this.standing?.abort();
    this.standing = attempt;
    this.session = session;
    log.info(`Connected to ${session.service.address}`);
    return session.service;
  }

  /** Forgets key, address, name and version, and ends what is under way (§4.9, D1). */
  disconnect(): void {
    this.attempt?.abort();
    this.standing?.abort();
    this.attempt = undefined;
    this.standing = undefined;
    this.session = undefined;
  }

  dispose(): void {
    this.replied.dispose();
    this.ownLines?.dispose();
    this.disconnect();
  }

  /** Lists the databases (§4.2). */
  async databases(signal?: AbortSignal): Promise<Reply<readonly Database[]>> {
    const session = this.connected('databases');
    return this.reply(session, await session.list(signal), []);
  }

  /** Searches one database (§4.3). */
  async search(request: SearchOptions, signal?: AbortSignal): Promise<Reply<readonly FoundFile[]>> {
    const session = this.connected('search');
    const given = checkArguments('search', request);
    const database = String(given['database']);
    const name = await DatabaseName.of(session, database, signal);
    const ask = async (sent: string): Promise<Read<readonly FoundFile[]> | Failed> =>
      await session.ask(searchRequest(given, sent), (json) => readFiles(json, database), signal);
    return this.reply(session, await askWithName(name, ask, isNotFound, signal), []);
  }

  /** Asks for the metadata of files by their ids, in as many requests as that needs (§4.4, D8). */
  async fetchMetadata(request: MetadataOptions, signal?: AbortSignal): Promise<MetadataReply> {
    const session = this.connected('fetchMetadata');
    const given = checkArguments('fetchMetadata', request);
    const query = { database: String(given['database']), orcid: String(given['orcid']) };
    const name = await DatabaseName.of(session, query.database, signal);
    const asker = new MetadataAsker(session, query, name, signal);
    const ids = [...new Set(given['ids'] as readonly string[])];
    const page = { offset: numberToSend(given['offset']), limit: numberToSend(given['limit']) };
    const { files, refusedIds, reason } = await new MetadataBatches(asker).gather(ids, page);
    const first = reason ?? refusedIds[0]?.reason;
    if (first) logFailure(session.channel, first);
    this.replied.fire(first);
    const hasFailed = reason !== undefined || files.length === 0;
    return { value: files, ...(first && hasFailed && { reason: first }), ...(refusedIds.length > 0 && { refusedIds }) };
  }

  /** Returns true if it is known whether the server wants these databases by name or by id (D36). */
  knowsNaming(databases: readonly string[]): boolean {
    return this.session !== undefined && isNamingKnown(this.session, databases);
  }

  /**
   * Submits a transfer and resolves with its id (§4.5). Never sent twice; `maybeDone` tells when it may count all the
   * same (D12).
   */
  async transfer(request: TransferOptions, turn: TurnOptions = {}): Promise<Reply<string | undefined>> {
    const session = this.connected('transfer');
    const given = checkArguments('transfer', request);
    return this.reply(session, await submit(session, given, turn), undefined);
  }

  /** Asks how a transfer stands (§4.6), again when the answer seems another transfer's (D11). */
  async transferStatus(
    id: string,
    signal?: AbortSignal,
    options?: StatusOptions,
  ): Promise<Reply<TransferStatus | undefined>> {
    const session = this.connected('transferStatus');
    checkArguments('transferStatus', { id });
    return this.reply(session, await askStatus(session, canonicalUuid(id) ?? id, signal, options), undefined);
  }

  /** Asks the service to cancel a transfer (§4.7); `true` says that it accepted, not that the transfer ended (D13). */
  async cancelTransfer(request: CancelOptions, turn: TurnOptions = {}): Promise<Reply<true | undefined>> {
    const session = this.connected('cancelTransfer');
    const given = checkArguments('cancelTransfer', request);
    const path = `transfers/${canonicalUuid(String(given['id'])) ?? ''}${queryOf({ orcid: String(given['orcid']) })}`;
    const { observer, signal } = turn;
    const outcome = await session.send({ method: 'DELETE', path, turn: { kind: 'cancel', observer } }, signal);
    const accepted = outcome.kind === 'answer' ? ({ kind: 'read', value: true } as const) : outcome;
    return this.reply<true | undefined>(session, accepted, undefined);
  }

  /** Asks what `specific` may hold for a database, by its id (D26); empty where the server does not tell of that. */
  async searchParameters(
    databaseId: string,
    signal?: AbortSignal,
  ): Promise<Reply<Readonly<Record<string, SearchParameter>>>> {
    const session = this.connected('searchParameters');
    checkArguments('searchParameters', { databaseId });
    const path = `databases/${encodePart(databaseId)}/search-parameters`;
    const outcome = await session.ask({ method: 'GET', path }, readSearchParameters, signal);
    if (outcome.kind === 'failed' && routeIsMissing.has(outcome.reason.status ?? 0)) return { value: {} };
    return this.reply(session, outcome, {});
  }

  private connected(operation: Operation | 'databases'): Session {
    if (!this.session) throw new RuntimeError(`${operation}: the client is not connected; connect it first`);
    return this.session;
  }

  private reply<T>(session: Session, outcome: Read<T> | Failed, otherwise: T): Reply<T> {
    this.replied.fire(outcome.kind === 'failed' ? outcome.reason : undefined);
    if (outcome.kind === 'read') return { value: outcome.value };
    logFailure(session.channel, outcome.reason);
    return { value: otherwise, reason: outcome.reason };
  }
}

const routeIsMissing: ReadonlySet<number> = new Set([404, 405, 501]);

function isNotFound(outcome: Read<unknown> | Failed): boolean {
  return outcome.kind === 'failed' && outcome.reason.status === 404;
}
