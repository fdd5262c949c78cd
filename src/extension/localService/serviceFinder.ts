import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServiceEnvironment, hasPipes, type PipedChild } from '../../core/util/childProcess.ts';
import { wait, type Clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { FileLock } from '../../core/util/fileLock.ts';
import type { Logger } from '../../core/util/logger.ts';
import { isOwnProcess } from '../../core/util/ownProcess.ts';
import { getServiceState, stopService } from './serviceLink.ts';
import { compareVersions, readServiceRecord, type ServiceRecord } from './serviceRecord.ts';

/** Options for {@link findOrStartService}. Paths are absolute. */
export interface ServiceOptions {
  /** Path to the service's bundle. */
  readonly program: string;
  /** Data folder of the service on this machine. */
  readonly dataFolder: string;
  /** Version of the service at {@link program}. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the settings for a service that is about to start. */
  getConfig(): Omit<LaunchOptions, 'program' | 'dataFolder'>;
}

const retryDelayMs = 100;
const maxWaitMs = 45_000;

/**
 * Finds the service that is running on this machine. Resolves to undefined if there is none, if its process isn't the
 * user's, or if it doesn't respond or doesn't accept the recorded token.
 */
export async function findService(dataFolder: string): Promise<ServiceRecord | undefined> {
  const record = await readServiceRecord(dataFolder);
  if (!record || !isOwnProcess(record)) return undefined;
  try {
    return (await getServiceState(record)).pid === record.pid ? record : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Finds the service that all windows on this machine share (D29: shared service). Starts a new one if there is none,
 * and replaces an older version. A lock ensures that only one window starts the service. Rejects if the service can't
 * be started.
 */
export async function findOrStartService(options: ServiceOptions): Promise<ServiceRecord> {
  const { clock, dataFolder } = options;
  await createFolder(dataFolder, 0o700);
  const deadline = clock.now() + maxWaitMs;
  for (;;) {
    const found = await findService(dataFolder);
    if (found && !isOlder(found, options.version)) return found;
    const lock = await FileLock.acquire(join(dataFolder, 'start.lock'), clock);
    if (lock) return await startWithLock(options, lock);
    if (clock.now() >= deadline) throw new Error('Another window has been starting the local service for too long');
    await wait(clock, retryDelayMs);
  }
}

/** Returns true if a service is older than `ownVersion`. Only version 0.1 has no sharing token (D41: two secrets). */
function isOlder({ version, sharingToken }: ServiceRecord, ownVersion: string): boolean {
  return sharingToken === undefined || compareVersions(version, ownVersion) < 0;
}

async function startWithLock(
  { log, program, dataFolder, version, getConfig }: ServiceOptions,
  lock: FileLock,
): Promise<ServiceRecord> {
  try {
    const found = await findService(dataFolder);
    if (found && !isOlder(found, version)) return found;
    if (found) {
      log.info(`Replacing the local service ${found.version} with a newer one`);
      await stopService(found, true);
    }
    await launchService({ program, dataFolder, ...getConfig() });
    const started = await readServiceRecord(dataFolder);
    if (!started) throw new Error("The local service didn't report its address");
    log.info(`The local service is listening on ${started.address}; its log is in ${dataFolder}`);
    return started;
  } finally {
    await lock.release();
  }
}

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
