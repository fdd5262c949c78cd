import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A request for a tunnel as it came. */
interface TunnelRequest {
  /** Host and port that were asked for. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** What a proxy does with the requests for tunnels to come. */
type ProxyBehaviour = { readonly leadTo: number } | { readonly refuse: number } | 'silence' | 'drop';

/**
 * A real HTTP proxy: leads every tunnel to one port of this machine, whatever name was asked for, or does not.
 * With a password it answers 407 to who does not bring it.
 */
export class FaultProxy {
  readonly tunnels: TunnelRequest[] = [];
  /** Value that `Proxy-Authorization` must have. */
  authorization: string | undefined;
  behaviour: ProxyBehaviour = 'drop';
  private readonly server: Server = createServer((_request, response) => response.writeHead(405).end());
  private readonly sockets = new Set<Duplex>();

  private constructor() {
    this.server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.keep(socket);
      this.answer(request, socket, head);
    });
    this.server.on('connection', (socket: Socket) => this.keep(socket));
  }

  /** Starts on a free port of the loopback interface. */
  static async start(behaviour: ProxyBehaviour): Promise<FaultProxy> {
    const proxy = new FaultProxy();
    proxy.behaviour = behaviour;
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Host and port. */
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
    const { behaviour, authorization } = this;
    this.tunnels.push({ target: request.url ?? '', headers: request.headers });
    if (behaviour === 'silence') return;
    if (behaviour === 'drop') socket.destroy();
    else if (authorization !== undefined && request.headers['proxy-authorization'] !== authorization) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
      );
    } else if ('refuse' in behaviour) {
      socket.end(`HTTP/1.1 ${String(behaviour.refuse)} No\r\nContent-Length: 0\r\n\r\n`);
    } else this.lead(behaviour.leadTo, socket, head);
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
