import { randomBytes } from 'node:crypto';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { localServiceName } from '../contract/contract.ts';
import { settlesWithin, systemClock, type Clock } from '../core/util/clock.ts';
import { createFolderSync } from '../core/util/createFolder.ts';
import type { Disposable } from '../core/util/lifetime.ts';
import type { Logger } from '../core/util/logger.ts';
import { CatalogThread } from './catalog/catalog.ts';
import { ClusterChoice } from './cluster/cluster.ts';
import type { ClusterConfig } from './cluster/clusterConfig.ts';
import { ContentReader } from './content/contentReader.ts';
import { endFormerTasks, rememberTasksFolder } from './cluster/formerTasks.ts';
import type { ServiceConfig } from './config.ts';
import { Health } from './health.ts';
import { Leases } from './leases.ts';
import { openDatabases, type DatabaseRegistry } from './databases/databaseRegistry.ts';
import { createServiceRoutes } from './routes/serviceRoutes.ts';
import { ApiServer } from './server.ts';
import { RcloneDaemon } from './stores/rcloneDaemon.ts';
import { removeServiceFile, writeServiceFile } from './accessFiles.ts';
import { isCorruption } from './sqlite.ts';
import { TransferJournal } from './transfers/journal.ts';
import { FollowUps } from './transfers/followUps.ts';
import { TransferQueue } from './transfers/transferQueue.ts';
import { serviceVersion } from './version.ts';
import type { ServiceState } from './wire/apiSchemas.ts';

/** Options that are not part of the configuration, with defaults for normal use. */
interface ServiceOptions {
  readonly logger: Logger;
  readonly token?: string;
  /** Authorizes leases and stop requests; for a shared service only (D41: two secrets). */
  readonly sharingToken?: string;
  /** Receives the lines of the access log, if the log is enabled (D40: administered service). */
  readonly onAccess?: (line: string) => void;
  /** Called when shutdown starts, before anything that a hanging disk can block (D42: hanging disks). */
  readonly onStop?: () => void;
  readonly clock?: Clock;
  readonly bodyTimeLimitMs?: number;
  /** Time limit for reading a range of a file. */
  readonly contentLimitMs?: number;
  /** Delay before the first checks of a suspended transfer, unless the suspension specifies its own delay. */
  readonly retryDelayMs?: number;
  /** Time that a shared service keeps running without a lease or an active transfer (D29: shared service). */
  readonly idleMs?: number;
}

/** `abandoned` means that a thread hangs in a system call, so the process must be killed (D42: hanging disks). */
export type ServiceEnd = 'clean' | 'abandoned';

/** A service that is listening. */
export type RunningService = Pick<LocalService, 'address' | 'token' | 'sharingToken' | 'ended' | 'close'>;

const dayMs = 86_400_000;
/** With the last responses, shutdown takes at most 5 s (D42: hanging disks). */
const stopLimitMs = 4_000;
const maxBodyBytes = 8 * 1024 * 1024;

/** Returns a new random token (D26: service HTTP behavior). */
export function generateToken(): string {
  return randomBytes(32).toString('hex');
}

