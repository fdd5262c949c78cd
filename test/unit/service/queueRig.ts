import * as nodePath from 'node:path';
import type { Clock } from '../../../src/core/util/clock.ts';
import { CatalogThread } from '../../../src/service/catalog/catalog.ts';
import { DatabaseRegistry } from '../../../src/service/databases/databaseRegistry.ts';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
import { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import type { MemoryLog } from '../../support/memoryLog.ts';

interface QueueRig {
  readonly databases: DatabaseRegistry;
  readonly daemon: RcloneDaemon;
  /** The thread that all catalogs share. The test must end this thread. */
  readonly thread: CatalogThread;
}

/** Creates the dependencies of a transfer queue, except for its journal. All files are in `folder`. */
export async function createQueueRig(folder: string, clock: Clock, logger: MemoryLog): Promise<QueueRig> {
  const file = nodePath.join(folder, 'databases.json');
  const knownFolders = await KnownFolders.open({ file, clock, logger });
  const thread = new CatalogThread(logger);
  return {
    databases: new DatabaseRegistry({ knownFolders, catalogFolder: folder, thread, logger }),
    daemon: new RcloneDaemon({ rclone: undefined, clock, logger, stagingFolder: nodePath.join(folder, 'staging') }),
    thread,
  };
}
