import type { Duplex } from 'node:stream';

/**
 * Limits the number of connections (D40: administered service). At the limit, a new connection replaces the
 * unauthenticated one that has been idle longest. If all connections have authenticated, the new one is closed.
 */
export class ConnectionLimit {
  private readonly max: number;
  private readonly open = new Set<Duplex>();
  /** Connections that have not sent a valid token yet, longest idle first. */
  private readonly unauthenticated = new Set<Duplex>();

  constructor(max: number) {
    this.max = max;
  }

  admit(socket: Duplex): void {
    const [longestIdle] = this.unauthenticated;
    if (this.open.size >= this.max) this.close(longestIdle ?? socket);
    if (socket.destroyed) return;
    this.open.add(socket);
    this.unauthenticated.add(socket);
    socket.once('close', () => this.forget(socket));
  }

  /** Records a request on a connection, which makes it the most recently used one. */
  touch(socket: Duplex): void {
    if (this.unauthenticated.delete(socket)) this.unauthenticated.add(socket);
  }

  /** Marks a connection as authenticated, so that it is never replaced. */
  trust(socket: Duplex): void {
    this.unauthenticated.delete(socket);
  }

  /**
   * Closes a socket. Unregisters it immediately, because its close event would come too late if many connections arrive
   * at the same time.
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
