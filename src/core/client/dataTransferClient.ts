import type { ServiceInfo } from '../model/connection.ts';
import type { Database, SearchParameter } from '../model/databaseModel.ts';
import { findForeignSign, type TransferFacts } from '../model/foreignResponse.ts';
import { plainNetwork } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnOptions } from '../model/requestTurn.ts';
import type { FileProgressPage } from '../model/fileProgress.ts';
import type { TransferStatus } from '../model/transferModel.ts';
import { systemClock } from '../util/clock.ts';
import { Emitter, type Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { parseUuid } from '../util/uuid.ts';
import {
  buildPostRequest,
  checkArguments,
  encodePart,
  formatQuery,
  toSentNumber,
  toSentObject,
  type CancelOptions,
  type ConnectOptions,
  type FileRangeRequest,
  type ExchangeTrail,
  type HttpRequest,
  type MetadataOptions,
  type Operation,
  type SearchOptions,
  type TransferFilesRequest,
  type TransferOptions,
} from './request.ts';
import { formatRange, type FilePart } from './filePart.ts';
import { ClientSession, requestWithName, resolveName, type ClientServices } from './clientSession.ts';
import { MetadataBatches, type BatchedMetadata } from './metadataBatches.ts';
import {
  ConnectionError,
  RuntimeError,
  type MetadataReply,
  type Reply,
  type Result,
  type SearchReply,
} from './reply.ts';
import { RequestQueues } from './requestQueue.ts';
import {
  readAccepted,
  readFoundPage,
  type FoundPage,
  readJson,
  readSearchParameters,
  readStatus,
  readTransferFiles,
} from './responseReaders.ts';
import { ServerDialects } from './serverDialect.ts';
import { requestStatus, toForeignFailure, toOwnFailure, type StatusOptions } from './statusRequest.ts';

/** The services of a {@link DataTransferClient}. Only the log is required. */
export type ClientOptions = Partial<ClientServices> & { readonly log: Logger };

type StatusReply = Reply<TransferStatus | undefined>;

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
  private readonly services: ClientServices;
  private readonly ownQueues: RequestQueues | undefined;
  private readonly replied = new Emitter<Reason | undefined>();
  /** Fires for each reply, with the reason for a failure or refused ID; not without a route for search parameters. */
  readonly onDidReply = this.replied.event;
  private session: ClientSession | undefined;
  /** Ends the session when aborted. */
  private connection: AbortController | undefined;
  /** Cancels the pending attempt to connect when aborted. */
  private attempt: AbortController | undefined;

  constructor(options: ClientOptions) {
    const clock = options.clock ?? systemClock;
    const queues = options.queues ?? new RequestQueues(clock);
    this.ownQueues = options.queues ? undefined : queues;
    this.services = {
      clock,
      dialects: new ServerDialects(),
      queues,
      limits: {},
      getNetworkSettings: () => plainNetwork,
      fetch: globalThis.fetch,
      ...options,
    };
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
    this.attempt?.abort();
    const attempt = new AbortController();
    this.attempt = attempt;
    const session = await ClientSession.open(target, this.services, attempt.signal, signal).catch((error: unknown) => {
      attempt.abort();
      throw error;
    });
    if (attempt.signal.aborted) {
      throw new ConnectionError('connect: canceled before it was complete', { kind: 'cancelled' });
    }
    this.attempt = undefined;
    this.connection?.abort();
    this.connection = attempt;
    this.session = session;
    session.log.info(`Connected to ${session.service.address}`);
    return session.service;
  }

  /** Closes the connection, forgets key and service, and cancels pending requests (§4.9, D1: error classes). */
  disconnect(): void {
    this.attempt?.abort();
    this.connection?.abort();
    this.attempt = undefined;
    this.connection = undefined;
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
    return await this.perform<readonly Database[]>(session, [], session.listDatabases(signal));
  }

  /** Searches one database (§4.3). Sends the cursor only to the local service (D9: paging). */
  async search(request: SearchOptions, signal?: AbortSignal): Promise<SearchReply> {
    const session = this.requireSession('search');
    const { database, orcid, query, status, offset, limit, cursor, specific } = checkArguments('search', request);
    const hasCursors = session.service.hasFullPages === true;
    const body = {
      orcid,
      query: String(query),
      status: status || undefined,
      offset: toSentNumber(offset),
      limit: toSentNumber(limit),
      cursor: (hasCursors && cursor) || undefined,
      specific: toSentObject(specific),
    };
    const requestPage = async (sent: string): Promise<Result<FoundPage>> => {
      const post = buildPostRequest(`${session.apiPath}/files`, { database: sent, ...body });
      return await session.request(post, (json) => readFoundPage(json, database, hasCursors), signal);
    };
    const found = requestWithName(resolveName(session, database, signal), requestPage, signal);
    const { value: page, reason } = await this.perform<FoundPage>(session, { files: [] }, found);
    const { files: value, ...extensions } = page;
    return { value, ...extensions, ...(reason && { reason }) };
  }

  /** Fetches the metadata of files by ID, in as many requests as necessary (§4.4, D8: metadata by ids). */
  async fetchMetadata(request: MetadataOptions, signal?: AbortSignal): Promise<MetadataReply> {
    const session = this.requireSession('fetchMetadata');
    const { database, orcid, ids, offset, limit } = checkArguments('fetchMetadata', request);
    const gather = async (): Promise<BatchedMetadata> => {
      const batches = new MetadataBatches(await resolveName(session, database, signal), orcid, signal);
      return await batches.gather([...new Set(ids)], { offset: toSentNumber(offset), limit: toSentNumber(limit) });
    };
    const gathered: BatchedMetadata = await gather().catch((error: unknown) => {
      return { files: [], refusedIds: [], hasRead: false, reason: session.reportBug(error).reason };
    });
    const { files, refusedIds, hasRead, reason, listing } = gathered;
    const first = reason ?? refusedIds[0]?.reason;
    this.reportReply(session, first);
    const hasFailed = reason !== undefined || !hasRead;
    return {
      value: files,
      ...(listing && { listing }),
      ...(first && hasFailed && { reason: first }),
      ...(refusedIds.length > 0 && { refusedIds }),
    };
  }

  /** Returns true if the client knows which form of these databases' names to send (D36: names before submission). */
  isNamingKnown(databases: readonly string[]): boolean {
    if (!this.session) return false;
    const { dialects, service, listed } = this.session;
    if (service.hasFullPages || dialects.get(service).idsWanted !== undefined) return true;
    return databases.every((name) => listed?.every((database) => database.name !== name || database.id === name));
  }

  /** Resolves to the name or ID that requests use for a database (D7: database name or id). */
  async resolveDatabase(name: string): Promise<string> {
    return (await resolveName(this.requireSession('databases'), name)).sent;
  }

  /**
   * Submits a transfer and resolves to its ID (§4.5). Never sends a submission twice: after a failure with `maybeDone`,
   * the transfer may have started anyway (D12: never resubmit).
   */
  async transfer(request: TransferOptions, turn: TurnOptions = {}): Promise<Reply<string | undefined>> {
    const session = this.requireSession('transfer');
    const given = checkArguments('transfer', request);
    return await this.perform(session, undefined, submit(session, given, turn));
  }

  /**
   * Requests a transfer's status (§4.6) until the response belongs to that transfer. If three consecutive responses
   * appear to belong to another request, resolves to the last one: a status marked as doubtful, or a `foreignAnswer`
   * (D11: check status identity). Does not retry a 404 about the transfer, because the monitor counts these responses.
   */
  async transferStatus(
    id: string,
    signal?: AbortSignal,
    options: StatusOptions = {},
  ): Promise<Reply<TransferStatus | undefined>> {
    const session = this.requireSession('transferStatus');
    checkArguments('transferStatus', { id });
    return await this.perform(session, undefined, requestStatus(session, parseUuid(id) ?? id, options, signal));
  }

  /**
   * Requests a cancellation (§4.7). The value `true` means only that the service accepted the request (D13: ignored
   * cancel). After a `foreignAnswer`, the transfer may have been canceled (D35: misrouted responses).
   */
  async cancelTransfer(request: CancelOptions, turn: CancelTurn = {}): Promise<Reply<true | undefined>> {
    const session = this.requireSession('cancelTransfer');
    const { id, orcid } = checkArguments('cancelTransfer', request);
    const transferId = parseUuid(id) ?? id;
    const path = `${session.apiPath}/transfers/${transferId}${formatQuery({ orcid })}`;
    const { facts, observer, signal } = turn;
    const cancel = { method: 'DELETE', path, turn: { kind: 'cancel', observer } } as const;
    const cancellation = session.send(cancel, signal).then((result) => {
      return result.reason ? toOwnFailure(session, result, { ...facts, transferId, orcid }) : accepted;
    });
    return await this.perform<true | undefined>(session, undefined, cancellation);
  }

  /**
   * Lists a page of a transfer's files with their states (D71: file states). Resolves to undefined if the service doesn't
   * know the files, or lacks the route. A service that lacks it is asked only once per connection.
   */
  async transferFiles(
    request: TransferFilesRequest,
    signal?: AbortSignal,
  ): Promise<Reply<FileProgressPage | undefined>> {
    const session = this.requireSession('transferFiles');
    const { id, state, limit, cursor } = checkArguments('transferFiles', request);
    if (session.lacksTransferFiles) return { value: undefined };
    // The route is beyond the contract (D26: service HTTP behavior).
    const path = `${session.rootPath}/transfers/${parseUuid(id) ?? id}/files${formatQuery({ state, limit, cursor })}`;
    const listing = session.request({ method: 'GET', path }, readTransferFiles, signal);
    const learning = listing.then((result) => {
      if (result.reason && lacksRoute(result.reason, id)) session.lacksTransferFiles = true;
      return result;
    });
    return await this.perform<FileProgressPage | undefined>(session, undefined, learning, missingRouteStatuses);
  }

  /**
   * Lists the search parameters that a database supports in `specific`. Resolves to an empty object if the service
   * lacks the route or the database (D26: service HTTP behavior).
   */
  async searchParameters(databaseId: string): Promise<Reply<Readonly<Record<string, SearchParameter>>>> {
    const session = this.requireSession('searchParameters');
    checkArguments('searchParameters', { databaseId });
    const path = `${session.apiPath}/databases/${encodePart(databaseId)}/search-parameters`;
    const listing = session.request({ method: 'GET', path }, readSearchParameters);
    return await this.perform(session, {}, listing, missingRouteStatuses);
  }

  /**
   * Starts a scan of a store or folder, which only the local service supports (D62: stores through rclone). Resolves to
   * true once the scan is queued; the listing of the database shows its progress.
   */
  async scanDatabase(databaseId: string, signal?: AbortSignal): Promise<Reply<true | undefined>> {
    const session = this.requireSession('scanDatabase');
    checkArguments('scanDatabase', { databaseId });
    // The route is beyond the contract (D26: service HTTP behavior).
    const path = `${session.rootPath}/databases/${encodePart(databaseId)}/scans`;
    const scan = session.send({ method: 'POST', path }, signal).then((result) => (result.reason ? result : accepted));
    return await this.perform<true | undefined>(session, undefined, scan);
  }

  /**
   * Reads a range of a file's content, of which the service may return only the beginning. Resolves to `noContent` without
   * a request if the service doesn't offer that. The reason has the status 412 if the file isn't the version requested.
   */
  async readContent(request: FileRangeRequest, signal?: AbortSignal): Promise<Reply<FilePart | undefined>> {
    const session = this.requireSession('readContent');
    const { databaseId, fileId, offset, limit, entityTag } = checkArguments('readContent', request);
    if (session.service.canReadContent !== true) return { value: undefined, reason: { kind: 'noContent' } };
    const sent = { offset, limit };
    // The route is beyond the contract (D26: service HTTP behavior).
    const path = `${session.rootPath}/databases/${encodePart(databaseId)}/content${formatQuery({ id: fileId })}`;
    const content = { range: formatRange(sent), ...(entityTag && { 'if-match': entityTag }) };
    const reading = session.requestContent({ method: 'GET', path, content }, sent, signal);
    return await this.perform<FilePart | undefined>(session, undefined, reading);
  }

  /**
   * Pauses a transfer, which only the local service supports (D70: paused transfers). Resolves
   * to its new status. Fails if it is already paused, is being canceled, or has ended.
   */
  async pauseTransfer(request: CancelOptions, signal?: AbortSignal): Promise<StatusReply> {
    return await this.changePause('pauseTransfer', request, signal);
  }

  /** Resumes a paused transfer. Resolves to its new status. Fails if it isn't paused. */
  async resumeTransfer(request: CancelOptions, signal?: AbortSignal): Promise<StatusReply> {
    return await this.changePause('resumeTransfer', request, signal);
  }

  /** Logs an unexpected error with its stack and without the key, and returns it as a reason. */
  reportBug(error: unknown): Reason {
    if (this.session) return this.session.reportBug(error).reason;
    // Without a session, the key isn't known, so that it couldn't be removed from the error.
    this.services.log.error('Unexpected error after the connection was closed');
    return { kind: 'internalError' };
  }

  private requireSession(operation: Operation | 'databases'): ClientSession {
    if (!this.session) throw new RuntimeError(`${operation}: the client is not connected; connect it first`);
    return this.session;
  }

  private async changePause(
    operation: 'pauseTransfer' | 'resumeTransfer',
    request: CancelOptions,
    signal?: AbortSignal,
  ): Promise<StatusReply> {
    const session = this.requireSession(operation);
    const { id, orcid } = checkArguments(operation, request);
    const change = operation === 'pauseTransfer' ? 'pause' : 'resume';
    // The route is beyond the contract (D26: service HTTP behavior).
    const route = `${session.rootPath}/transfers/${parseUuid(id) ?? id}/${change}`;
    const post = { method: 'POST', path: route + formatQuery({ orcid }) } as const;
    const status = session.request(post, (json) => readStatus(json, true), signal);
    return await this.perform<TransferStatus | undefined>(session, undefined, status);
  }

  /**
   * Awaits an operation whose arguments were checked. Its failures, even by errors of this program, become a reply with
   * `fallback` and a reason. Those with an `ignored` status become a reply without a reason, and aren't reported.
   */
  private async perform<T>(
    session: ClientSession,
    fallback: T,
    operation: Promise<Result<T>>,
    ignored?: ReadonlySet<number>,
  ): Promise<Reply<T>> {
    const { value, reason } = await operation.catch((error: unknown) => session.reportBug(error));
    if (ignored?.has(reason?.status ?? 0)) return { value: fallback };
    this.reportReply(session, reason);
    return reason ? { value: fallback, reason } : { value };
  }

  private reportReply(session: ClientSession, reason: Reason | undefined): void {
    try {
      this.replied.fire(reason);
    } catch (error) {
      session.reportBug(error);
    }
    if (reason) session.logFailure(reason);
  }
}

