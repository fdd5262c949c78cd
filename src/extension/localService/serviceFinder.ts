import { join } from 'node:path';
import { wait, type Clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { FileLock } from '../../core/util/fileLock.ts';
import type { Logger } from '../../core/util/logger.ts';
import { isOwnProcess } from '../../core/util/ownProcess.ts';
import { launchService, type LaunchOptions } from './launch.ts';
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
