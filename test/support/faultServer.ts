import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ServerIdentity } from './certificates.ts';
import type { Behaviour } from './faultBehaviours.ts';
import type { Gate } from './gate.ts';
import { text } from './faultBehaviours.ts';

/** A request as it came over the wire. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with query, as sent. */
  readonly url: string;
  /** Path without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly body: string;
}

interface Route {
  /** What to do with the requests to come; the last one stays. */
  readonly behaviours: Behaviour[];
}

/**
 * A real HTTP server whose routes can be slow, broken or hostile, and which remembers every request.
 * A route is `GET /path`; a `*` at its end stands for any rest. Others answer 404 in plain text.
 */
export class FaultServer {
  readonly requests: RecordedRequest[] = [];
  private readonly scheme: 'http' | 'https';
  private readonly routes = new Map<string, Route>();
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  private readonly server: Server;
  private isCutOff = false;
  private openedSockets = 0;
  private boundPort = 0;

  private constructor(identity?: ServerIdentity) {
    const listener = (request: IncomingMessage, response: ServerResponse): void => void this.handle(request, response);
    this.scheme = identity ? 'https' : 'http';
    this.server = identity ? createTlsServer(identity, listener) : createServer(listener);
    this.server.on('connection', (socket) => {
      this.openedSockets++;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
  }

  /** Starts on a free port of the loopback interface; with an identity it speaks TLS. */
  static async start(identity?: ServerIdentity): Promise<FaultServer> {
    const server = new FaultServer(identity);
    await server.listen(0);
    server.boundPort = (server.server.address() as AddressInfo).port;
    return server;
  }

  /** Its port, also after it was stopped. */
  get port(): number {
    return this.boundPort;
  }

  /** Base address, without a trailing slash. */
  get address(): string {
    return `${this.scheme}://127.0.0.1:${String(this.port)}`;
  }

  /** Connections that stand now. */
  get socketCount(): number {
    return this.sockets.size;
  }

  /** Connections that were ever opened. */
  get socketsEver(): number {
    return this.openedSockets;
  }

  /** Sets what a route does: each behaviour for one request, the last for all that follow. */
  on(route: string, ...behaviours: Behaviour[]): this {
    this.routes.set(route, { behaviours });
    return this;
  }

  /** Has the requests of a route wait at a gate, and then be answered as they were before. */
  behind(gate: Gate, route: string): this {
    const answer = this.routes.get(route)?.behaviours.at(-1);
    return this.on(route, async (request, response) => {
      await gate.pass();
      await answer?.(request, response);
    });
  }

  /** The requests of a route so far, such as `POST /api/v1/files`. */
  requestsTo(route: string): readonly RecordedRequest[] {
    return this.requests.filter((request) => matches(route, `${request.method} ${request.path}`));
  }

  /** Resolves when this many requests have come in all. */
  async received(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((resolve) => this.waiting.add({ count, resolve }));
  }

  /** Resolves when no connection stands. */
  async allClosed(): Promise<void> {
    await Promise.all(
      [...this.sockets].map(async (socket) => {
        if (!socket.closed) await once(socket, 'close');
      }),
    );
  }

  /** Stops at once, whatever is under way. */
  async stop(): Promise<void> {
    const stopped = this.server.listening ? once(this.server, 'close') : Promise.resolve();
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await stopped;
  }

  /** Comes back after a stop, at the same address. */
  async startAgain(): Promise<void> {
    await this.listen(this.port);
  }

  /** The network is away: what stands is reset, and no request gets through until {@link connectAgain}. */
  cutOff(): void {
    this.isCutOff = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  connectAgain(): void {
    this.isCutOff = false;
  }

  private async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isCutOff) incoming.socket.resetAndDestroy();
    const request = await record(incoming);
    if (!request || this.isCutOff) return;
    this.requests.push(request);
    for (const waiter of this.waiting) {
      if (this.requests.length >= waiter.count) waiter.resolve();
    }
    await this.take(`${request.method} ${request.path}`)(request, response);
  }

  private take(name: string): Behaviour {
    const route = this.routes.get(name) ?? [...this.routes].find(([key]) => matches(key, name))?.[1];
    if (!route) return text(404, '404 page not found\n');
    const next = route.behaviours.length > 1 ? route.behaviours.shift() : route.behaviours[0];
    return next ?? text(404, '404 page not found\n');
  }
}

function matches(route: string, name: string): boolean {
  return route.endsWith('*') ? name.startsWith(route.slice(0, -1)) : route === name;
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  const url = incoming.url ?? '';
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  return {
    method: incoming.method ?? '',
    url,
    path,
    query: new URLSearchParams(query),
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
