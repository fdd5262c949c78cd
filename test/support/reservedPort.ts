import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

// Below the ephemeral ports of Linux, macOS and Windows, which the system may assign to any socket at any time.
const firstPort = 20_000;
const pairs = 6000;

let next = Math.floor(Math.random() * pairs);

/**
 * A loopback port that is reserved for a server in another process. No other test run uses it until it is released,
 * even while the server is stopped: this process listens on the next port, which serves as a lock.
 */
export class ReservedPort {
  readonly number: number;
  private readonly lock: Server;

  private constructor(number: number, lock: Server) {
    this.number = number;
    this.lock = lock;
  }

  /**
   * Reserves a port that no other process has reserved and no server uses. Starts the search at `from`, by default
   * after the last port that this process has reserved. Throws an error if no such port is found.
   */
  static async reserve(from = firstPort + 2 * next): Promise<ReservedPort> {
    next = (from - firstPort) / 2;
    for (let attempts = 0; attempts < pairs; attempts++) {
      const number = firstPort + 2 * next;
      next = (next + 1) % pairs;
      const lock = await listen(number + 1);
      if (lock === undefined) continue;
      const server = await listen(number);
      if (server !== undefined) {
        await close(server);
        return new ReservedPort(number, lock);
      }
      await close(lock);
    }
    throw new Error('No free port was found for a test server.');
  }

  /** Releases the port, so that other test runs can reserve it. */
  async release(): Promise<void> {
    if (this.lock.listening) await close(this.lock);
  }
}

/** Listens on a port; resolves to the server, or to undefined if the port is in use. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server.unref();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
