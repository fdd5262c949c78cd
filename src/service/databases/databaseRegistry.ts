import * as nodePath from 'node:path';
import { pathToFileURL } from 'node:url';
import { Emitter } from '../../core/util/emitter.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import type { CatalogThread } from '../catalog/catalogThread.ts';
import type { TextMode } from '../catalog/catalogTables.ts';
import type { DatabaseConfig } from '../config.ts';
import type { Identity, KnownFolders } from './knownFolders.ts';

/** What a {@link DatabaseRegistry} works with. */
interface RegistryOptions {
  readonly known: KnownFolders;
  /** The folder that the catalogues are kept in. */
  readonly catalogFolder: string;
  /** The thread that all catalogues live in; ended by whoever began it. */
  readonly thread: CatalogThread;
  readonly logger: Logger;
  readonly textMode?: TextMode;
}

/** Folders that are served for somebody, until that one has no more use for them. */
export interface Serving extends Disposable {
  /** In the order of the wishes; a folder that was wished for twice is there once. */
  readonly databases: readonly ServedDatabase[];
}

interface Entry {
  served: ServedDatabase;
  /** How many need it: servings, and transfers that run. */
  uses: number;
}

interface Wanted {
  readonly wish: DatabaseConfig;
  readonly identity: Identity;
}

/**
 * The databases that are served now. Each stays as long as anybody needs it: the configuration, a lease (D29), or a
 * transfer that runs. The same folder is the same database, however many wish for it.
 */
export class DatabaseRegistry implements ServedDatabases {
  private readonly options: RegistryOptions;
  private readonly entries = new Map<string, Entry>();
  private readonly servings = new Set<readonly string[]>();
  private readonly closing = new Map<string, Promise<void>>();
  private readonly changed = new Emitter<void>();
  private turn: Promise<unknown> = Promise.resolve();

  /** Fires when databases have come, gone, or got another name. */
  readonly onDidChange = this.changed.event;

  constructor(options: RegistryOptions) {
    this.options = options;
  }

  list(): readonly ServedDatabase[] {
    const ids = new Set([...[...this.servings].reverse().flat(), ...this.entries.keys()]);
    return [...ids].flatMap((id) => this.byId(id) ?? []);
  }

  find(nameOrId: string): ServedDatabase | undefined {
    for (const { served } of this.entries.values()) if (served.document.name === nameOrId) return served;
    return this.byId(nameOrId);
  }

  byId(id: string): ServedDatabase | undefined {
    return this.entries.get(id)?.served;
  }

  /**
   * Serves folders until the serving is disposed. With `isExact` names are taken as they are wished, which must be
   * unique; else one that another folder has gets a number. Rejects when the names cannot be written down.
   */
  async serve(wishes: readonly DatabaseConfig[], isExact = false): Promise<Serving> {
    const serving = this.turn.then(async () => await this.serveNow(wishes, isExact));
    this.turn = serving.catch(() => undefined);
    return await serving;
  }

  /** Keeps those of these databases that are served now from going, until it is disposed. */
  keep(ids: readonly string[]): Disposable {
    const kept = ids.filter((id) => this.entries.has(id));
    for (const id of kept) this.use(id, 1);
    let isKept = true;
    return {
      dispose: () => {
        if (!isKept) return;
        isKept = false;
        this.release(kept);
      },
    };
  }

  /** Closes all catalogues; nothing is served any more. */
  async close(): Promise<void> {
    await this.turn;
    this.changed.dispose();
    for (const id of [...this.entries.keys()]) this.remove(id);
    await Promise.all(this.closing.values());
  }

  private async serveNow(wishes: readonly DatabaseConfig[], isExact: boolean): Promise<Serving> {
    const wanted = await this.identify(wishes, isExact);
    await this.options.known.save();
    const ids = [...wanted.keys()];
    // One that is going is opened again only when its file is closed.
    for (const id of ids) await this.closing.get(id);
    const isNew = [...wanted.values()].map(({ wish, identity }) => this.open(wish, identity)).includes(true);
    for (const id of ids) this.use(id, 1);
    this.servings.add(ids);
    if (isNew) this.changed.fire();
    await Promise.all(ids.map(async (id) => await this.begin(id)));
    return { databases: ids.flatMap((id) => this.byId(id) ?? []), dispose: () => this.end(ids) };
  }

  /** By id, in the order of the wishes. Those that name their id come first to it. */
  private async identify(wishes: readonly DatabaseConfig[], isExact: boolean): Promise<Map<string, Wanted>> {
    const isServed = (id: string): boolean => this.entries.has(id);
    const identities = new Map<DatabaseConfig, Identity>();
    for (const wish of [...wishes.filter(({ id }) => id), ...wishes.filter(({ id }) => id === undefined)]) {
      identities.set(wish, await this.options.known.identify(wish, isServed, isExact));
    }
    const wanted = new Map<string, Wanted>();
    for (const wish of wishes) {
      const identity = identities.get(wish);
      if (identity !== undefined && !wanted.has(identity.id)) wanted.set(identity.id, { wish, identity });
    }
    return wanted;
  }

  /** True when what is served is not as it was. */
  private open(wish: DatabaseConfig, { id, name }: Identity): boolean {
    const before = this.entries.get(id);
    const folder = before?.served.folder ?? wish.folder;
    const url = pathToFileURL(folder + nodePath.sep).href;
    // Whoever serves it as read-only has a reason that holds for all.
    const isReadOnly = wish.readOnly === true || before?.served.document['readOnly'] === true;
    const organization = wish.organization ?? '';
    const document = { id, name, organization, url, ...(isReadOnly && { readOnly: true }) };
    if (before === undefined) {
      const catalog = this.newCatalog(folder, document);
      this.entries.set(id, { served: { document, folder, catalog }, uses: 0 });
      return true;
    }
    const { document: old } = before.served;
    const isSame = old.name === name && old.organization === organization && (old['readOnly'] === true) === isReadOnly;
    if (isSame) return false;
    before.served = { ...before.served, document };
    return true;
  }

  /** A catalogue that cannot be opened answers for itself; it does not keep the other folders from being served. */
  private async begin(id: string): Promise<void> {
    try {
      await this.byId(id)?.catalog.start();
    } catch (error) {
      this.options.logger.error(`The catalogue of ${id} cannot be opened: ${String(error)}`);
    }
  }

  private newCatalog(folder: string, { id, name }: Identity): Catalog {
    const { catalogFolder, thread, logger, textMode } = this.options;
    const file = nodePath.join(catalogFolder, `${id}.db`);
    return new Catalog({ name, folder, file, thread, logger, ...(textMode === undefined ? {} : { textMode }) });
  }

  private end(ids: readonly string[]): void {
    if (this.servings.delete(ids)) this.release(ids);
  }

  private use(id: string, change: 1 | -1): void {
    const entry = this.entries.get(id);
    if (entry !== undefined) entry.uses += change;
  }

  private release(ids: readonly string[]): void {
    for (const id of ids) this.use(id, -1);
    const unused = ids.filter((id) => this.entries.get(id)?.uses === 0);
    for (const id of unused) this.remove(id);
    if (unused.length > 0) this.changed.fire();
  }

  private remove(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    const closing = entry.served.catalog
      .close()
      .catch((error: unknown) => this.options.logger.error(`A catalogue could not be closed: ${String(error)}`))
      .finally(() => this.closing.delete(id));
    this.closing.set(id, closing);
  }
}
