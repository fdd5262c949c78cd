import { apiVersion, localServiceName } from '../../contract/contract.ts';
import type { ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import { addJitter, getBackoffMs, wait, type Clock } from '../util/clock.ts';
import { formatErrorStack } from '../util/errorFacts.ts';
import type { Logger } from '../util/logger.ts';
import { KeyRemover, redact } from '../util/redact.ts';
import { joinLines } from '../util/visibleText.ts';
import {
  defaultLimits,
  getRequestName,
  type ConnectOptions,
  type HttpRequest,
  type HttpResponse,
  type Limits,
} from './request.ts';
import { getHeader, toReason, toRefusal } from './failures.ts';
import { ConnectionError, type RequestFailure, type Result } from './reply.ts';
import type { RequestQueue, RequestQueues } from './requestQueue.ts';
import { readDatabases, readJson, readRoot, UnreadableResponseError } from './responseReaders.ts';
import { createRoute, type RouteObserver } from './route.ts';
import { formatAuthorization, toBaseAddress } from './serverAddress.ts';
import type { ServerDialects } from './serverDialect.ts';
import { emptyFile, readFilePart, type FilePart, type SentRange } from './filePart.ts';
import { DirectTransport, EditorTransport, linkSignals, type Fetch, type Transport } from './transport.ts';

/** The parts that the sessions of a client share. */
export interface ClientServices {
  readonly log: Logger;
  readonly clock: Clock;
  /** Stores the server dialects learned so far (D7: database name or id, D8: metadata by ids). */
  readonly dialects: ServerDialects;
  /** The request queues, which all clients in a program should share (D34: serialized requests). */
  readonly queues: RequestQueues;
  /** Overrides for the default limits (D15: tolerant reading, D16: timeouts and retries). */
  readonly limits: Partial<Limits>;
  /** Returns the proxy and certificate settings. Called for each connection attempt with the `direct` transport. */
  readonly getNetworkSettings: () => NetworkSettings;
  /** Sends the requests of connections that use the `editor` transport. */
  readonly fetch: Fetch;
  readonly observer?: RouteObserver | undefined;
}

/**
 * Sends requests to a service, from the one for its root document on, and stores the last listing of databases. A
 * request passes `request`, which reads the response, `send` (queue and retries), `sendNow` (redirects), `exchange`
 * (time limits) and the transport.
 */
export class ClientSession {
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly dialects: ServerDialects;
  /** Aborted when the connection is closed, which also closes the transport. */
  readonly ended: AbortSignal;
  service: ServiceInfo;
  /** Scheme, host and port. The key is never sent to any other origin (D18: same-origin redirects). */
  readonly origin: string;
  /** The path of the service's address, without a trailing slash. */
  readonly rootPath: string;
  /** The path of `{api_base}` (§4). */
  readonly apiPath: string;
  /** True once the service has shown that it lacks the route for a transfer's files (D71: file states). */
  lacksTransferFiles = false;
  /** The last successful listing, if any. Only a listing proves that the key is valid (D6: prove the key). */
  listed: readonly Database[] | undefined;
  private readonly transport: Transport;
  private readonly isProxied: boolean = false;
  /** Strings that must not appear in logs or reasons. */
  private readonly secrets: readonly string[];
  private readonly keyRemover: KeyRemover;
  /** The queue for requests with a `turn`. Absent if the server does not require one (D34: serialized requests). */
  private queue: RequestQueue | undefined;

  private constructor(target: ConnectOptions, services: ClientServices, ended: AbortSignal) {
    const { log, clock, dialects, observer } = services;
    const address = toBaseAddress(target);
    const { origin, pathname } = new URL(address);
    const limits = { ...defaultLimits, ...services.limits };
    const wire = { origin, authorization: formatAuthorization(target.apiKey, target.scheme ?? undefined), limits };
    this.log = log;
    this.clock = clock;
    this.limits = limits;
    this.dialects = dialects;
    this.ended = ended;
    this.service = { address, name: '', version: '' };
    this.origin = origin;
    this.rootPath = pathname.replace(/\/$/, '');
    this.apiPath = `${this.rootPath}/api/v${String(apiVersion)}`;
    this.secrets = [target.apiKey];
    this.keyRemover = new KeyRemover(target.apiKey);
    if (target.transport === 'editor') {
      observer?.didReach('root', {});
      this.transport = new EditorTransport(services.fetch, clock, wire);
    } else {
      const { dispatcher, proxy } = createRoute(services.getNetworkSettings(), address, limits, observer);
      this.transport = new DirectTransport(dispatcher, wire);
      this.isProxied = proxy !== undefined;
      this.secrets = [target.apiKey, ...(proxy?.secrets ?? [])];
    }
    ended.addEventListener('abort', () => this.transport.close(), { once: true });
  }

  /**
   * Requests the root document and opens a session (§4.1, §4.9). Rejects with ConnectionError (§4.8). Aborting `ended`
   * closes the session. The caller must abort `ended` if this function rejects.
   */
  static async open(
    target: ConnectOptions,
    services: ClientServices,
    ended: AbortSignal,
    signal?: AbortSignal,
  ): Promise<ClientSession> {
    const session = new ClientSession(target, services, ended);
    const { address } = session.service;
    const request = { method: 'GET', path: session.rootPath || '/', isUniversal: true } as const;
    const root = await session.request(request, readRoot, signal).catch((error: unknown) => session.reportBug(error));
    if (root.reason) throw session.createConnectionError(root.reason);
    const hasFullPages = root.value.name === localServiceName;
    session.service = { address, ...root.value, ...(hasFullPages && { hasFullPages }) };
    // The local service handles requests independently of each other, so they need no queue.
    if (!hasFullPages) session.queue = services.queues.get(address);
    return session;
  }

  /** Lists the databases and caches the list for {@link getDatabases} (§4.2). */
  async listDatabases(signal?: AbortSignal): Promise<Result<readonly Database[]>> {
    const request = { method: 'GET', path: `${this.apiPath}/databases`, isUniversal: true } as const;
    const result = await this.request(request, readDatabases, signal);
    if (result.reason) return { ...result, reason: addSuggestedAddress(result.reason, this.service.address) };
    this.listed = result.value;
    return result;
  }

  /** Resolves to the last listing or, without one, a new listing; to an empty list if the request fails. */
  async getDatabases(signal?: AbortSignal): Promise<readonly Database[]> {
    return this.listed ?? (await this.listDatabases(signal)).value ?? [];
  }

  /**
   * Sends a request, and returns the value that `read` extracts from the JSON in a successful response, without any
   * copies of the key. Returns a failure if the JSON violates the contract (D15: tolerant reading).
   */
  async request<T>(request: HttpRequest, read: (json: unknown) => T, signal?: AbortSignal): Promise<Result<T>> {
    const result = await this.send(request, signal);
    if (result.reason) return result;
    const { text, status } = result.value;
    try {
      return { value: read(this.keyRemover.removeFrom(readJson(text), text)) };
    } catch (error) {
      if (!(error instanceof UnreadableResponseError)) throw error;
      return this.toFailure(request, { kind: 'unreadable', status, detail: error.message }, true);
    }
  }

  /** Sends a request for a range of a file's content. Returns a failure if the response has another range. */
  async requestContent(request: HttpRequest, range: SentRange, signal?: AbortSignal): Promise<Result<FilePart>> {
    const result = await this.send(request, signal);
    if (result.reason) {
      const isEmpty = result.reason.status === 416 && range.offset === 0;
      return isEmpty ? { value: emptyFile } : result;
    }
    const value = readFilePart(result.value, range);
    const failure = { kind: 'unreadable', status: result.value.status } as const;
    return value ? { value } : this.toFailure(request, failure, true);
  }

  /**
   * Sends a request to the service within the time limits. Retries a GET if a retry can help (D16: timeouts and
   * retries). A request with a `turn` goes through the server's queue (D34: serialized requests). Logs only at trace
   * level.
   */
  async send(request: HttpRequest, caller?: AbortSignal): Promise<Result<HttpResponse>> {
    const { queue, clock } = this;
    const { turn } = request;
    const { signal, release } = linkSignals(this.ended, caller);
    const send = async (): Promise<Result<HttpResponse>> => await this.sendNow(request, signal);
    const lateMs = ({ reason }: Result<HttpResponse>): number =>
      reason && isAbandoned(reason) ? this.limits.lateMs : 0;
    try {
      for (let tries = 1; ; tries++) {
        const result = await (queue && turn
          ? queue.run({ ...turn, signal, send, lateMs })
          : this.sendNow(request, signal));
        const delayMs = result.reason && this.getRetryDelayMs(request, result.reason, tries);
        if (delayMs === undefined) return result;
        await wait(clock, delayMs, signal);
      }
    } finally {
      release();
    }
  }

  /** Logs the reason for a failed operation on one line (D2: replies instead of exceptions). */
  logFailure({ request, kind, status, code, detail }: Reason): void {
    const parts = [status === undefined ? kind : `${String(status)} ${kind}`, code, detail];
    const text = `${request ?? ''}: ${parts.filter((part) => part !== undefined).join(', ')}`;
    const line = joinLines(redact(text, this.secrets));
    if (kind === 'cancelled') this.log.debug(line);
    else this.log.error(line);
  }

  /** Logs an error of this program with its stack. Returns the result of the operation in which it was thrown. */
  reportBug(error: unknown, maybeDone = false): RequestFailure {
    this.log.error(redact(`Unexpected error: ${formatErrorStack(error)}`, this.secrets));
    return { isProblem: false, reason: { kind: 'internalError', ...(maybeDone && { maybeDone }) } };
  }

  /** Sends a request when its turn has come, and follows redirects to the same origin (D18: same-origin redirects). */
  private async sendNow(request: HttpRequest, signal: AbortSignal): Promise<Result<HttpResponse>> {
    const { log, clock, secrets } = this;
    const facts = { secrets, clock, hasKeyWorked: this.listed !== undefined };
    const obstacle = signal.aborted ? undefined : await request.turn?.willSend?.();
    if (obstacle) return this.toFailure(request, obstacle, false);
    if (signal.aborted) return this.toFailure(request, { kind: 'cancelled' }, false);
    let path = request.path;
    for (let redirects = 0; ; redirects++) {
      const startedAt = clock.now();
      const result = await this.exchange(request, path, signal);
      const outcome = result.reason?.kind ?? result.value?.status;
      log.trace(`${getRequestName(request)}: ${String(outcome)} after ${clock.now() - startedAt} ms`);
      if (result.reason || result.value.status < 300) return result;
      const { status } = result.value;
      if (status >= 400) return toRefusal(request, result.value, facts);
      const next = this.resolveRedirect(request, result.value, path, redirects);
      if (typeof next !== 'string') return this.toFailure(request, { ...next, status }, true);
      path = next;
    }
  }

  private async exchange(request: HttpRequest, path: string, signal: AbortSignal): Promise<Result<HttpResponse>> {
    const { clock, limits } = this;
    const { submissionMs, trail = {} } = request;
    const deadline = submissionMs === undefined ? undefined : startDeadline(clock, submissionMs, signal);
    const ending = deadline?.signal ?? signal;
    const fail = (error: unknown, status?: number): RequestFailure => {
      const cause = getInterruption(signal, deadline?.signal) ?? toReason(error, this.isProxied);
      return this.toFailure(request, status === undefined ? cause : { ...cause, status }, trail.wasSent === true);
    };
    try {
      // Closing the connection closes the transport, so most requests don't need their own signal.
      const own = ending === this.ended ? {} : { signal: ending };
      const headersMs = deadline ? 0 : limits.headersMs;
      const { text, error, ...head } = await this.transport.send({ request, path, headersMs, trail, ...own });
      const { status } = head;
      if (status < 300 && error !== undefined) return fail(error, status);
      if (status < 300 && text === undefined) {
        const detail = `the response is larger than ${limits.bodyBytes} bytes`;
        return this.toFailure(request, { kind: 'tooLarge', status, detail }, true);
      }
      trail.response = { ...head, text: text ?? '' };
      return { value: trail.response };
    } catch (error) {
      return fail(error);
    } finally {
      deadline?.end();
    }
  }

  private resolveRedirect(
    { method }: HttpRequest,
    response: HttpResponse,
    path: string,
    redirects: number,
  ): string | Reason {
    const location = getHeader(response, 'location');
    if (location === '' || !URL.canParse(location, this.origin + path)) return { kind: 'redirect' };
    const target = new URL(location, this.origin + path);
    if (method === 'GET' && target.origin === this.origin && redirects < this.limits.redirects) {
      return target.pathname + target.search;
    }
    return { kind: 'redirect', detail: `redirected to ${target.origin}` };
  }

  private getRetryDelayMs({ method, isHalved }: HttpRequest, reason: Reason, tries: number): number | undefined {
    const { limits } = this;
    if (method !== 'GET' || tries >= limits.tries || !canRetryHelp(reason, isHalved === true)) return undefined;
    const backoffMs = addJitter(getBackoffMs(tries, limits.retryMs));
    const delayMs = Math.max(backoffMs, reason.retryAfterMs ?? 0);
    return delayMs > limits.retryAfterMs ? undefined : delayMs;
  }

  /**
   * Returns the failure of a request that received no usable response. Sets `maybeDone` for a submission that may have
   * taken effect (D12: never resubmit).
   */
  private toFailure(request: HttpRequest, { kind, status, code, detail }: Reason, wasSent: boolean): RequestFailure {
    // A redirect is a complete response, so the submission was not accepted.
    const maybeDone = request.submissionMs !== undefined && wasSent && kind !== 'redirect';
    const reason: Reason = {
      kind,
      request: getRequestName(request),
      ...(status !== undefined && { status }),
      ...(code !== undefined && { code }),
      ...(detail !== undefined && { detail: redact(detail, this.secrets) }),
      ...(maybeDone && { maybeDone }),
    };
    return { reason, isProblem: false };
  }

  private createConnectionError(cause: Reason): ConnectionError {
    const { address } = this.service;
    const reason = addSuggestedAddress(cause, address);
    this.logFailure(reason);
    const facts = [reason.status, reason.kind, reason.code, reason.detail].filter((part) => part !== undefined);
    return new ConnectionError(`connect: could not connect to ${address}: ${facts.join(', ')}`, reason);
  }
}

/**
 * Returns the reason, with the service's probable address if the user seems to have entered the API's address. Adds the
 * address only to a `noService` reason.
 */
function addSuggestedAddress(reason: Reason, address: string): Reason {
  const without = address.replace(/\/api(\/v\d+)?$/i, '');
  return reason.kind === 'noService' && without !== address ? { ...reason, detail: without } : reason;
}

function startDeadline(clock: Clock, limitMs: number, caller: AbortSignal) {
  const limit = new AbortController();
  const timer = clock.after(limitMs, () => limit.abort());
  const { signal, release } = linkSignals(caller, limit.signal);
  const end = (): void => {
    timer.dispose();
    release();
  };
  return { signal, end };
}

function getInterruption(signal: AbortSignal, deadline: AbortSignal | undefined): Reason | undefined {
  if (signal.aborted) return { kind: 'cancelled' };
  return deadline?.aborted ? { kind: 'timeout' } : undefined;
}

/** Returns true for an abandoned submission that the server may still be processing (D34: serialized requests). */
function isAbandoned({ kind, status, maybeDone }: Reason): boolean {
  return maybeDone === true && (kind === 'timeout' || kind === 'cancelled' || status === 504);
}

function canRetryHelp({ kind, status, code }: Reason, isHalved: boolean): boolean {
  if (kind === 'dropped') return !isHalved || status !== undefined;
  if (kind === 'unreachable') return true;
  // The time limits for headers and body are already long, so only a connect timeout is worth retrying.
  if (kind === 'timeout') return code === 'UND_ERR_CONNECT_TIMEOUT';
  if (kind === 'proxy') return status === undefined || status >= 500;
  if (status === 408 || status === 429) return true;
  return kind === 'serverError' && status !== 501 && !(status === 500 && isHalved);
}

/** A database, and whether requests refer to it by its name or its ID (D7: database name or id). */
export interface DatabaseName {
  readonly session: ClientSession;
  readonly name: string;
  /** The name or ID that requests currently use. */
  sent: string;
  hasTriedId: boolean;
}

/**
 * Chooses the value to send for the database `name`, based on the server's learned dialect. Does not reject if the name
 * is unknown.
 */
export async function resolveName(session: ClientSession, name: string, signal?: AbortSignal): Promise<DatabaseName> {
  const isIdWanted = session.dialects.get(session.service).idsWanted === true;
  const id = isIdWanted ? findId(await session.getDatabases(signal), name) : undefined;
  return { session, name, sent: id ?? name, hasTriedId: false };
}

/**
 * Sends a request that refers to a database. After a 404, retries once with the database's ID if possible (D7: database
 * name or id).
 */
export async function requestWithName<T>(
  named: DatabaseName | Promise<DatabaseName>,
  request: (sent: string) => Promise<Result<T>>,
  signal?: AbortSignal,
  isNotFound = ({ reason }: RequestFailure): boolean => reason.status === 404,
): Promise<Result<T>> {
  const database = await named;
  const first = await request(database.sent);
  if (!first.reason) learnNaming(database);
  if (!first.reason || !isNotFound(first) || !(await switchToId(database, signal))) return first;
  const second = await request(database.sent);
  if (!second.reason) learnNaming(database);
  if (!second.reason || !isNotFound(second)) return second;
  database.sent = database.name;
  return first;
}

/**
 * Switches to the ID after the first 404. Does nothing if the ID is unknown, equals the name, or is the name of another
 * database. Resolves to true if the request should be retried.
 */
async function switchToId(database: DatabaseName, signal: AbortSignal | undefined): Promise<boolean> {
  const { session, name } = database;
  if (database.hasTriedId || database.sent !== name) return false;
  database.hasTriedId = true;
  const databases = await session.getDatabases(signal);
  const id = findId(databases, name);
  if (id === undefined || databases.some((other) => other.name === id)) return false;
  database.sent = id;
  return true;
}

function learnNaming({ session, name, sent, hasTriedId }: DatabaseName): void {
  const { dialects, service, listed = [] } = session;
  if (sent !== name) {
    if (hasTriedId) dialects.learn(service, { idsWanted: true });
  } else if (dialects.get(service).idsWanted === undefined) {
    const hasOtherId = listed.some((database) => database.name === name && database.id !== name);
    if (hasOtherId) dialects.learn(service, { idsWanted: false });
  }
}

function findId(databases: readonly Database[], name: string): string | undefined {
  return databases.find((database) => database.name === name)?.id;
}
