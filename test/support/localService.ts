import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { createInterface } from 'node:readline';
import { settlesWithin, systemClock } from '../../src/core/util/clock.ts';
import { createServiceEnvironment } from '../../src/core/util/ownProcess.ts';
import { usesBuild } from './prepared.ts';

/** The fields of the service's configuration file that tests use. */
interface LocalServiceConfig {
  readonly databases: readonly {
    name: string;
    folder?: string;
    remote?: string;
    rescanMinutes?: number;
    organization?: string;
    id?: string;
  }[];
  readonly rclone?: string;
  /**
   * Defaults to a temporary folder that `stop` removes. A folder that is given isn't removed, so that the service can
   * be restarted.
   */
  readonly dataFolder?: string;
  readonly port?: number;
  readonly shared?: boolean;
  readonly followUps?: boolean;
  readonly tokenFile?: string;
  readonly retentionDays?: number;
  readonly throttleBytesPerSecond?: number;
  readonly storeBytesPerSecond?: number;
  readonly cluster?: object;
}

/** Options for starting the service. */
interface StartOptions {
  /** The path of the program to start. Defaults to the built one or `src/service/main.ts`, see {@link usesBuild}. */
  readonly program?: string;
  /** Environment variables to add to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A local service that runs in a separate process. */
export interface StartedService {
  readonly address: string;
  /** The token: the printed one, or the content of the token file. */
  readonly token: string;
  /** The line that the service printed when it was ready. */
  readonly printed: string;
  readonly dataFolder: string;
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Returns everything that the service has written to standard error so far. */
  readonly log: () => string;
  /** Ends the service with SIGTERM and removes a temporary data folder. Resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Closes the standard input of the service, as happens when the process that started it ends. */
  closeInput(): void;
  /** Kills the service to simulate a crash; the data folder remains. */
  kill(): Promise<void>;
}

/** The path of the service's program before bundling. */
const sourceProgram = nodePath.join(import.meta.dirname, '../../src/service/main.ts');

/** The service's program as shipped. It must have been built. */
export const builtProgram = nodePath.join(import.meta.dirname, '../../dist/lib/service.js');

const startLimitMs = 120_000;

/**
 * Starts the service with the current Node.js executable and waits until it is listening. If the service exits first or
 * takes longer than two minutes, rejects with an error that contains its log.
 */
export async function startLocalService(
  config: LocalServiceConfig,
  { program = usesBuild ? builtProgram : sourceProgram, environment = {} }: StartOptions = {},
): Promise<StartedService> {
  const dataFolder = config.dataFolder ?? (await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-data-')));
  const child = spawn(process.execPath, [program, '--config', '-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: createServiceEnvironment(environment),
  });
  const ended = once(child, 'exit').then(() => undefined);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  child.stdin.write(`${JSON.stringify({ ...config, dataFolder, endWithStdin: true })}\n`);
  const line = Promise.race([firstLine(child), ended]);
  const isReady = await settlesWithin(systemClock, startLimitMs, line);
  const ready = isReady ? await line : undefined;
  if (ready === undefined) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(`The service ${isReady ? 'did not start' : `is not ready after ${startLimitMs} ms`}: ${log}`);
  }
  const { address, token, pid } = JSON.parse(ready) as { address: string; token?: string; pid: number };
  return {
    address,
    token: token ?? (await fs.readFile(config.tokenFile ?? '', 'utf8')).trim(),
    printed: ready,
    dataFolder,
    pid,
    ended,
    log: () => log,
    stop: async () => {
      const code = await end(child, 'SIGTERM');
      if (config.dataFolder === undefined) await fs.rm(dataFolder, { recursive: true, force: true });
      return code;
    },
    closeInput: () => child.stdin.end(),
    kill: async () => {
      await end(child, 'SIGKILL');
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined;
  for await (const line of createInterface({ input: child.stdout })) return line;
  return undefined;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}
