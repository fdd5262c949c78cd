import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problemMediaType } from '../contract/problem.ts';
import type { Logger } from '../core/util/logger.ts';
import { AccessLog, type AccessRecord } from './http/accessLog.ts';
import { checkHost, checkOrigin, checkSharingToken, checkToken } from './http/access.ts';
import { AnswerFlow } from './http/answerFlow.ts';
import { ConnectionBound } from './http/connectionBound.ts';
import { Connections } from './http/connections.ts';
import { HttpProblem } from './http/httpProblem.ts';
import { openLines } from './http/lineStream.ts';
import { readJson, type RequestLimits } from './http/requestBody.ts';
import { parseTarget } from './http/requestTarget.ts';
import { findPattern, findRoute, type ApiAnswer, type Route } from './http/router.ts';

/** What the server works with. */
interface ApiServerOptions {
  readonly routes: readonly Route[];
  readonly token: string;
  /** For the routes that need it; left out where there are none. */
  readonly sharingToken: string | undefined;
  /** Values of `Host` that are accepted besides those of loopback. */
  readonly trustedHosts: readonly string[];
  /** Gets each line of the access log; without it there is none. */
  readonly onAccess: ((line: string) => void) | undefined;
  readonly limits: RequestLimits;
  readonly logger: Logger;
}

const maxConnections = 256;
const maxHeaderBytes = 16 * 1024;
const maxHeadersMs = 5_000;
const maxUnsentBytes = 64 * 1024 * 1024;
/** How long a body that was refused may still come in before the connection ends. */
const drainMs = 2_000;
/** How long the last answers may take once the service ends. */
const lastAnswersMs = 1_000;

/** The HTTP side of the service: loopback only, every request checked, every error a problem document (D26). */
export class ApiServer {
  private readonly options: ApiServerOptions;
  private readonly server: Server;
  private readonly access: AccessLog | undefined;
  private readonly connections = new Connections(({ status }) => this.access?.refused(status));
  private readonly bound = new ConnectionBound(maxConnections);
  private readonly flow: AnswerFlow;
  private closed: Promise<void> | undefined;

  constructor(options: ApiServerOptions) {
    this.options = options;
    this.access = options.onAccess && new AccessLog(options.onAccess);
    const { timeLimitMs } = options.limits;
    this.flow = new AnswerFlow(timeLimitMs, maxUnsentBytes);
    const headersTimeout = Math.min(maxHeadersMs, timeLimitMs);
    this.server = createServer({
      headersTimeout,
      // A backstop only: the time for a body is watched where it is read.
      requestTimeout: timeLimitMs + 30_000,
      connectionsCheckingInterval: Math.ceil(headersTimeout / 10),
      maxHeaderSize: maxHeaderBytes,
      // Checked with the rest of the access, so that it is answered by a problem document too.
      requireHostHeader: false,
    });
    // Node leaves out headers beyond this number; their size is bound already.
    this.server.maxHeadersCount = 0;
    this.listenTo(this.server);
  }