const accepted = { value: true } as const;

const missingRouteStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

function lacksRoute({ status = 0, detail = '' }: Reason, transferId: string): boolean {
  // A service with the route names the transfer that it doesn't know.
  const isUnknownTransfer = status === 404 && detail.toLowerCase().includes(transferId.toLowerCase());
  return missingRouteStatuses.has(status) && !isUnknownTransfer;
}

/**
 * Submits a transfer once, with checked arguments, and resolves to its ID (§4.5, D12: never resubmit). If the response
 * belongs to another request, resolves to a failure with `maybeDone`, because the transfer may have been accepted (D35:
 * misrouted responses).
 */
async function submit(
  session: ClientSession,
  { orcid, source, destination, fileIds, description, instructions, timeout }: TransferOptions,
  { signal, observer, willSend }: TurnOptions,
): Promise<Result<string>> {
  const sent = {
    source: (await resolveName(session, source, signal)).sent,
    destination: (await resolveName(session, destination, signal)).sent,
  };
  const request = {
    ...buildPostRequest(`${session.apiPath}/transfers`, {
      orcid,
      source: sent.source,
      destination: sent.destination,
      file_ids: [...fileIds],
      description: description || undefined,
      instructions: toSentObject(instructions),
    }),
    submissionMs: typeof timeout === 'number' ? timeout * 1000 : session.limits.submissionMs,
    turn: { kind: 'submission', observer, willSend } as const,
  };
  const result = await sendSubmission(session, request, signal);
  if (!result.reason) {
    const sign = findForeignSign({ kind: 'accepted', id: result.value }, {});
    return sign ? toForeignFailure(sign, { detail: result.value }) : result;
  }
  const databases = [source, destination, sent.source, sent.destination];
  const failure = toOwnFailure(session, result, { orcid, databases, fileIds });
  // The user has to decide whether the transfer started, so keep the message.
  return failure === result ? result : toForeignFailure('OTHER_REFUSAL', result.reason);
}

/**
 * Sends a submission. After an unexpected error, resolves to the ID if the response contains it; otherwise, to a
 * failure with `maybeDone` if the request was sent (D12: never resubmit).
 */
async function sendSubmission(
  session: ClientSession,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<Result<string>> {
  const trail: ExchangeTrail = {};
  try {
    return await session.request({ ...request, trail }, readAccepted, signal);
  } catch (error) {
    const failure = session.reportBug(error, trail.wasSent);
    const id = readAcceptedId(trail);
    return id === undefined ? failure : { value: id };
  }
}

function readAcceptedId({ response }: ExchangeTrail): string | undefined {
  if (!response || response.status >= 300) return undefined;
  try {
    return readAccepted(readJson(response.text));
  } catch {
    return undefined;
  }
}
