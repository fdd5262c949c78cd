import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Forwards connections to another loopback port and counts the bytes in both directions. */
export class CountingProxy {
  /** Number of bytes forwarded so far, in both directions. */
  bytes = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(target: () => number) {
    this.server = createServer((socket) => {
      this.join(socket, connect(target(), '127.0.0.1'));
    });
  }

  /** Starts the proxy. `target` is called for each connection and returns the port to connect to. */
  static async start(target: () => number): Promise<CountingProxy> {
    const proxy = new CountingProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private join(one: Socket, other: Socket): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (piece) => (this.bytes += piece.length));
      from.on('error', () => to.destroy()).on('close', () => this.sockets.delete(from));
      from.pipe(to);
    }
  }
}
