import type { Duplex } from 'node:stream';

/**
 * Bounds the number of connections (D40). At the bound, a new connection takes the place of the one that has been idle
 * longest among those without a token; where all have one, the new connection is closed.
 */
export class ConnectionBound {
  private readonly max: number;
  private readonly open = new Set<Duplex>();
  /** Those that have not sent a token yet, the idlest first. */
  private readonly strangers = new Set<Duplex>();

  constructor(max: number) {
    this.max = max;
  }

  /** Counts a new connection in, or closes it. */
  admit(socket: Duplex): void {
    const [idlest] = this.strangers;
    if (this.open.size >= this.max) this.close(idlest ?? socket);
    if (socket.destroyed) return;
    this.open.add(socket);
    this.strangers.add(socket);
    socket.once('close', () => this.forget(socket));
  }

  /** Notes that a request has come on a connection, so that it is no longer the idlest. */
  touch(socket: Duplex): void {
    if (this.strangers.delete(socket)) this.strangers.add(socket);
  }

  /** Notes that the token has come on a connection, so that no other takes its place. */
  trust(socket: Duplex): void {
    this.strangers.delete(socket);
  }

  /** Forgets at once: the event of the closing comes too late for the next connection of the same moment. */
  private close(socket: Duplex): void {
    this.forget(socket);
    socket.destroy();
  }

  private forget(socket: Duplex): void {
    this.open.delete(socket);
    this.strangers.delete(socket);
  }
}