  /** Listens on loopback; port 0 is a free one. Resolves with the base address, rejects when the port is taken. */
  async listen(port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host: '127.0.0.1', port }, resolve);
    });
    return `http://127.0.0.1:${this.port}`;
  }

  /** Takes no new connections; those that are open can still be answered on. */
  stopListening(): void {
    this.closed ??= new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Ends the connections; those that are being answered on are given a moment. Resolves when all are gone. */
  async close(): Promise<void> {
    this.stopListening();
    this.server.closeIdleConnections();
    const limit = setTimeout(() => this.server.closeAllConnections(), lastAnswersMs);
    await this.closed;
    clearTimeout(limit);
  }

  private get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? 0;
  }

  private listenTo(server: Server): void {
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.serve(request, response);
    server.on('connection', (socket) => this.bound.admit(socket));
    server.on('request', serve);
    // The answer to `Expect: 100-continue` is given where the body is read; any other expectation is passed over.
    server.on('checkContinue', serve);
    server.on('checkExpectation', serve);
    server.on('clientError', (error, socket) => this.connections.refuse(error, socket));
    server.on('connect', (_request, socket) => {
      const headers = { Allow: 'GET, POST, DELETE' };
      this.connections.endWith(socket, new HttpProblem(405, 'This service is no proxy.', { headers }));
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A connection that ends while an answer is written makes an error of it, which tells nothing new.
    response.on('error', () => undefined);
    const record = this.access?.follow(request, response);
    this.bound.touch(request.socket);
    const broken = await this.connections.turnOf(request, response);
    try {
      if (request.socket.destroyed) return;
      const answer = await this.answer(request, response, broken, record);
      if (!this.server.listening) response.setHeader('Connection', 'close');
      if (answer.lines === undefined) await this.send(response, answer);
      else answer.lines(openLines(response, answer.status));
    } catch (error) {
      await this.sendProblem(request, response, this.problemOf(error));
    }
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    broken: AbortSignal,
    record: AccessRecord | undefined,
  ): Promise<ApiAnswer> {
    const { routes, limits, trustedHosts } = this.options;
    const { path, query, authority } = parseTarget(request.url ?? '');
    if (record !== undefined) record.route = findPattern(routes, path);
    checkHost(request, this.port, authority, trustedHosts);
    checkOrigin(request.headers, this.port);
    if (this.checkCredentials(request, path)) this.bound.trust(request.socket);
    const { route, params } = findRoute(routes, request.method ?? '', path);
    const readBody = async (): Promise<unknown> =>
      await readJson(request, limits, broken, () => {
        if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
      });
    return await route.answer({ params, query, readBody });
  }

  /** Returns true where a secret was wanted and is there, false where none is wanted. Throws {@link HttpProblem}. */
  private checkCredentials({ headers, method }: IncomingMessage, path: string): boolean {
    const { routes, token, sharingToken } = this.options;
    const here = routes.filter((route) => route.path === path);
    if (here.some(({ isOpen }) => isOpen === true)) return false;
    const isForSharing = here.some((route) => route.needsSharingToken === true && route.method === method);
    if (isForSharing && sharingToken !== undefined) checkSharingToken(headers, sharingToken, token);
    else checkToken(headers, token);
    return true;
  }

  private problemOf(error: unknown): HttpProblem {
    if (error instanceof HttpProblem) return error;
    this.options.logger.error(
      `A request failed: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`,
    );
    return new HttpProblem(500, 'The service could not answer; its log says why.');
  }

  private async send(response: ServerResponse, answer: ApiAnswer): Promise<void> {
    if (answer.pieces !== undefined) {
      await this.sendPieces(response, answer, answer.pieces);
      return;
    }
    const text = answer.body === undefined ? undefined : JSON.stringify(answer.body);
    await this.write(response, answer, text);
    response.end();
  }

  /** Sends no faster than is read. When a piece fails, whoever called cuts the connection: it must not look complete. */
  private async sendPieces(response: ServerResponse, answer: ApiAnswer, pieces: AsyncIterable<string>): Promise<void> {
    setHead(response, answer, true);
    for await (const piece of pieces) {
      if (response.destroyed) return;
      await this.flow.write(response, Buffer.from(piece));
    }
    response.end();
  }

  private async write(response: ServerResponse, answer: ApiAnswer, text: string | undefined): Promise<void> {
    if (response.destroyed) return;
    setHead(response, answer, text !== undefined);
    if (text === undefined) return;
    const body = Buffer.from(text);
    response.setHeader('Content-Length', body.length);
    await this.flow.write(response, body);
  }

  private async sendProblem(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): Promise<void> {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const headers = { ...problem.headers, 'Content-Type': problemMediaType };
    if (!request.complete) response.setHeader('Connection', 'close');
    await this.write(response, { status: problem.status, headers }, JSON.stringify(problem.document()));
    if (!request.complete && problem.status === 413) await drain(request);
    response.end();
  }
}

function setHead(response: ServerResponse, { status, headers = {} }: ApiAnswer, hasBody: boolean): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (hasBody && !response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json');
}

/** Throws away what still comes of a body: ended at once, the connection could take the answer with it. */
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
