import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { localServiceName } from '../contract/root.ts';
import { settlesWithin, systemClock, type Clock } from '../core/util/clock.ts';
import type { Logger } from '../core/util/logger.ts';
import type { TextMode } from './catalog/catalogTables.ts';
import { CatalogThread } from './catalog/catalogThread.ts';
import type { ServiceConfig } from './config.ts';
import { Health } from './health.ts';
import { IdleEnd } from './idleEnd.ts';
import { Leases } from './leases.ts';
import { openDatabases } from './databases/openDatabases.ts';
import type { DatabaseRegistry } from './databases/databaseRegistry.ts';
import { serviceRoutes } from './routes.ts';
import { ApiServer } from './server.ts';
import { ServiceFile } from './serviceFile.ts';
import { TransferJournal } from './transfers/journal.ts';
import { TransferQueue } from './transfers/transferQueue.ts';
import { serviceVersion } from './version.ts';
import type { ServiceState } from './wire/sharing.ts';

/** What may be set beside the configuration; left out, it is what a person's service has. */
export interface ServiceOptions {
  readonly logger: Logger;
  readonly token?: string;
  /** Opens leases and stop; used by a shared service only (D41). */
  readonly sharingToken?: string;
  /** Gets each line of the access log (D40); left out, there is none. */
  readonly onAccess?: (line: string) => void;
  readonly clock?: Clock;
  /** The thread of the catalogues, which then outlives the service; left out, the service has its own. */
  readonly catalogThread?: CatalogThread;
  /** How a catalogue finds words; left out, the best that the runtime has. */
  readonly textMode?: TextMode;
  /** How long a request's body may take, in milliseconds. */
  readonly bodyTimeLimitMs?: number;
  /** How long a suspended transfer waits before it looks again, in milliseconds. */
  readonly retryDelayMs?: number;
  /** How long a shared service lasts after its last lease and its last running transfer, in milliseconds (D29). */
  readonly idleMs?: number;
}

/** Tells how a service has ended. */
export type ServiceEnd = 'clean' | 'abandoned';

/** A service that listens. */
export interface RunningService {
  readonly address: string;
  readonly token: string;
  /** Undefined unless the service is shared. */
  readonly sharingToken: string | undefined;
  /**
   * Resolves when the service has ended: by {@link close}, by request, or because nobody used it. `abandoned`: a thread
   * still hangs in the system, so the process has to be killed (D42).
   */
  readonly ended: Promise<ServiceEnd>;
  /** Stops at once; transfers go on at the next start. */
  close(): Promise<void>;
}

const dayMs = 86_400_000;
/** With the last answers, which get a second more, a stop takes at most five seconds (D42). */
const stopLimitMs = 4_000;
const maxBodyBytes = 8 * 1024 * 1024;

/** A new random token (D26). */
export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** Starts the service: opens the journal, begins to read the folders, listens, and goes on with what had not ended. */
export async function startService(config: ServiceConfig, options: ServiceOptions): Promise<RunningService> {
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  // The journal comes first: it can be had by one service at a time, and guards all that follows.
  const journal = new TransferJournal(nodePath.join(config.dataFolder, 'journal.db'));
  const thread = options.catalogThread ?? new CatalogThread(options.logger);
  const ownThread = options.catalogThread === undefined ? thread : undefined;
  const surroundings = { clock: systemClock, ...options, thread };
  const databases = await openDatabases(config, surroundings, journal).catch(async (error: unknown) => {
    await ownThread?.end();
    journal.close();
    throw error;
  });
  const service = new LocalService(config, options, { journal, databases, ownThread });
  await service.start();
  return service;
}

interface OpenedParts {
  readonly journal: TransferJournal;
  /** The thread of the catalogues, where it ends with the service. */
  readonly ownThread: CatalogThread | undefined;
  readonly databases: DatabaseRegistry;
}

class LocalService implements RunningService {
  readonly token: string;
  readonly sharingToken: string | undefined;
  readonly ended: Promise<ServiceEnd>;
  private readonly clock: Clock;
  private readonly config: ServiceConfig;
  private readonly logger: Logger;
  private readonly journal: TransferJournal;
  private readonly databases: DatabaseRegistry;
  private readonly ownThread: CatalogThread | undefined;
  private readonly queue: TransferQueue;
  private readonly leases: Leases;
  private readonly server: ApiServer;
  private readonly file: ServiceFile | undefined;
  private readonly idle: IdleEnd;
  private readonly tellEnd: (end: ServiceEnd) => void;
  private stopping: Promise<ServiceEnd> | undefined;
  private baseAddress = '';

