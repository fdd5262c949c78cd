import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DataTransferClient } from '../../src/core/client/dataTransferClient.ts';
import type { Logger } from '../../src/core/util/logger.ts';

const programs = join(import.meta.dirname, '..', 'programs');

/** A running benchmark server. */
interface ServerProcess {
  /** Scheme, host and port. */
  readonly origin: string;
  end(): Promise<void>;
}

/** Starts the server in a separate process, so that its work doesn't count as the client's. */
export async function startServer(): Promise<ServerProcess> {
  const child = fork(join(programs, 'server.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message')) as [number];
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    end: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Runs the memory probe in a new process; resolves to the increase in its peak memory in bytes. */
export async function measurePeakIncrease(subject: 'client' | 'bare', origin: string): Promise<number> {
  const child = fork(join(programs, 'memoryProbe.ts'), [subject, origin], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--expose-gc'],
  });
  const [bytes] = (await once(child, 'message')) as [number];
  await once(child, 'close');
  return bytes;
}

const silent: Logger = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Resolves to a connected client, configured as in the extension. */
export async function connectedClient(origin: string): Promise<DataTransferClient> {
  const client = new DataTransferClient({ log: silent });
  await client.connect({ server: origin, apiKey: 'key' });
  return client;
}
