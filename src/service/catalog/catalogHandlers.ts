import { systemClock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import { StoreCatalog, type StoreCatalogConfig } from '../stores/storeCatalog.ts';
import { collectGarbage } from '../threads/collectGarbage.ts';
import { databaseClosingCode, DatabaseUnavailableError } from './databaseUnavailableError.ts';
import { QueryTurns } from './catalogStore.ts';
import { FolderCatalog, type FolderCatalogConfig } from './folderCatalog.ts';
import type { AsyncFolderReader } from './folderReader.ts';

/** Names of the catalog methods that other threads call. */
export type CatalogMethod =
  | 'search'
  | 'filesByIds'
  | 'getCachedHashes'
  | 'cacheHashes'
  | 'pauseTracking'
  | 'resumeTracking'
  | 'rescan'
  | 'getListing'
  | 'getLeftOut'
  | 'configure';

/** The methods of every catalog, and `configure`, which only a store's catalog has. */
export type CatalogMethods = Pick<FolderCatalog, Exclude<CatalogMethod, 'configure' | 'getListing'>> &
  Pick<StoreCatalog, 'configure'> & { getListing(): ReturnType<(FolderCatalog | StoreCatalog)['getListing']> };

/** The configuration of a catalog: that of a folder or of a store. */
export type CatalogConfig = FolderCatalogConfig | StoreCatalogConfig;

/** The state of the catalogs after their thread was idle; `busy` means that nothing was done. */
type RestState = 'busy' | 'open' | 'closed';

/** Handles calls to the catalog thread; `key` identifies a catalog. */
export class CatalogHandlers {
  private readonly catalogs = new Map<string, FolderCatalog | StoreCatalog>();
  private readonly turns = new QueryTurns();
  private readonly reader: AsyncFolderReader;
  private readonly logger: Logger;

  constructor(reader: AsyncFolderReader, logger: Logger) {
    this.reader = reader;
    this.logger = logger;
  }

  open(key: string, config: CatalogConfig): void {
    const dependencies = { clock: systemClock, logger: this.logger, turns: this.turns };
    const catalog =
      'remote' in config
        ? new StoreCatalog(config, dependencies)
        : new FolderCatalog(config, { ...dependencies, reader: this.reader });
    this.catalogs.set(key, catalog);
    catalog.start();
  }

  /** Rejects with {@link DatabaseUnavailableError} if the catalog is closed before or meanwhile. */
  async call(key: string, method: CatalogMethod, args: readonly unknown[]): Promise<unknown> {
    const catalog = this.catalogs.get(key);
    try {
      if (catalog === undefined) throw new Error('The catalog is not open.');
      return await ((catalog as CatalogMethods)[method] as (...values: readonly unknown[]) => unknown).apply(catalog, [
        ...args,
      ]);
    } catch (error) {
      const isOpen = catalog !== undefined && this.catalogs.get(key) === catalog;
      throw isOpen ? error : new DatabaseUnavailableError('The catalog is closed.', databaseClosingCode);
    }
  }

  /**
   * Returns memory to the system unless a catalog is busy. Closes all catalogs, so that the thread can end, if none of
   * them has to stay open.
   */
  async rest(): Promise<RestState> {
    const catalogs = [...this.catalogs.values()];
    if (catalogs.some(({ isBusy }) => isBusy)) return 'busy';
    if (catalogs.every(({ canReopen }) => canReopen)) {
      this.catalogs.clear();
      await Promise.all(catalogs.map(async (catalog) => await catalog.close()));
      return 'closed';
    }
    for (const catalog of catalogs) catalog.shrink();
    collectGarbage();
    return 'open';
  }

  async close(key: string): Promise<void> {
    const catalog = this.catalogs.get(key);
    this.catalogs.delete(key);
    await catalog?.close();
  }
}
