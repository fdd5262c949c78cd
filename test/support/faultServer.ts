import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ServerIdentity } from './certificates.ts';
import type { Behavior } from './faultBehaviors.ts';
import type { Gate } from './gate.ts';
import { text } from './faultBehaviors.ts';

/** A request as it was received. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with the query, as received. */
  readonly url: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body as received. */
  readonly body: string;
}

interface Route {
  /** Behaviors for upcoming requests; the last one is repeated. */
  readonly behaviors: Behavior[];
}

/**
 * A real HTTP server that records every request and whose routes can be slow, broken or hostile. Routes are written
 * like `GET /path`; a trailing `*` matches any suffix. Unknown routes return 404 in plain text.
 */
export class FaultServer {
  readonly requests: RecordedRequest[] = [];
  private readonly scheme: 'http' | 'https';
  private readonly routes = new Map<string, Route>();
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  private readonly server: Server;
  /** Ports of all servers that this process has started. */
  private static readonly usedPorts = new Set<number>();
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

  /**
   * Starts on a loopback port that no server of this process has used; with TLS if an identity is given. The extension
   * identifies a server by its address, so on a reused port it would apply what it learned about the earlier server.
   * Rejects if `preferredPort` is in use; 0 means any free port.
   */
  static async start(identity?: ServerIdentity, preferredPort = 0): Promise<FaultServer> {
    const server = new FaultServer(identity);
    await server.listen(preferredPort);
    server.boundPort = (server.server.address() as AddressInfo).port;
    if (!FaultServer.usedPorts.has(server.port)) {
      FaultServer.usedPorts.add(server.port);
      return server;
    }
    // Keeps the used port occupied until a different one is found.
    const other = await FaultServer.start(identity);
    await server.stop();
    return other;
  }

  /** The port, which stays the same after {@link stop}. */
  get port(): number {
    return this.boundPort;
  }

  /** Base address, without a trailing slash. */
  get address(): string {
    return `${this.scheme}://127.0.0.1:${String(this.port)}`;
  }

  /** Number of open connections. */
  get socketCount(): number {
    return this.sockets.size;
  }

  /** Number of connections opened so far. */
  get socketsEver(): number {
    return this.openedSockets;
  }

  /** Sets the behaviors of a route: one per request, with the last one repeated. */
  on(route: string, ...behaviors: Behavior[]): this {
    this.routes.set(route, { behaviors });
    return this;
  }

  /** Returns a function that restores the current routes. Routes that were added later remain. */
  saveRoutes(): () => void {
    const saved = [...this.routes];
    return () => saved.forEach(([name, route]) => this.routes.set(name, route));
  }

  /** Makes each request to a route wait at a gate before the last behavior of the route responds. */
  holdAt(gate: Gate, route: string): this {
    const answer = this.routes.get(route)?.behaviors.at(-1);
    return this.on(route, async (request, response) => {
      await gate.pass();
      await answer?.(request, response);
    });
  }

  /** Returns the requests that a route, such as `POST /api/v1/files`, has received so far. */
  requestsTo(route: string): readonly RecordedRequest[] {
    return this.requests.filter((request) => matches(route, `${request.method} ${request.path}`));
  }

  /** Resolves when the total number of received requests reaches `count`. */
  async received(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((resolve) => this.waiting.add({ count, resolve }));
  }

  /** Resolves when all currently open connections have been closed. */
  async allClosed(): Promise<void> {
    await Promise.all(
      [...this.sockets].map(async (socket) => {
        if (!socket.closed) await once(socket, 'close');
      }),
    );
  }

  /** Stops immediately and closes all connections, even during a request. */
  async stop(): Promise<void> {
    const stopped = this.server.listening ? once(this.server, 'close') : Promise.resolve();
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await stopped;
  }

  /**
   * Forgets all routes and requests, and closes all connections. Restarts after {@link stop}. Rejects if the port has
   * been taken meanwhile.
   */
  async reset(): Promise<void> {
    this.routes.clear();
    this.waiting.clear();
    this.requests.length = 0;
    this.openedSockets = 0;
    this.isCutOff = false;
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) await this.listen(this.port);
  }

  /** Restarts after {@link stop}, at the same address. */
  async startAgain(): Promise<void> {
    await this.listen(this.port);
  }

  /**
   * Simulates a network failure until {@link connectAgain}: resets all open connections, and resets new ones when they
   * send a request.
   */
  cutOff(): void {
    this.isCutOff = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Ends the network failure that {@link cutOff} simulates. */
  connectAgain(): void {
    this.isCutOff = false;
  }

  private async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
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

  private take(name: string): Behavior {
    const route = this.routes.get(name) ?? [...this.routes].find(([key]) => matches(key, name))?.[1];
    if (!route) return text(404, '404 page not found\n');
    const next = route.behaviors.length > 1 ? route.behaviors.shift() : route.behaviors[0];
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
