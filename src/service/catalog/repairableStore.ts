import type { Logger } from '../../core/util/logger.ts';
import { CatalogStore } from './catalogStore.ts';
import { removeCatalogFile, type openCatalogFile } from './catalogTables.ts';

interface RepairableStoreOptions {
  readonly name: string;
  readonly file: string;
  readonly logger: Logger;
  readonly openFile?: typeof openCatalogFile | undefined;
}

/**
 * Manages a database's catalog file, and recreates it if it is corrupt. Scans restore everything except cached hashes.
 */
export class RepairableStore {
  private readonly options: RepairableStoreOptions;
  private current: CatalogStore;

  /** Opens or creates the catalog file. Throws if neither is possible. */
  constructor(options: RepairableStoreOptions) {
    this.options = options;
    this.current = this.open();
  }

  get store(): CatalogStore {
    return this.current;
  }

  /** Returns true if the catalog is usable. If it is closed, first tries to replace it with an empty one. */
  ensureOpen(): boolean {
    return this.current.isOpen || this.recreate();
  }

  /** Replaces the catalog with an empty one if an error indicates that it is corrupt. Never throws. */
  repair(error: unknown): void {
    if (this.current.isBrokenBy(error)) this.reset();
  }

  /** Replaces the catalog with an empty one; leaves it closed if that fails. Never throws. */
  reset(): void {
    this.current.close();
    this.recreate();
  }

  close(): void {
    this.current.close();
  }

  private recreate(): boolean {
    const { name, file, logger } = this.options;
    try {
      removeCatalogFile(file);
      this.current = this.open();
      return true;
    } catch (error) {
      logger.warn(`The catalog of ${name} cannot be recreated: ${String(error)}`);
      return false;
    }
  }

  private open(): CatalogStore {
    return new CatalogStore(this.options.file, this.options.openFile);
  }
}