/** Starts the service. Rejects if it can't listen, or can't read or write its own files. */
export async function startService(config: ServiceConfig, options: ServiceOptions): Promise<RunningService> {
  createFolderSync(config.dataFolder, 0o700);
  const journalFile = nodePath.join(config.dataFolder, 'journal.db');
  try {
    return await openService(config, options, journalFile);
  } catch (error) {
    if (!isCorruption(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const advice = 'Move it to another folder to start without these transfers.';
    throw new Error(`the journal of transfers ${journalFile} is damaged (${reason}). ${advice}`, { cause: error });
  }
}

async function openService(
  config: ServiceConfig,
  options: ServiceOptions,
  journalFile: string,
): Promise<RunningService> {
  const { clock = systemClock, logger } = options;
  // The journal comes first: only one service at a time can open it, which protects all other files.
  const journal = new TransferJournal(journalFile);
  const thread = new CatalogThread(logger);
  const databases = await openDatabases(config, { clock, logger, thread }, journal).catch(async (error: unknown) => {
    await thread.end();
    journal.close();
    throw error;
  });
  const service = new LocalService(config, options, { journal, databases, thread });
  await service.start();
  return service;
}

function createDaemon(config: ServiceConfig, clock: Clock, logger: Logger): RcloneDaemon {
  const { rclone, dataFolder, storeBytesPerSecond: bytesPerSecond } = config;
  const stagingFolder = nodePath.join(dataFolder, 'staging');
  const daemon = new RcloneDaemon({ rclone, clock, logger, stagingFolder, bytesPerSecond });
  daemon.removeStaging();
  return daemon;
}

class LocalService {
  readonly token: string;
  readonly sharingToken: string | undefined;
  /** Resolves when the service has stopped, whether through {@link close}, on request, or because it was idle. */
  readonly ended: Promise<ServiceEnd>;
  readonly databases: DatabaseRegistry;
  readonly queue: TransferQueue;
  readonly contentReader: ContentReader;
  readonly followUps: FollowUps;
  readonly leases: Leases;
  readonly cluster: ClusterChoice;
  readonly health: Health;
  address = '';
  private readonly config: ServiceConfig;
  private readonly options: ServiceOptions;
  private readonly clock: Clock;
  private readonly journal: TransferJournal;
  /** The end of the tasks that earlier starts left in folders that aren't used any more. */
  private formerTasksEnd: Promise<void> | undefined;
  private readonly thread: CatalogThread;
  private readonly server: ApiServer;
  private readonly file: string;
  /** Runs while a shared service has neither a lease nor an active transfer. */
  private idleTimer: Disposable | undefined;
  private resolveEnded: (end: ServiceEnd) => void = () => undefined;
  private stopping: Promise<ServiceEnd> | undefined;

  constructor(
    config: ServiceConfig,
    options: ServiceOptions,
    { journal, thread, databases }: { journal: TransferJournal; thread: CatalogThread; databases: DatabaseRegistry },
  ) {
    const { clock = systemClock, logger } = options;
    const { dataFolder, throttleBytesPerSecond } = config;
    this.config = config;
    this.options = options;
    this.clock = clock;
    this.journal = journal;
    this.thread = thread;
    this.databases = databases;
    this.token = options.token ?? generateToken();
    this.sharingToken = config.shared === true ? (options.sharingToken ?? generateToken()) : undefined;
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    this.file = nodePath.join(dataFolder, 'service.json');
    this.cluster = new ClusterChoice(config.cluster, clock);
    const isAllowed = config.followUps ?? config.shared === true;
    this.followUps = new FollowUps({ clock, journal, databases, logger, dataFolder, isAllowed });
    const daemon = createDaemon(config, clock, logger);
    this.contentReader = new ContentReader(daemon, clock, options.contentLimitMs);
    this.queue = new TransferQueue({
      clock,
      journal,
      databases,
      logger,
      followUps: this.followUps,
      retentionMs: (config.retentionDays ?? 7) * dayMs,
      retryDelayMs: options.retryDelayMs ?? 3_000,
      throttleBytesPerSecond,
      daemon,
      cluster: this.cluster,
    });
    this.leases = new Leases(databases, dataFolder, async (cluster) => await this.applyCluster(cluster));
    const isStopping = (): boolean => this.stopping !== undefined;
    this.health = new Health({ databases, dataFolder, clock, logger, isStopping });
    this.server = this.createServer();
  }

  private createServer(): ApiServer {
    const { token, sharingToken, config, options } = this;
    return new ApiServer({
      routes: createServiceRoutes(this),
      token,
      sharingToken,
      trustedHosts: config.trustedHosts ?? [],
      onAccess: options.onAccess,
      limits: { maxBytes: maxBodyBytes, timeLimitMs: options.bodyTimeLimitMs ?? 30_000 },
      logger: options.logger,
    });
  }

  /** Listens and resumes transfers. If that fails, closes everything and rejects. */
  async start(): Promise<void> {
    try {
      this.address = await this.server.listen(this.config.port ?? 0);
      // The first lease brings the cluster of a shared service.
      if (this.config.shared !== true) await this.endFormerTasks();
      this.queue.start();
      this.followUps.start();
      if (this.sharingToken !== undefined) await this.share(this.sharingToken);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Stops the service without waiting for transfers to end; they resume at the next start. */
  async close(): Promise<void> {
    await this.stop(false);
    await this.ended;
  }

  private async applyCluster(cluster: ClusterConfig | undefined): Promise<boolean> {
    const hasChanged = await this.cluster.replace(cluster);
    const isFirst = this.formerTasksEnd === undefined;
    this.formerTasksEnd ??= this.endFormerTasks();
    await this.formerTasksEnd;
    // Transfers stay on a cluster that is replaced now, so only the next start may end tasks there.
    if (hasChanged && !isFirst && cluster)
      await rememberTasksFolder(this.config.dataFolder, cluster.slurm.folder).catch((error: unknown) =>
        this.options.logger.error(`The folder of the cluster's tasks can't be remembered: ${String(error)}`),
      );
    return hasChanged;
  }

  private async endFormerTasks(): Promise<void> {
    const { journal, clock, config, options } = this;
    const cluster = this.cluster.current;
    const unfinished = journal.listUnfinished();
    const tooSmall = cluster ? unfinished.filter((record) => !cluster.isWorthwhile(record)) : [];
    const tooSmallIds = new Set(tooSmall.map(({ id }) => id));
    const leftovers = journal.listLeftovers().map(({ transferId }) => transferId);
    const transferIds = new Set([...unfinished.map(({ id }) => id), ...leftovers]);
    const { logger } = options;
    await endFormerTasks({ dataFolder: config.dataFolder, cluster, transferIds, tooSmallIds, clock, logger });
  }

  private async share(sharingToken: string): Promise<void> {
    await writeServiceFile(this.file, { address: this.address, token: this.token, sharingToken });
    this.options.logger.info(`Service ${serviceVersion} is listening on ${this.address}.`);
    this.leases.onDidChange(() => this.checkUse());
    this.queue.onDidChangeActivity(() => this.checkUse());
    this.followUps.onDidChangeActivity(() => this.checkUse());
    this.checkUse();
  }

  private checkUse(): void {
    if (this.stopping !== undefined) return;
    if (this.leases.count + this.queue.activeCount + this.followUps.activeCount > 0) {
      this.idleTimer?.dispose();
      this.idleTimer = undefined;
      return;
    }
    this.idleTimer ??= this.clock.after(this.options.idleMs ?? 60_000, () => {
      this.options.logger.info('The service is no longer in use.');
      void this.stop(false);
    });
  }

  /** Stops the service. Resolves after {@link shutDown}; the last responses may still be in transit. */
  async stop(isReplaced: boolean): Promise<void> {
    if (this.stopping === undefined) {
      this.options.onStop?.();
      this.stopping = this.shutDown(isReplaced);
      void this.stopping.then(async (end) => await this.server.close().finally(() => this.resolveEnded(end)));
    }
    await this.stopping;
  }

  /**
   * Stops all parts of the service and removes the service file, because only a crash may leave it behind. Ends the
   * leases last, because they must not end until the next service can start. Never rejects.
   */
  private async shutDown(isReplaced: boolean): Promise<ServiceEnd> {
    const { logger } = this.options;
    this.idleTimer?.dispose();
    this.server.stopListening();
    const isClean = await settlesWithin(this.clock, stopLimitMs, this.stopTransfers());
    if (!isClean)
      logger.warn(
        'Stopping took too long, perhaps because of a long search or a disk that hangs. Transfers resume at the next start.',
      );
    if (this.sharingToken !== undefined) removeServiceFile(this.file, this.token);
    try {
      this.journal.close();
    } catch (error) {
      logger.error(`The journal could not be closed: ${String(error)}`);
    }
    this.leases.end(isReplaced ? 'replaced' : 'stopped');
    return isClean ? 'clean' : 'abandoned';
  }

  private async stopTransfers(): Promise<void> {
    try {
      await Promise.all([this.queue.close(), this.contentReader.close()]);
      await this.followUps.close();
      await this.databases.close();
      await this.thread.end();
    } catch (error) {
      this.options.logger.error(`The service could not stop cleanly: ${String(error)}`);
    }
  }

  getState(): ServiceState {
    return {
      name: localServiceName,
      version: serviceVersion,
      pid: process.pid,
      host: os.hostname(),
      leases: this.leases.count,
      transfers: this.queue.activeCount,
    };
  }
}
