import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A request for a tunnel, as received. */
interface TunnelRequest {
  /** The requested host and port. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The response to tunnel requests: a tunnel to the local port `leadTo`, the error status `refuse`, no response at all,
 * or a closed connection.
 */
type ProxyBehavior = { readonly leadTo: number } | { readonly refuse: number } | 'silence' | 'drop';

/**
 * A real HTTP proxy that connects every tunnel to one local port, regardless of the requested host, or refuses it. If
 * `authorization` is set, the proxy responds with 407 to requests without it.
 */
export class FaultProxy {
  readonly tunnels: TunnelRequest[] = [];
  /** The required value of `Proxy-Authorization`. */
  authorization: string | undefined;
  behavior: ProxyBehavior = 'drop';
  private readonly server: Server = createServer((_request, response) => response.writeHead(405).end());
  private readonly sockets = new Set<Duplex>();

  private constructor() {
    this.server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.keep(socket);
      this.answer(request, socket, head);
    });
    this.server.on('connection', (socket: Socket) => this.keep(socket));
  }

  /** Starts the proxy on a free loopback port. */
  static async start(behavior: ProxyBehavior): Promise<FaultProxy> {
    const proxy = new FaultProxy();
    proxy.behavior = behavior;
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Host and port of the proxy. */
  get host(): string {
    return `127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get address(): string {
    return `http://${this.host}`;
  }

  async stop(): Promise<void> {
    const stopped = this.server.listening ? once(this.server, 'close') : Promise.resolve();
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await stopped;
  }

  private keep(socket: Duplex): void {
    if (this.sockets.has(socket)) return;
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }

  private answer(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { behavior, authorization } = this;
    this.tunnels.push({ target: request.url ?? '', headers: request.headers });
    if (behavior === 'silence') return;
    if (behavior === 'drop') socket.destroy();
    else if (authorization !== undefined && request.headers['proxy-authorization'] !== authorization) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
      );
    } else if ('refuse' in behavior) {
      socket.end(`HTTP/1.1 ${String(behavior.refuse)} No\r\nContent-Length: 0\r\n\r\n`);
    } else this.lead(behavior.leadTo, socket, head);
  }

  private lead(port: number, socket: Duplex, head: Buffer): void {
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket);
      socket.pipe(onward);
    });
    this.keep(onward);
  }
}
