import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import type { ConnectOptions, Limits } from '../../../src/core/client/request.ts';
import type { Fetch } from '../../../src/core/client/transport.ts';
import type { ServerDialects } from '../../../src/core/client/serverDialect.ts';
import type { Clock } from '../../../src/core/util/clock.ts';
import { json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

/** The key that tests connect with. */
export const testKey = 'the-test-key';

/** A clock that records each delay and ends it immediately, except for time limits of a minute or more. */
export class HastyClock implements Clock {
  readonly waits: number[] = [];

  now(): number {
    return 1_700_000_000_000;
  }

  after(delayMs: number, callback: () => void): { dispose(): void } {
    if (delayMs >= 60_000) return { dispose: () => undefined };
    this.waits.push(delayMs);
    const immediate = setImmediate(callback);
    return {
      dispose: () => {
        clearImmediate(immediate);
      },
    };
  }
}

/** A fault server with a valid root response, a client for it, and the client's log. */
export interface Bench {
  readonly server: FaultServer;
  readonly client: DataTransferClient;
  readonly log: MemoryLog;
  /** Connects the client and clears the recorded root request. */
  connect(options?: Partial<ConnectOptions>): Promise<void>;
  end(): Promise<void>;
}

/** Options for {@link startBench}. */
export interface BenchOptions {
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly dialects?: ServerDialects;
  readonly fetch?: Fetch;
}

/** Starts a {@link Bench}. By default, the delays between retries are short. */
export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const server = await FaultServer.start();
  server.on('GET /', json({ name: 'Test service', version: '1.2' }));
  const log = new MemoryLog();
  const limits = { retryMs: 1, statusRetryMs: 1, ...options.limits };
  const client = new DataTransferClient({ ...options, log, limits });
  return {
    server,
    client,
    log,
    connect: async (given) => {
      await client.connect({ server: server.address, apiKey: testKey, ...given });
      server.requests.length = 0;
    },
    end: async () => {
      client.dispose();
      await server.stop();
    },
  };
}
