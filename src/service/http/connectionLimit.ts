import type { Duplex } from 'node:stream';

/**
 * Limits the number of connections (D40: administered service). At the limit, a new connection replaces the longest
 * idle one that has not authenticated. If all of them have authenticated, the new connection is closed.
 */
export class ConnectionLimit {
  private readonly max: number;
  private readonly open = new Set<Duplex>();
  /** Connections that have not sent a valid token yet, the longest idle first. */
  private readonly unauthenticated = new Set<Duplex>();

  constructor(max: number) {
    this.max = max;
  }

  admit(socket: Duplex): void {
    const [idlest] = this.unauthenticated;
    if (this.open.size >= this.max) this.close(idlest ?? socket);
    if (socket.destroyed) return;
    this.open.add(socket);
    this.unauthenticated.add(socket);
    socket.once('close', () => this.forget(socket));
  }

  /** Records a request on a connection, which is then no longer the longest idle one. */
  touch(socket: Duplex): void {
    if (this.unauthenticated.delete(socket)) this.unauthenticated.add(socket);
  }

  /** Records an authenticated connection, which is then never replaced. */
  trust(socket: Duplex): void {
    this.unauthenticated.delete(socket);
  }

  /**
   * Closes a socket. Unregisters it immediately, because its close event comes too late for simultaneous connections.
   */
  private close(socket: Duplex): void {
    this.forget(socket);
    socket.destroy();
  }

  private forget(socket: Duplex): void {
    this.open.delete(socket);
    this.unauthenticated.delete(socket);
  }
}
