import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problemMediaType } from '../contract/contract.ts';
import type { Logger } from '../core/util/logger.ts';
import { checkHost, checkOrigin, checkSharingToken, checkToken, digestToken } from './http/access.ts';
import { ConnectionLimit, RequestPipeline } from './http/connectionLimits.ts';
import { HttpProblem } from './http/httpProblem.ts';
import { openLineStream, readJson, ResponseWriter, type RequestLimits } from './http/messageBodies.ts';
import { findPattern, findRoute, parseTarget, type ApiRoute, type RouteResponse } from './http/router.ts';

/** The facts about a request that its handling adds to the access log. */
interface AccessRecord {
  /** The path pattern of the request's route; absent for unknown paths. */
  route?: string | undefined;
  /** True for a stream that either side may end at any time. */
  isOpenEnded?: boolean;
}

/**
 * Writes a JSON line for each request (D40: administered service). Omits the path, so that no tokens, IDs or queries
 * are logged.
 */
class AccessLog {
  private readonly write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.write = write;
  }

  /**
   * Tracks a request until its response is sent or its connection ends. An incomplete response is logged as aborted
   * unless it is open-ended.
   */
  track({ method }: IncomingMessage, response: ServerResponse): AccessRecord {
    const [time, startedAt] = [new Date().toISOString(), performance.now()];
    const record: AccessRecord = {};
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : null;
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const isAborted = !response.writableFinished && record.isOpenEnded !== true;
      const aborted = isAborted ? { aborted: true } : {};
      this.writeLine({ time, method: method ?? null, route: record.route ?? null, status, durationMs, ...aborted });
    });
    return record;
  }

  /** Logs the status of a problem that was not sent in response to a tracked request. */
  recordRefusal(status: number): void {
    this.writeLine({ time: new Date().toISOString(), method: null, route: null, status, durationMs: null });
  }

  private writeLine(line: Readonly<Record<string, string | number | boolean | null>>): void {
    this.write(`${JSON.stringify(line)}\n`);
  }
}

interface ApiServerOptions {
  readonly routes: readonly ApiRoute[];
  readonly token: string;
  /** The token for routes with `needsSharingToken`; undefined if there are no such routes. */
  readonly sharingToken: string | undefined;
  readonly trustedHosts: readonly string[];
  /** Receives the lines of the access log, if the log is enabled. */
  readonly onAccess: ((line: string) => void) | undefined;
  readonly limits: RequestLimits;
  readonly logger: Logger;
}

const maxConnections = 256;
const maxHeaderBytes = 16 * 1024;
const maxHeadersMs = 5_000;
const maxUnsentBytes = 64 * 1024 * 1024;
/** Time to wait for the rest of a refused body before the connection is closed. */
const drainMs = 2_000;
/** Time allowed for the last responses when the service stops. */
const lastResponsesMs = 1_000;

/** Serves the HTTP API on loopback and reports every error as a problem document (D26: service HTTP behavior). */
export class ApiServer {
  private readonly options: ApiServerOptions;
  private readonly server: Server;
  private readonly access: AccessLog | undefined;
  private readonly pipeline = new RequestPipeline(({ status }) => this.access?.recordRefusal(status));
  private readonly connectionLimit = new ConnectionLimit(maxConnections);
  private readonly responseWriter: ResponseWriter;
  private readonly tokenDigest: Buffer;
  private readonly sharingTokenDigest: Buffer | undefined;
  private port = 0;
  private closed: Promise<void> | undefined;

  constructor(options: ApiServerOptions) {
    this.options = options;
    const { token, sharingToken } = options;
    this.tokenDigest = digestToken(token);
    this.sharingTokenDigest = sharingToken === undefined ? undefined : digestToken(sharingToken);
    this.access = options.onAccess && new AccessLog(options.onAccess);
    const { timeLimitMs } = options.limits;
    this.responseWriter = new ResponseWriter(timeLimitMs, maxUnsentBytes);
    const headersTimeout = Math.min(maxHeadersMs, timeLimitMs);
    this.server = createServer({
      headersTimeout,
      // Only a fallback: `readJson` enforces the time limit for a body.
      requestTimeout: timeLimitMs + 30_000,
      connectionsCheckingInterval: Math.ceil(headersTimeout / 10),
      maxHeaderSize: maxHeaderBytes,
      // The service checks the `Host` header itself, to respond with a problem document.
      requireHostHeader: false,
    });
    // By default, Node.js drops headers beyond a maximum number; their total size is limited anyway.
    this.server.maxHeadersCount = 0;
    this.addListeners(this.server);
  }

