import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { wait, type Clock } from '../../core/util/clock.ts';
import { FileLock } from '../../core/util/fileLock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { ServedFolder } from '../settings.ts';
import { launchService } from './launch.ts';
import { Lease } from './lease.ts';
import { ServiceLink } from './serviceLink.ts';
import { compareVersions, readServiceRecord, type ServiceRecord, type SharedServiceAccess } from './serviceRecord.ts';

/** What a {@link ServiceFinder} needs. Paths are absolute. */
export interface FinderParts {
  /** The bundle of the service. */
  readonly program: string;
  /** Where the service of this machine keeps all that it keeps. */
  readonly dataFolder: string;
  /** The version of the service in {@link program}. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Days for which a service that is started remembers ended transfers. */
  retentionDays(): number;
}

const lookAgainMs = 100;
const patienceMs = 45_000;

/**
 * Finds the service of this machine, or starts it: one for all windows (D29). Should two start it at once after all, its
 * own journal lets only one live.
 */
export class ServiceFinder {
  private readonly parts: FinderParts;

  constructor(parts: FinderParts) {
    this.parts = parts;
  }

  /** The service that runs; it has proved that it is the one by answering to its token. Undefined when there is none. */
  async find(): Promise<ServiceRecord | undefined> {
    const record = await readServiceRecord(this.parts.dataFolder);
    if (record?.host !== hostname()) return undefined;
    try {
      return (await new ServiceLink(record).state()).pid === record.pid ? record : undefined;
    } catch {
      return undefined;
    }
  }

  /** The service that runs, or a new one where there is none, or an older one. Rejects with what kept it from starting. */
  async obtain(): Promise<ServiceRecord> {
    const { clock, dataFolder } = this.parts;
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    const until = clock.now() + patienceMs;
    for (;;) {
      const found = await this.find();
      if (found && !this.isOlder(found)) return found;
      const lock = await FileLock.take(join(dataFolder, 'start.lock'), clock);
      if (lock) return await this.startUnder(lock);
      if (clock.now() >= until) throw new Error('Another window has been starting the local service for too long');
      await wait(clock, lookAgainMs);
    }
  }

  /** A lease on a service that runs, for these folders. */
  async lease(access: SharedServiceAccess, folders: readonly ServedFolder[]): Promise<Lease> {
    return await Lease.begin(access, folders);
  }

  /** How many leases are held on a service; undefined when it does not answer. */
  async leaseCount(access: SharedServiceAccess): Promise<number | undefined> {
    const state = await new ServiceLink(access).state().catch(() => undefined);
    return state?.leases;
  }

  /** Ends a service for all windows. */
  async stop(access: SharedServiceAccess): Promise<void> {
    await new ServiceLink(access).stop(false);
  }

  /** Whether the file is there that names a service; one that ended in order has removed it. */
  async isNamed(): Promise<boolean> {
    return (await readServiceRecord(this.parts.dataFolder)) !== undefined;
  }

  /** A service without a sharing token is of version 0.1, whatever it says of itself (D41). */
  private isOlder({ version, sharingToken }: ServiceRecord): boolean {
    return sharingToken === undefined || compareVersions(version, this.parts.version) < 0;
  }

  private async startUnder(lock: FileLock): Promise<ServiceRecord> {
    const { log, program, dataFolder, retentionDays } = this.parts;
    try {
      const found = await this.find();
      if (found && !this.isOlder(found)) return found;
      if (found) {
        log.info(`The local service ${found.version} ends; a newer one takes its place`);
        await new ServiceLink(found).stop(true);
      }
      await launchService({ program, dataFolder, retentionDays: retentionDays() });
      const started = await readServiceRecord(dataFolder);
      if (!started) throw new Error('The local service gave no address');
      log.info(`The local service listens at ${started.address}; its log is in ${dataFolder}`);
      return started;
    } finally {
      await lock.release();
    }
  }
}
