import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { Clock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { CatalogThread } from '../catalog/catalogThread.ts';
import type { TextMode } from '../catalog/catalogTables.ts';
import type { ServiceConfig } from '../config.ts';
import type { TransferJournal } from '../transfers/journal.ts';
import { DatabaseRegistry } from './databaseRegistry.ts';
import { KnownFolders } from './knownFolders.ts';

/** What the databases need of the service. */
interface Surroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly thread: CatalogThread;
  readonly textMode?: TextMode;
}

/** Folders that nobody asked for in so long are forgotten, and their catalogues removed. */
const forgetAfterMs = 180 * 86_400_000;

/** Opens the registry of databases and serves those of the configuration, as long as the service runs. */
export async function openDatabases(
  config: ServiceConfig,
  { clock, logger, thread, textMode }: Surroundings,
  journal: TransferJournal,
): Promise<DatabaseRegistry> {
  const catalogFolder = nodePath.join(config.dataFolder, 'catalog');
  const file = nodePath.join(config.dataFolder, 'databases.json');
  const known = await KnownFolders.open({ file, clock, logger });
  const needed = new Set(journal.unfinished().flatMap(({ sourceId, destinationId }) => [sourceId, destinationId]));
  const forgotten = known.forgetUnused(clock.now() - forgetAfterMs, (id) => needed.has(id));
  for (const id of forgotten) await removeCatalog(catalogFolder, id);
  const databases = new DatabaseRegistry({
    known,
    catalogFolder,
    thread,
    logger,
    ...(textMode === undefined ? {} : { textMode }),
  });
  await databases.serve(config.databases, true);
  return databases;
}

async function removeCatalog(folder: string, id: string): Promise<void> {
  for (const ending of ['.db', '.db-wal', '.db-shm', '.db-journal']) {
    await fs.rm(nodePath.join(folder, id + ending), { force: true });
  }
}
