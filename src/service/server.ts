import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problemMediaType } from '../contract/contract.ts';
import type { Logger } from '../core/util/logger.ts';
import { checkHost, checkOrigin, checkSharingToken, checkToken, digestToken } from './http/access.ts';
import { ConnectionLimit, RequestPipeline } from './http/connectionLimits.ts';
import { HttpProblem } from './http/httpProblem.ts';
import { openLineStream, readJson, ResponseWriter, type RequestLimits } from './http/messageBodies.ts';
import { matchRoutes, parseTarget, pickRoute, type ApiRoute, type RouteResponse } from './http/router.ts';

/** The facts about a request that its handling adds to the access log. */
interface AccessRecord {
  /** The path pattern of the request's route; absent for unknown paths. */
  route?: string | undefined;
  /** True for a stream that either side may end at any time. */
  isOpenEnded?: boolean;
}

/**
 * Writes a JSON line for a request when its response is sent or its connection ends (D40: administered service). Omits
 * the path, so that no tokens, IDs or queries are logged. An incomplete response is logged as aborted unless it is
 * open-ended.
 */
function trackAccess(write: (line: string) => void, request: IncomingMessage, response: ServerResponse): AccessRecord {
  const { method = null } = request;
  const [time, startedAt] = [new Date().toISOString(), performance.now()];
  const record: AccessRecord = {};
  response.once('close', () => {
    const status = response.headersSent ? response.statusCode : null;
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const aborted = !response.writableFinished && record.isOpenEnded !== true ? true : undefined;
    write(`${JSON.stringify({ time, method, route: record.route ?? null, status, durationMs, aborted })}\n`);
  });
  return record;
}

function formatRefusal({ status }: HttpProblem): string {
  return `${JSON.stringify({ time: new Date().toISOString(), method: null, route: null, status, durationMs: null })}\n`;
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
/** For the rest of a refused body. */
const drainMs = 2_000;
const lastResponsesMs = 1_000;

/** Serves the HTTP API on loopback and reports every error as a problem document (D26: service HTTP behavior). */
export class ApiServer {
  private readonly options: ApiServerOptions;
  private readonly server: Server;
  private readonly pipeline: RequestPipeline;
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
    this.pipeline = new RequestPipeline((problem) => options.onAccess?.(formatRefusal(problem)));
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

  /** Closes all connections, after a short time for unfinished responses. */
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
    server.on('connect', (_request, socket) =>
      this.pipeline.endWithProblem(
        socket,
        new HttpProblem(405, 'This service is not a proxy.', { headers: { Allow: 'GET, POST, DELETE' } }),
      ),
    );
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Ignores errors of connections that end during a response.
    response.on('error', () => undefined);
    const { onAccess } = this.options;
    const record = onAccess && trackAccess(onAccess, request, response);
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
      await this.sendProblem(request, response, error);
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
    const match = matchRoutes(routes, path);
    if (record !== undefined) record.route = match?.routes[0]?.path;
    checkHost(request, this.port, authority, trustedHosts);
    checkOrigin(request.headers, this.port);
    // A request that needs no token doesn't show that its sender has one.
    if (match?.routes.some(({ isOpen }) => isOpen === true) !== true) {
      this.checkCredentials(request, match?.routes);
      this.connectionLimit.trust(request.socket);
    }
    if (match === undefined) throw new HttpProblem(404, 'There is no resource at this address.');
    const route = pickRoute(match, request.method ?? '');
    const readBody = async (): Promise<unknown> =>
      await readJson(request, limits, broken, () => {
        if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
      });
    return await route.handle({ params: match.params, query, headers: request.headers, readBody });
  }

  private checkCredentials({ headers, method }: IncomingMessage, routes: readonly ApiRoute[] = []): void {
    const { tokenDigest, sharingTokenDigest } = this;
    const isForSharing = routes.some((route) => route.needsSharingToken === true && route.method === method);
    if (isForSharing && sharingTokenDigest) checkSharingToken(headers, sharingTokenDigest, tokenDigest);
    else checkToken(headers, tokenDigest);
  }

  /** Sends a response as fast as it is read. Rejects if `pieces` throws; the caller then aborts it. */
  private async send(response: ServerResponse, result: RouteResponse, beforeEnd?: () => Promise<void>): Promise<void> {
    const { status, headers = {}, pieces = [], body, bytes } = result;
    response.statusCode = status;
    response.setHeader('Cache-Control', 'no-store');
    if (result.pieces !== undefined || body !== undefined) response.setHeader('Content-Type', 'application/json');
    if (bytes !== undefined) {
      response.setHeader('Content-Type', 'application/octet-stream');
      response.setHeader('X-Content-Type-Options', 'nosniff');
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const content = bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    if (content !== undefined) {
      response.setHeader('Content-Length', content.length);
      await this.responseWriter.write(response, Buffer.from(content.buffer, content.byteOffset, content.length));
    }
    for await (const piece of pieces) {
      if (response.destroyed) return;
      await this.responseWriter.write(response, Buffer.from(piece));
    }
    await beforeEnd?.();
    response.end();
  }

  private async sendProblem(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
    const problem = error instanceof HttpProblem ? error : this.createInternalProblem(error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (!request.complete) response.setHeader('Connection', 'close');
    const headers = { ...problem.headers, 'Content-Type': problemMediaType };
    const result = { status: problem.status, headers, body: problem.toDocument() };
    await this.send(response, result, async () => {
      if (!request.complete && problem.status === 413) await drain(request);
    });
  }

  private createInternalProblem(error: unknown): HttpProblem {
    const text = error instanceof Error ? (error.stack ?? error.message) : 'unknown';
    this.options.logger.error(`A request failed: ${text}`);
    return new HttpProblem(500, 'Internal error; see the service log.');
  }
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
