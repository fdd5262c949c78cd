import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import * as nodePath from 'node:path';
import { systemClock, type Clock } from '../core/util/clock.ts';
import type { Logger } from '../core/util/logger.ts';
import { Catalog } from './catalog/catalog.ts';
import { describeDatabases, type ServedDatabase } from './catalog/databases.ts';
import type { TextMode } from './catalog/catalogTables.ts';
import { CatalogThread } from './catalog/catalogThread.ts';
import type { ServiceConfig } from './config.ts';
import { serviceRoutes } from './routes.ts';
import { ApiServer } from './server.ts';
import { TransferJournal } from './transfers/journal.ts';
import { TransferQueue } from './transfers/transferQueue.ts';

/** What may be set beside the configuration; left out, it is what a person's service has. */
export interface ServiceOptions {
  readonly logger: Logger;
  readonly token?: string;
  readonly clock?: Clock;
  /** The thread of the catalogues, which then outlives the service; left out, the service has its own. */
  readonly catalogThread?: CatalogThread;
  /** How a catalogue finds words; left out, the best that the runtime has. */
  readonly textMode?: TextMode;
  /** How long a request's body may take, in milliseconds. */
  readonly bodyTimeLimitMs?: number;
  /** How long a suspended transfer waits before it looks again, in milliseconds. */
  readonly retryDelayMs?: number;
}

/** A service that listens. */
export interface RunningService {
  readonly address: string;
  readonly token: string;
  /** Stops at once; transfers go on at the next start. */
  close(): Promise<void>;
}

const dayMs = 86_400_000;
const maxBodyBytes = 8 * 1024 * 1024;

/** A new random token (D26). */
export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** Starts the service: opens the journal, begins to read the folders, listens, and goes on with what had not ended. */
export async function startService(config: ServiceConfig, options: ServiceOptions): Promise<RunningService> {
  const clock = options.clock ?? systemClock;
  const token = options.token ?? newToken();
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const journal = new TransferJournal(nodePath.join(config.dataFolder, 'journal.db'));
  const catalogThread = options.catalogThread ?? new CatalogThread(options.logger);
  const databases = openDatabases(config, options, catalogThread);
  const queue = new TransferQueue({
    journal,
    databases,
    clock,
    logger: options.logger,
    retentionMs: (config.retentionDays ?? 7) * dayMs,
    retryDelayMs: options.retryDelayMs ?? 3_000,
    ...(config.throttleBytesPerSecond === undefined ? {} : { throttleBytesPerSecond: config.throttleBytesPerSecond }),
  });
  const server = new ApiServer({
    routes: serviceRoutes(databases, queue),
    token,
    limits: { maxBytes: maxBodyBytes, timeLimitMs: options.bodyTimeLimitMs ?? 30_000 },
    logger: options.logger,
  });
  const close = async (): Promise<void> => {
    await server.close();
    await queue.close();
    await Promise.all(databases.map(async (database) => await database.catalog.close()));
    if (options.catalogThread === undefined) await catalogThread.end();
    journal.close();
  };
  try {
    const address = await server.listen(config.port ?? 0);
    await Promise.all(databases.map(async (database) => await database.catalog.start()));
    queue.start();
    return { address, token, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openDatabases(config: ServiceConfig, options: ServiceOptions, thread: CatalogThread): ServedDatabase[] {
  const documents = describeDatabases(config.databases);
  return config.databases.map((database, index) => {
    const document = documents[index];
    if (document === undefined) throw new RangeError(`No description of database ${index}`);
    const catalog = new Catalog({
      name: document.name,
      folder: database.folder,
      file: nodePath.join(config.dataFolder, 'catalog', `${document.id}.db`),
      thread,
      logger: options.logger,
      ...(options.textMode === undefined ? {} : { textMode: options.textMode }),
    });
    return { document, folder: database.folder, catalog };
  });
}
