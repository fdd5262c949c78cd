import type { ServiceInfo } from '../model/connection.ts';
import type { Database, SearchParameter } from '../model/databaseModel.ts';
import type { TransferFacts } from '../model/foreignResponse.ts';
import { plainNetwork } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnOptions } from '../model/requestTurn.ts';
import type { TransferStatus } from '../model/transferModel.ts';
import { systemClock } from '../util/clock.ts';
import { Emitter, type Disposable } from '../util/lifetime.ts';
import { readFoundPage, readSearchParameters, type FoundPage } from './responseReaders.ts';
import {
  buildSearchRequest,
  checkArguments,
  encodePart,
  formatQuery,
  toSentNumber,
  type CancelOptions,
  type MetadataOptions,
  type Operation,
  type SearchOptions,
  type TransferOptions,
} from './arguments.ts';
import {
  connectTo,
  createSupersededError,
  type ClientDependencies,
  type ClientSession,
  type ConnectOptions,
} from './clientSession.ts';
import { requestWithName, DatabaseName, isNamingKnown } from './databaseName.ts';
import {
  RuntimeError,
  type MetadataReply,
  type Reply,
  type RequestFailure,
  type Result,
  type SearchReply,
} from './reply.ts';
import { requestStatus, submit, toOwnFailure, type StatusOptions } from './transferRequests.ts';
import { logFailure, reportBug } from './http.ts';
import { defaultLimits, type Limits } from './exchange.ts';
import { MetadataBatches, MetadataRequester } from './metadataBatches.ts';
import { RequestQueues } from './requestQueue.ts';
import { ServerDialects } from './serverDialect.ts';
import { parseUuid } from '../util/uuid.ts';

/** Options for {@link DataTransferClient}. Only the log is required. */
export type ClientOptions = Pick<ClientDependencies, 'log'> &
  Partial<Omit<ClientDependencies, 'limits'>> & {
    /** Overrides for the default limits (D15: tolerant reading, D16: timeouts and retries). */
    readonly limits?: Partial<Limits>;
  };

interface CancelTurn extends TurnOptions {
  /** Facts about the transfer. A refusal that contradicts it is not believed (D35: misrouted responses). */
  readonly facts?: TransferFacts | undefined;
}

/**
 * Performs the contract's operations on a service. Calls with invalid arguments or without a connection reject before
 * anything is sent (§4.8, D1: error classes). Once connected, calls that fail because of the server or the network
 * resolve to a reply with a reason (D2: replies instead of exceptions).
 */
export class DataTransferClient implements Disposable {
  private readonly dependencies: ClientDependencies;
  private readonly ownQueues: RequestQueues | undefined;
  private readonly replied = new Emitter<Reason | undefined>();
  /**
   * Fires for each reply, with a reason if the operation failed or the server refused an ID. Does not fire if the
   * service lacks the route for search parameters.
   */
  readonly onDidReply = this.replied.event;
  private session: ClientSession | undefined;
  private connectionController: AbortController | undefined;
  private attemptController: AbortController | undefined;

  constructor(options: ClientOptions) {
    const { log, clock = systemClock, queues = new RequestQueues(clock), observer } = options;
    const {
      dialects = new ServerDialects(),
      getNetworkSettings = () => plainNetwork,
      fetch = globalThis.fetch,
    } = options;
    const limits = { ...defaultLimits, ...options.limits };
    this.ownQueues = options.queues ? undefined : queues;
    this.dependencies = { log, clock, dialects, queues, limits, getNetworkSettings, fetch, observer };
  }

  /** Creates a client, and connects it if `server` is given (§4.9, D1: error classes). */
  static async create(options: ClientOptions & Partial<ConnectOptions>): Promise<DataTransferClient> {
    const client = new DataTransferClient(options);
    const server: unknown = options.server;
    if (server !== undefined && server !== null) await client.connect(options as ConnectOptions);
    return client;
  }

  /** The address, name and version of the connected service; undefined if disconnected. */
  get service(): ServiceInfo | undefined {
    return this.session?.service;
  }

  /**
   * Requests a service's root document and connects to the service (§4.1, §4.9). An earlier connection stays open until
   * the new one is established. A later call to `connect` or `disconnect` cancels a pending attempt. Rejects with
   * TypeError, ValueError or ConnectionError (§4.8).
   */
  async connect(options: ConnectOptions, signal?: AbortSignal): Promise<ServiceInfo> {
    const target = checkArguments('connect', options);
    this.attemptController?.abort();
    const attempt = new AbortController();
    this.attemptController = attempt;
    const session = await connectTo(target, this.dependencies, attempt.signal, signal).catch((error: unknown) => {
      attempt.abort();
      throw error;
    });
    if (attempt.signal.aborted) throw createSupersededError();
    this.attemptController = undefined;
    this.connectionController?.abort();
    this.connectionController = attempt;
    this.session = session;
    this.dependencies.log.info(`Connected to ${session.service.address}`);
    return session.service;
  }

