import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createServiceEnvironment, hasPipes, type PipedChild } from '../../core/util/childProcess.ts';

/** Options for {@link launchService}. Paths are absolute. */
export interface LaunchOptions {
  /** Path to the service's bundle. */
  readonly program: string;
  readonly dataFolder: string;
  /** Number of days for which ended transfers are retained. */
  readonly retentionDays: number;
  /** Path to rclone. If undefined, the service searches for it (D62: stores through rclone). */
  readonly rclone: string | undefined;
  /** Bytes per second that all transfers together may read from and write to stores; undefined for no limit. */
  readonly storeBytesPerSecond?: number | undefined;
}

const startLimitMs = 30_000;

/**
 * Starts a service that outlives this process. Resolves once the service is listening and has written its record to the
 * data folder. Rejects if the service can't be run, doesn't start in time, or exits (the error then contains its last
 * message).
 */
export async function launchService({ program, dataFolder, ...config }: LaunchOptions): Promise<void> {
  const child = spawn(process.execPath, [program, '--config', '-'], {
    cwd: dataFolder,
    env: createServiceEnvironment({ ELECTRON_RUN_AS_NODE: '1' }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  if (!hasPipes(child)) throw await waitForError(child);
  // The process may have exited already. The events below report its exit.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify({ dataFolder, databases: [], ...config, shared: true })}\n`);
  try {
    await waitUntilListening(child);
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    child.unref();
  }
}

async function waitForError(child: ChildProcess): Promise<Error> {
  const [error] = (await once(child, 'error')) as [Error];
  return error;
}

async function waitUntilListening(child: PipedChild): Promise<void> {
  let lastMessage = '';
  createInterface({ input: child.stderr }).on('line', (line) => (lastMessage = line));
  const ended = new AbortController();
  child.once('error', (error) => ended.abort(error));
  child.once('close', () => ended.abort(new Error(lastMessage || `it exited with code ${child.exitCode}`)));
  const signal = AbortSignal.any([AbortSignal.timeout(startLimitMs), ended.signal]);
  try {
    await once(createInterface({ input: child.stdout }), 'line', { signal });
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason;
    throw new Error(`it didn't start within ${startLimitMs / 1000} seconds`, { cause: error });
  }
}
