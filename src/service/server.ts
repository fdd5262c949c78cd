import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problemMediaType } from '../contract/problem.ts';
import type { Logger } from '../core/util/logger.ts';
import { checkHost, checkToken } from './http/access.ts';
import { HttpProblem } from './http/httpProblem.ts';
import { openLines } from './http/lineStream.ts';
import { readJson, type BodyLimits } from './http/requestBody.ts';
import { findRoute, type ApiAnswer, type Route } from './http/router.ts';

/** What the server works with. */
interface ApiServerOptions {
  readonly routes: readonly Route[];
  readonly token: string;
  readonly limits: BodyLimits;
  readonly logger: Logger;
}

/** How long the last answers may take once the service ends. */
const lastAnswersMs = 1_000;

/** The HTTP side of the service: loopback only, every request checked, every error a problem document (D26). */
export class ApiServer {
  private readonly options: ApiServerOptions;
  private readonly server: Server;
  private closed: Promise<void> | undefined;

  constructor(options: ApiServerOptions) {
    this.options = options;
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.headersTimeout = 15_000;
    // A backstop only: the time for a body is watched where it is read, so that it ends in a problem document.
    this.server.requestTimeout = options.limits.timeLimitMs + 30_000;
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

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.answer(request);
      if (!this.server.listening) response.setHeader('Connection', 'close');
      if (answer.lines === undefined) send(response, answer);
      else answer.lines(openLines(response, answer.status));
    } catch (error) {
      sendProblem(request, response, this.problemOf(error));
    }
  }

  private async answer(request: IncomingMessage): Promise<ApiAnswer> {
    const { routes, token, limits } = this.options;
    checkHost(request.headers, this.port);
    const { path, query } = partsOf(request.url ?? '');
    const openRoute = routes.find((route) => route.isOpen === true && route.path === path);
    if (openRoute === undefined) checkToken(request.headers, token);
    const { route, params } = findRoute(routes, request.method ?? '', path);
    return await route.handle({ params, query, readBody: async () => await readJson(request, limits) });
  }

  private problemOf(error: unknown): HttpProblem {
    if (error instanceof HttpProblem) return error;
    this.options.logger.error(
      `A request failed: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`,
    );
    return new HttpProblem(500, 'The service could not answer; its log says why.');
  }
}

function partsOf(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

function send(response: ServerResponse, answer: ApiAnswer): void {
  response.statusCode = answer.status;
  response.setHeader('Cache-Control', 'no-store');
  if (answer.body === undefined) {
    response.end();
    return;
  }
  const text = JSON.stringify(answer.body);
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

function sendProblem(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): void {
  if (response.destroyed) return;
  for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
  response.setHeader('Content-Type', problemMediaType);
  if (!request.complete) closeAfter(request, response, problem);
  send(response, { status: problem.status, body: problem.document() });
}

/** A body that was not read to its end: what still comes is thrown away, or, when it was too slow, the connection ends. */
function closeAfter(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): void {
  response.setHeader('Connection', 'close');
  if (problem.status === 408) response.once('finish', () => request.destroy());
  else request.resume();
}
