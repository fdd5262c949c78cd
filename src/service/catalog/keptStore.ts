import type { Logger } from '../../core/util/logger.ts';
import { CatalogStore } from './catalogStore.ts';
import type { openCatalogFile } from './catalogTables.ts';
import { removeCatalogFile, type TextMode } from './catalogTables.ts';

interface KeptStoreOptions {
  /** The name of the database, for the log. */
  readonly name: string;
  readonly file: string;
  readonly textMode?: TextMode | undefined;
  readonly logger: Logger;
  readonly openFile?: typeof openCatalogFile | undefined;
}

/** A catalogue that is made anew when its file turns out to be broken: it holds nothing that the folder does not. */
export class KeptStore {
  private readonly options: KeptStoreOptions;
  private current: CatalogStore;

  /** Throws when the file can neither be opened nor made. */
  constructor(options: KeptStoreOptions) {
    this.options = options;
    this.current = this.open();
  }

  /** As it is now; another one after it was made anew. */
  get store(): CatalogStore {
    return this.current;
  }

  /** Whether it can be used, by now if it could not before. */
  ensureOpen(): boolean {
    return this.current.isOpen || this.renew();
  }

  /** Makes it anew, empty, when an error tells that it is broken. Never throws. */
  mend(error: unknown): void {
    if (!this.current.isBrokenBy(error)) return;
    this.current.close();
    this.renew();
  }

  close(): void {
    this.current.close();
  }

  private renew(): boolean {
    const { name, file, logger } = this.options;
    try {
      removeCatalogFile(file);
      this.current = this.open();
      return true;
    } catch (error) {
      logger.warn(`The catalogue of ${name} cannot be made anew: ${String(error)}`);
      return false;
    }
  }

  private open(): CatalogStore {
    const { file, textMode, openFile } = this.options;
    return new CatalogStore(file, textMode, openFile);
  }
}
