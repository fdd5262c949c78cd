import * as nodePath from 'node:path';
import type { Clock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { CatalogThread } from '../catalog/catalog.ts';
import { removeCatalogFile } from '../catalog/catalogTables.ts';
import type { ServiceConfig } from '../config.ts';
import type { TransferJournal } from '../transfers/journal.ts';
import { DatabaseRegistry, getCatalogFiles } from './databaseRegistry.ts';
import { KnownFolders } from './knownFolders.ts';

interface OpenDatabasesDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly thread: CatalogThread;
}

/**
 * Time after which a folder or store that is no longer requested is forgotten and its catalog deleted. Doesn't apply to
 * configured folders and stores, or to those that an unfinished transfer needs.
 */
const retentionMs = 180 * 86_400_000;

/**
 * Opens the registry, forgets folders and stores that have not been requested for a long time, and serves the
 * configured databases.
 */
export async function openDatabases(
  config: ServiceConfig,
  { clock, logger, thread }: OpenDatabasesDependencies,
  journal: TransferJournal,
): Promise<DatabaseRegistry> {
  const catalogFolder = nodePath.join(config.dataFolder, 'catalog');
  const file = nodePath.join(config.dataFolder, 'databases.json');
  const known = await KnownFolders.open({ file, clock, logger });
  const unfinished = journal.listUnfinished().flatMap(({ sourceId, destinationId }) => [sourceId, destinationId]);
  const needed = new Set([...unfinished, ...(await known.findIds(config.databases))]);
  const removed = known.forgetUnused(clock.now() - retentionMs, (id) => needed.has(id));
  for (const file of removed.flatMap((id) => getCatalogFiles(catalogFolder, id))) removeCatalogFile(file);
  const { rclone } = config;
  const databases = new DatabaseRegistry({ knownFolders: known, catalogFolder, thread, logger, rclone });
  await databases.serve(config.databases, true);
  return databases;
}