  constructor(config: ServiceConfig, options: ServiceOptions, parts: OpenedParts) {
    const { journal, databases } = parts;
    const { logger, clock = systemClock, token = newToken() } = options;
    this.clock = clock;
    this.config = config;
    this.logger = logger;
    this.token = token;
    this.sharingToken = config.shared === true ? (options.sharingToken ?? newToken()) : undefined;
    this.journal = journal;
    this.databases = databases;
    this.ownThread = parts.ownThread;
    this.queue = newQueue(config, options, clock, { journal, databases });
    this.leases = new Leases(databases, config.dataFolder);
    this.server = this.newServer(options);
    this.file =
      this.sharingToken === undefined
        ? undefined
        : new ServiceFile(config.dataFolder, { token, sharingToken: this.sharingToken });
    const isInUse = (): boolean => this.leases.count + this.queue.activeCount > 0;
    this.idle = new IdleEnd(clock, options.idleMs ?? 60_000, isInUse, () => this.endUnused());
    let tellEnd: (end: ServiceEnd) => void = () => undefined;
    this.ended = new Promise((resolve) => (tellEnd = resolve));
    this.tellEnd = tellEnd;
  }

  get address(): string {
    return this.baseAddress;
  }

  private newServer({ logger, onAccess, bodyTimeLimitMs = 30_000 }: ServiceOptions): ApiServer {
    const { config, databases, clock, token, sharingToken } = this;
    const isStopping = (): boolean => this.stopping !== undefined;
    const sharing = {
      isShared: config.shared === true,
      leases: this.leases,
      state: () => this.state(),
      stop: async (isReplaced: boolean) => await this.stop(isReplaced),
    };
    const health = new Health({ databases, dataFolder: config.dataFolder, clock, logger, isStopping });
    return new ApiServer({
      routes: serviceRoutes({ databases, queue: this.queue, sharing, health }),
      token,
      sharingToken,
      trustedHosts: config.trustedHosts ?? [],
      onAccess,
      limits: { maxBytes: maxBodyBytes, timeLimitMs: bodyTimeLimitMs },
      logger,
    });
  }

  /** Rejects when it cannot listen, or cannot tell of itself; then it has closed what it opened. */
  async start(): Promise<void> {
    try {
      this.baseAddress = await this.server.listen(this.config.port ?? 0);
      this.queue.start();
      if (this.file !== undefined) await this.share(this.file);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.stop(false);
    await this.ended;
  }

  private async share(file: ServiceFile): Promise<void> {
    await file.write(this.address);
    this.logger.info(`The service ${serviceVersion} listens at ${this.address}.`);
    this.leases.onDidChange(() => this.idle.check());
    this.queue.onDidChangeActivity(() => this.idle.check());
    this.idle.check();
  }

  private endUnused(): void {
    this.logger.info('Nobody uses the service any longer.');
    void this.stop(false);
  }

  /** Resolves when nothing is held any more; the last answers may still go out. */
  private async stop(isReplaced: boolean): Promise<void> {
    if (this.stopping === undefined) {
      this.stopping = this.putAway(isReplaced);
      void this.stopping.then(async (end) => await this.server.close().finally(() => this.tellEnd(end)));
    }
    await this.stopping;
  }

  /**
   * In this order: who finds the file knows that the service runs or has crashed, and who sees its lease end knows that
   * the next service can start. Never rejects, and doesn't wait for a disk that doesn't answer.
   */
  private async putAway(isReplaced: boolean): Promise<ServiceEnd> {
    this.idle.dispose();
    this.server.stopListening();
    const isClean = await settlesWithin(this.clock, stopLimitMs, this.endWork());
    if (!isClean) this.logger.warn('A disk does not answer. Stopping without it; transfers resume at the next start.');
    this.file?.remove();
    try {
      this.journal.close();
    } catch (error) {
      this.logger.error(`The journal could not be closed: ${String(error)}`);
    }
    this.leases.end(isReplaced ? 'replaced' : 'stopped');
    return isClean ? 'clean' : 'abandoned';
  }

  private async endWork(): Promise<void> {
    try {
      await this.queue.close();
      await this.databases.close();
      await this.ownThread?.end();
    } catch (error) {
      this.logger.error(`The service could not stop cleanly: ${String(error)}`);
    }
  }

  private state(): ServiceState {
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

function newQueue(
  config: ServiceConfig,
  options: ServiceOptions,
  clock: Clock,
  parts: Pick<OpenedParts, 'journal' | 'databases'>,
): TransferQueue {
  return new TransferQueue({
    ...parts,
    clock,
    logger: options.logger,
    retentionMs: (config.retentionDays ?? 7) * dayMs,
    retryDelayMs: options.retryDelayMs ?? 3_000,
    ...(config.throttleBytesPerSecond === undefined ? {} : { throttleBytesPerSecond: config.throttleBytesPerSecond }),
  });
}