  /**
   * Closes the connection. Clears the key and the service's address, name and version, and cancels pending requests
   * (§4.9, D1: error classes).
   */
  disconnect(): void {
    this.attemptController?.abort();
    this.connectionController?.abort();
    this.attemptController = undefined;
    this.connectionController = undefined;
    this.session = undefined;
  }

  dispose(): void {
    this.replied.dispose();
    this.ownQueues?.dispose();
    this.disconnect();
  }

  /** Lists the databases (§4.2). */
  async databases(signal?: AbortSignal): Promise<Reply<readonly Database[]>> {
    const session = this.requireSession('databases');
    return await this.perform(session, () => session.listDatabases(signal), []);
  }

  /** Searches one database (§4.3). */
  async search(request: SearchOptions, signal?: AbortSignal): Promise<SearchReply> {
    const session = this.requireSession('search');
    const given = checkArguments('search', request);
    const { database } = given;
    const hasCursors = session.service.hasFullPages === true;
    const searchAs = async (sent: string): Promise<Result<FoundPage>> =>
      await session.request(
        buildSearchRequest(given, sent, hasCursors),
        (json) => readFoundPage(json, database, hasCursors),
        signal,
      );
    const search = async (): Promise<Result<FoundPage>> => {
      const name = await DatabaseName.resolve(session, database, signal);
      return await requestWithName(name, searchAs, isNotFound, signal);
    };
    const { value, reason } = await this.perform<FoundPage>(session, search, { files: [] });
    const cursor = value.cursor === undefined ? {} : { cursor: value.cursor };
    return { value: value.files, ...cursor, ...(reason && { reason }) };
  }

  /** Fetches the metadata of files by ID, in as many requests as necessary (§4.4, D8: metadata by ids). */
  async fetchMetadata(request: MetadataOptions, signal?: AbortSignal): Promise<MetadataReply> {
    const session = this.requireSession('fetchMetadata');
    const given = checkArguments('fetchMetadata', request);
    try {
      return await this.fetchChecked(session, given, signal);
    } catch (error) {
      return this.toReply(session, reportBug(session.channel, error), []);
    }
  }

  private async fetchChecked(
    session: ClientSession,
    given: MetadataOptions,
    signal: AbortSignal | undefined,
  ): Promise<MetadataReply> {
    const name = await DatabaseName.resolve(session, given.database, signal);
    const requester = new MetadataRequester(session, name, given.orcid, signal);
    const ids = [...new Set(given.ids)];
    const page = { offset: toSentNumber(given.offset), limit: toSentNumber(given.limit) };
    const { files, refusedIds, hasRead, reason } = await new MetadataBatches(requester).gather(ids, page);
    const first = reason ?? refusedIds[0]?.reason;
    if (first) logFailure(session.channel, first);
    this.fireReplied(session, first);
    const hasFailed = reason !== undefined || !hasRead;
    return { value: files, ...(first && hasFailed && { reason: first }), ...(refusedIds.length > 0 && { refusedIds }) };
  }

  /**
   * Returns true if the client knows whether to send these databases' names or IDs, or if both work (D36: names before
   * submission).
   */
  isNamingKnown(databases: readonly string[]): boolean {
    return this.session !== undefined && isNamingKnown(this.session, databases);
  }

  /** Resolves to the name or ID that requests currently use for a database (D7: database name or id). */
  async resolveDatabase(name: string, signal?: AbortSignal): Promise<string> {
    return (await DatabaseName.resolve(this.requireSession('databases'), name, signal)).sent;
  }

  /**
   * Submits a transfer and resolves to its ID (§4.5). Never sends a submission twice: after a failure with `maybeDone`,
   * the transfer may have started anyway (D12: never resubmit).
   */
  async transfer(request: TransferOptions, turn: TurnOptions = {}): Promise<Reply<string | undefined>> {
    const session = this.requireSession('transfer');
    const given = checkArguments('transfer', request);
    return await this.perform(session, () => submit(session, given, turn), undefined);
  }

