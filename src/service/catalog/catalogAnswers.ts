import { systemClock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { CatalogFile, HashedFile, ReadFile } from './catalogFile.ts';
import { FolderCatalog, type FolderCatalogPlan } from './folderCatalog.ts';
import type { AskedReader } from './folderReader.ts';
import type { SearchPage } from './searchPage.ts';
import type { CatalogSearch } from './searchSql.ts';

/** What the thread of the catalogues can be asked for; `key` names one of them. */
export class CatalogAnswers {
  private readonly catalogs = new Map<string, FolderCatalog>();
  private readonly reader: AskedReader;
  private readonly logger: Logger;

  constructor(reader: AskedReader, logger: Logger) {
    this.reader = reader;
    this.logger = logger;
  }

  /** Opens a catalogue and begins to read its folder. */
  open(key: string, plan: FolderCatalogPlan): void {
    const catalog = new FolderCatalog(plan, { reader: this.reader, clock: systemClock, logger: this.logger });
    this.catalogs.set(key, catalog);
    catalog.start();
  }

  async search(key: string, wanted: CatalogSearch): Promise<SearchPage> {
    return await this.of(key).search(wanted);
  }

  async filesByIds(key: string, ids: readonly string[]): Promise<readonly (CatalogFile | undefined)[]> {
    return await this.of(key).filesByIds(ids);
  }

  heldHashes(key: string, paths: readonly string[]): readonly (HashedFile | undefined)[] {
    return this.of(key).heldHashes(paths);
  }

  holdHashes(key: string, files: readonly ReadFile[]): void {
    this.of(key).holdHashes(files);
  }

  unsettle(key: string, under: string): void {
    this.of(key).unsettle(under);
  }

  settle(key: string, under: string): void {
    this.of(key).settle(under);
  }

  async rescan(key: string, under: string): Promise<void> {
    await this.of(key).rescan(under);
  }

  async close(key: string): Promise<void> {
    const catalog = this.catalogs.get(key);
    this.catalogs.delete(key);
    await catalog?.close();
  }

  private of(key: string): FolderCatalog {
    const catalog = this.catalogs.get(key);
    if (catalog === undefined) throw new Error('This catalogue is closed.');
    return catalog;
  }
}