  /** Listens on loopback; port 0 selects a free port. Resolves to the base address. */
  async listen(port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host: '127.0.0.1', port }, resolve);
    });
    this.port = (this.server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}`;
  }

  /** Rejects new connections; open ones can still receive responses. */
  stopListening(): void {
    this.closed ??= new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /**
   * Closes all connections, after giving unfinished responses a short time to complete. Resolves when all are closed.
   */
  async close(): Promise<void> {
    this.stopListening();
    this.server.closeIdleConnections();
    const limit = setTimeout(() => this.server.closeAllConnections(), lastResponsesMs);
    await this.closed;
    clearTimeout(limit);
  }

  private addListeners(server: Server): void {
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.serve(request, response);
    server.on('connection', (socket) => this.connectionLimit.admit(socket));
    server.on('request', serve);
    // `readBody` handles `Expect: 100-continue`; other expectations are ignored.
    server.on('checkContinue', serve);
    server.on('checkExpectation', serve);
    server.on('clientError', (error, socket) => this.pipeline.refuse(error, socket));
    server.on('connect', (_request, socket) => this.pipeline.endWithProblem(socket, createNoProxyProblem()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Ignores errors of connections that end during a response.
    response.on('error', () => undefined);
    const record = this.access?.track(request, response);
    this.connectionLimit.touch(request.socket);
    const broken = await this.pipeline.waitForTurn(request, response);
    try {
      if (request.socket.destroyed) return;
      const result = await this.handle(request, response, broken, record);
      if (!this.server.listening) response.setHeader('Connection', 'close');
      if (record !== undefined) record.isOpenEnded = result.lines !== undefined;
      if (result.lines === undefined) await this.send(response, result);
      else result.lines(openLineStream(response, result.status));
    } catch (error) {
      await this.sendProblem(request, response, this.toProblem(error));
    }
  }

  private async handle(
    request: IncomingMessage,
    response: ServerResponse,
    broken: AbortSignal,
    record: AccessRecord | undefined,
  ): Promise<RouteResponse> {
    const { routes, limits, trustedHosts } = this.options;
    const { path, query, authority } = parseTarget(request.url ?? '');
    if (record !== undefined) record.route = findPattern(routes, path);
    checkHost(request, this.port, authority, trustedHosts);
    checkOrigin(request.headers, this.port);
    if (this.checkCredentials(request, path)) this.connectionLimit.trust(request.socket);
    const { route, params } = findRoute(routes, request.method ?? '', path);
    const readBody = async (): Promise<unknown> =>
      await readJson(request, limits, broken, () => {
        if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
      });
    return await route.handle({ params, query, readBody });
  }

  /** Returns true if the request's token is valid, and false for open routes. Otherwise, throws {@link HttpProblem}. */
  private checkCredentials({ headers, method }: IncomingMessage, path: string): boolean {
    const { options, tokenDigest, sharingTokenDigest } = this;
    const { routes } = options;
    const matches = routes.filter((route) => route.path === path);
    if (matches.some(({ isOpen }) => isOpen === true)) return false;
    const isForSharing = matches.some((route) => route.needsSharingToken === true && route.method === method);
    if (isForSharing && sharingTokenDigest) checkSharingToken(headers, sharingTokenDigest, tokenDigest);
    else checkToken(headers, tokenDigest);
    return true;
  }

  private toProblem(error: unknown): HttpProblem {
    if (error instanceof HttpProblem) return error;
    this.options.logger.error(
      `A request failed: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`,
    );
    return new HttpProblem(500, 'Internal error; see the service log.');
  }

  private async send(response: ServerResponse, result: RouteResponse): Promise<void> {
    if (result.pieces !== undefined) {
      await this.sendPieces(response, result, result.pieces);
      return;
    }
    const text = result.body === undefined ? undefined : JSON.stringify(result.body);
    await this.write(response, result, text);
    response.end();
  }

  /** Sends pieces as fast as the client reads them. Rejects if `pieces` throws; the caller then aborts the response. */
  private async sendPieces(
    response: ServerResponse,
    result: RouteResponse,
    pieces: AsyncIterable<string>,
  ): Promise<void> {
    setHead(response, result, true);
    for await (const piece of pieces) {
      if (response.destroyed) return;
      await this.responseWriter.write(response, Buffer.from(piece));
    }
    response.end();
  }

  private async write(response: ServerResponse, result: RouteResponse, text: string | undefined): Promise<void> {
    if (response.destroyed) return;
    setHead(response, result, text !== undefined);
    if (text === undefined) return;
    const body = Buffer.from(text);
    response.setHeader('Content-Length', body.length);
    await this.responseWriter.write(response, body);
  }

  private async sendProblem(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): Promise<void> {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const headers = { ...problem.headers, 'Content-Type': problemMediaType };
    if (!request.complete) response.setHeader('Connection', 'close');
    await this.write(response, { status: problem.status, headers }, JSON.stringify(problem.toDocument()));
    if (!request.complete && problem.status === 413) await drain(request);
    response.end();
  }
}

function setHead(response: ServerResponse, { status, headers = {} }: RouteResponse, hasBody: boolean): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (hasBody && !response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json');
}

/** Discards the rest of a body, because closing the connection immediately could also discard the response. */
async function drain(request: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, drainMs);
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', settle).once('close', settle);
    request.resume();
  });
}

function createNoProxyProblem(): HttpProblem {
  return new HttpProblem(405, 'This service is not a proxy.', { headers: { Allow: 'GET, POST, DELETE' } });
}
