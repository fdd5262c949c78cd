import * as nodePath from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../core/util/clock.ts';
import { Emitter, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { toFolderRemote } from '../../core/util/remote.ts';
import { Catalog, type CatalogThread } from '../catalog/catalog.ts';
import {
  isReadOnly,
  type DatabaseLocation,
  type ServedDatabase,
  type ServedDatabases,
} from '../catalog/servedDatabases.ts';
import type { DatabaseConfig, ServiceConfig } from '../config.ts';
import { removeSqliteFile } from '../sqlite.ts';
import type { StoreSettings } from '../stores/storeCatalog.ts';
import type { TransferJournal } from '../transfers/journal.ts';
import { KnownFolders, type DatabaseIdentity } from './knownFolders.ts';

interface RegistryOptions {
  readonly knownFolders: KnownFolders;
  readonly catalogFolder: string;
  /** The thread that runs all catalogs. The registry does not terminate it. */
  readonly thread: CatalogThread;
  readonly logger: Logger;
  /** The configured path to rclone, if any (D62: stores through rclone). */
  readonly rclone?: string | undefined;
}

/** A set of served folders and stores; dispose it to release them. */
export interface DatabaseServing extends Disposable {
  /** The databases in the requested order, without duplicates. */
  readonly databases: readonly ServedDatabase[];
}

interface Entry {
  served: ServedDatabase;
  /** Number of {@link DatabaseServing}s and of queued or running transfers that use the database. */
  uses: number;
}

interface Serving {
  readonly ids: readonly string[];
  /** IDs of the databases that are served as read-only (D43: read-only databases). */
  readonly readOnlyIds: readonly string[];
}

interface RequestedDatabase {
  readonly config: DatabaseConfig;
  readonly identity: DatabaseIdentity;
}

/** Manages databases, open while configured, leased (D29: shared service) or used by a transfer. */
export class DatabaseRegistry implements ServedDatabases {
  private readonly options: RegistryOptions;
  private readonly entries = new Map<string, Entry>();
  private readonly servings = new Set<Serving>();
  private readonly closing = new Map<string, Promise<void>>();
  private readonly changed = new Emitter<void>();
  private lastServing: Promise<unknown> = Promise.resolve();

  /** Fires when databases are added, removed or changed. */
  readonly onDidChange = this.changed.event;

  constructor(options: RegistryOptions) {
    this.options = options;
  }

  list(): readonly ServedDatabase[] {
    const ids = new Set([...[...this.servings].reverse().flatMap(({ ids }) => ids), ...this.entries.keys()]);
    return [...ids].flatMap((id) => this.findById(id) ?? []);
  }

  find(nameOrId: string): ServedDatabase | undefined {
    for (const { served } of this.entries.values()) if (served.document.name === nameOrId) return served;
    return this.findById(nameOrId);
  }

  findById(id: string): ServedDatabase | undefined {
    return this.entries.get(id)?.served;
  }

  /**
   * Serves folders and stores until the result is disposed. With `isExact`, names are used as requested; otherwise, a
   * number is appended to a name that is already in use. Rejects if the names cannot be saved.
   */
  async serve(configs: readonly DatabaseConfig[], isExact = false): Promise<DatabaseServing> {
    const serving = this.lastServing.then(async () => await this.serveNow(configs, isExact));
    this.lastServing = serving.catch(() => undefined);
    return await serving;
  }

  /** Keeps databases open until the result is disposed. Ignores IDs that are not served. */
  retain(ids: readonly string[]): Disposable {
    const retained = ids.filter((id) => this.entries.has(id));
    for (const id of retained) this.use(id, 1);
    return { dispose: () => this.release(retained.splice(0)) };
  }

  async close(): Promise<void> {
    await this.lastServing;
    this.changed.dispose();
    for (const id of [...this.entries.keys()]) this.remove(id);
    await Promise.all(this.closing.values());
  }

  private async serveNow(configs: readonly DatabaseConfig[], isExact: boolean): Promise<DatabaseServing> {
    const requested = await this.identify(configs, isExact);
    await this.options.knownFolders.save();
    const ids = [...requested.keys()];
    // A catalog must finish closing before it can be reopened. Other catalogs may start to close during the wait.
    while (ids.some((id) => this.closing.has(id))) for (const id of ids) await this.closing.get(id);
    const changed = [...requested.values()].filter((database) => this.updateEntry(database));
    for (const database of changed) this.logOtherName(database);
    for (const id of ids) this.use(id, 1);
    const readOnlyIds = ids.filter((id) => requested.get(id)?.config.readOnly === true);
    const serving = { ids, readOnlyIds };
    this.servings.add(serving);
    if (changed.length > 0) this.changed.fire();
    await Promise.all(ids.map(async (id) => await this.startCatalog(id)));
    return { databases: ids.flatMap((id) => this.findById(id) ?? []), dispose: () => this.endServing(serving) };
  }

  /** Returns the requested databases by ID. Configured IDs come first, so that generated ones differ. */
  private async identify(
    configs: readonly DatabaseConfig[],
    isExact: boolean,
  ): Promise<Map<string, RequestedDatabase>> {
    const isServed = (id: string): boolean => this.entries.has(id);
    const identities = new Map<DatabaseConfig, DatabaseIdentity>();
    for (const config of [...configs.filter(({ id }) => id), ...configs.filter(({ id }) => id === undefined)]) {
      identities.set(config, await this.options.knownFolders.identify(config, isServed, isExact));
    }
    const requested = new Map<string, RequestedDatabase>();
    for (const config of configs) {
      const identity = identities.get(config);
      if (identity !== undefined && !requested.has(identity.id)) requested.set(identity.id, { config, identity });
    }
    return requested;
  }

  /** Adds or updates an entry. Returns true if the entry is new or its document has changed. */
  private updateEntry({ config, identity: { id, name } }: RequestedDatabase): boolean {
    const entry = this.entries.get(id);
    const location: DatabaseLocation = entry?.served.location ?? pickLocation(config);
    // One read-only request makes the database read-only for everyone, until nobody serves it as read-only anymore.
    const wasReadOnly = entry !== undefined && isReadOnly(entry.served);
    const readOnly = config.readOnly === true || wasReadOnly;
    const organization = config.organization ?? '';
    const url = entry?.served.document.url ?? toLocationUrl(config);
    const document = { id, name, organization, url, ...(readOnly && { readOnly: true }) };
    if (entry === undefined) {
      const catalog = this.createCatalog(config, document);
      this.entries.set(id, { served: { document, location, catalog, restore: config.restore }, uses: 0 });
      return true;
    }
    const { document: old, catalog } = entry.served;
    void catalog.configure(getStoreSettings(config));
    entry.served = { ...entry.served, restore: config.restore };
    if (old.name === name && old.organization === organization && wasReadOnly === readOnly) return false;
    entry.served = { ...entry.served, document };
    return true;
  }

  private logOtherName({ config, identity: { name } }: RequestedDatabase): void {
    if (name === config.name) return;
    const reason = `because another folder or store already had the name "${config.name}"`;
    this.options.logger.warn(`${config.folder ?? config.remote} is served as "${name}", ${reason}.`);
  }

  /** Starts a catalog. Only logs a failure, because each later request tries again. */
  private async startCatalog(id: string): Promise<void> {
    try {
      await this.findById(id)?.catalog.start();
    } catch (error) {
      this.options.logger.error(`The catalog of ${id} cannot be opened: ${String(error)}`);
    }
  }

  private createCatalog(config: DatabaseConfig, { id, name }: DatabaseIdentity): Catalog {
    const { catalogFolder, thread, logger, rclone } = this.options;
    const [file, storeFile] = getCatalogFiles(catalogFolder, id);
    const { folder, remote } = config;
    if (folder !== undefined) return new Catalog({ name, folder, file, thread, logger });
    const store = { remote, rclone, ...getStoreSettings(config) };
    return new Catalog({ name, ...store, file: storeFile, thread, logger });
  }

  private endServing(serving: Serving): void {
    if (!this.servings.delete(serving)) return;
    const isServedReadOnly = (id: string): boolean =>
      [...this.servings].some(({ readOnlyIds }) => readOnlyIds.includes(id));
    const writable = serving.readOnlyIds.filter((id) => !isServedReadOnly(id));
    for (const id of writable) this.makeWritable(id);
    this.release(serving.ids, writable.length > 0);
  }

  private makeWritable(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    const { readOnly, ...document } = entry.served.document;
    entry.served = { ...entry.served, document };
  }

  private use(id: string, change: 1 | -1): void {
    const entry = this.entries.get(id);
    if (entry !== undefined) entry.uses += change;
  }

  private release(ids: readonly string[], hasChanged = false): void {
    for (const id of ids) this.use(id, -1);
    const unused = ids.filter((id) => this.entries.get(id)?.uses === 0);
    for (const id of unused) this.remove(id);
    if (hasChanged || unused.length > 0) this.changed.fire();
  }

  private remove(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    const closing = entry.served.catalog
      .close()
      .catch((error: unknown) => this.options.logger.error(`A catalog could not be closed: ${String(error)}`))
      .finally(() => this.closing.delete(id));
    this.closing.set(id, closing);
  }
}

const defaultRescanMinutes = 60;

function getStoreSettings({ folder, restore, ...config }: DatabaseConfig): StoreSettings {
  const minutes = folder === undefined && 'rescanMinutes' in config ? config.rescanMinutes : undefined;
  return { rescanMs: (minutes ?? defaultRescanMinutes) * 60_000, hasRestore: restore !== undefined };
}

function pickLocation({ folder, remote }: DatabaseConfig): DatabaseLocation {
  return folder === undefined ? { remote: toFolderRemote(remote) } : { folder };
}

/** Returns the URL of a database: `file:` for a folder, `rclone:` for a store. */
function toLocationUrl({ folder, remote }: DatabaseLocation): string {
  return folder === undefined ? `rclone:${encodeURI(remote)}` : pathToFileURL(folder + nodePath.sep).href;
}

/** Returns the paths of a database's possible catalog files: one for a folder and one for a store. */
function getCatalogFiles(catalogFolder: string, id: string): readonly [folder: string, store: string] {
  return [nodePath.join(catalogFolder, `${id}.db`), nodePath.join(catalogFolder, `${id}.store.db`)];
}

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

/** Opens the registry, forgets what was not requested for long, and serves the configured databases. */
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
  for (const file of removed.flatMap((id) => getCatalogFiles(catalogFolder, id))) removeSqliteFile(file);
  const { rclone } = config;
  const databases = new DatabaseRegistry({ knownFolders: known, catalogFolder, thread, logger, rclone });
  await databases.serve(config.databases, true);
  return databases;
}