  /**
   * Requests a transfer's status (§4.6). Retries if the response appears to belong to another transfer (D11: check
   * status identity).
   */
  async transferStatus(
    id: string,
    signal?: AbortSignal,
    options?: StatusOptions,
  ): Promise<Reply<TransferStatus | undefined>> {
    const session = this.requireSession('transferStatus');
    checkArguments('transferStatus', { id });
    const status = (): Promise<Result<TransferStatus>> => requestStatus(session, parseUuid(id) ?? id, signal, options);
    return await this.perform(session, status, undefined);
  }

  /**
   * Requests a cancellation (§4.7). The value `true` means only that the service accepted the request (D13: ignored
   * cancel). After a `foreignAnswer`, the transfer may have been canceled (D35: misrouted responses).
   */
  async cancelTransfer(request: CancelOptions, turn: CancelTurn = {}): Promise<Reply<true | undefined>> {
    const session = this.requireSession('cancelTransfer');
    const given = checkArguments('cancelTransfer', request);
    const [transferId, orcid] = [parseUuid(given.id) ?? '', given.orcid];
    const path = `transfers/${transferId}${formatQuery({ orcid })}`;
    const { facts, observer, signal } = turn;
    const cancel = async (): Promise<Result<true | undefined>> => {
      const result = await session.send({ method: 'DELETE', path, turn: { kind: 'cancel', observer } }, signal);
      return result.reason ? toOwnFailure(session, result, { ...facts, transferId, orcid }) : { value: true };
    };
    return await this.perform(session, cancel, undefined);
  }

  /**
   * Lists the search parameters that a database supports in `specific`. Resolves to an empty object if the service
   * lacks the route or the database (D26: service HTTP behavior).
   */
  async searchParameters(
    databaseId: string,
    signal?: AbortSignal,
  ): Promise<Reply<Readonly<Record<string, SearchParameter>>>> {
    const session = this.requireSession('searchParameters');
    checkArguments('searchParameters', { databaseId });
    const path = `databases/${encodePart(databaseId)}/search-parameters`;
    const list = (): Promise<Result<Readonly<Record<string, SearchParameter>>>> =>
      session.request({ method: 'GET', path }, readSearchParameters, signal);
    const result = await catchBug(session, list);
    if (missingRouteStatuses.has(result.reason?.status ?? 0)) return { value: {} };
    return this.toReply(session, result, {});
  }

  /**
   * Starts a scan of a store or folder, which only the local service supports (D62: stores through rclone). Resolves to
   * true once the scan is queued; the listing of the database shows its progress.
   */
  async scanDatabase(databaseId: string, signal?: AbortSignal): Promise<Reply<true | undefined>> {
    const session = this.requireSession('scanDatabase');
    checkArguments('scanDatabase', { databaseId });
    const path = `databases/${encodePart(databaseId)}/scans`;
    const result = await session.sendToRoot({ method: 'POST', path }, signal);
    return this.toReply<true | undefined>(session, result.reason ? result : { value: true }, undefined);
  }

  private requireSession(operation: Operation | 'databases'): ClientSession {
    if (!this.session) throw new RuntimeError(`${operation}: the client is not connected; connect it first`);
    return this.session;
  }

  /** Logs an unexpected error with its stack and without the key, and returns it as a reason. */
  reportBug(error: unknown): Reason {
    const { session } = this;
    if (session) return reportBug(session.channel, error).reason;
    // Without a session, the key isn't known, so that it couldn't be removed from the error.
    this.dependencies.log.error('Unexpected error after the connection was closed');
    return { kind: 'internalError' };
  }

  /** Runs an operation whose arguments were checked. Errors of this program become a reason, too. */
  private async perform<T>(session: ClientSession, operation: () => Promise<Result<T>>, fallback: T) {
    return this.toReply(session, await catchBug(session, operation), fallback);
  }

  private fireReplied({ channel }: ClientSession, reason: Reason | undefined): void {
    try {
      this.replied.fire(reason);
    } catch (error) {
      reportBug(channel, error);
    }
  }

  private toReply<T>(session: ClientSession, result: Result<T>, fallback: T): Reply<T> {
    this.fireReplied(session, result.reason);
    if (!result.reason) return { value: result.value };
    logFailure(session.channel, result.reason);
    return { value: fallback, reason: result.reason };
  }
}

async function catchBug<T>({ channel }: ClientSession, operation: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await operation();
  } catch (error) {
    return reportBug(channel, error);
  }
}

const missingRouteStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

function isNotFound({ reason }: RequestFailure): boolean {
  return reason.status === 404;
}
