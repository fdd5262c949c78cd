import type { TreeView } from 'vscode';
import type { ConnectionStore } from '../../../core/connections/connectionStore.ts';
import type { Database, StoreListing } from '../../../core/model/databaseModel.ts';
import type { Reason } from '../../../core/model/reason.ts';
import type { Search, SearchStore } from '../../../core/search/searchStore.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';

/** Dependencies of {@link StaleSearches}. */
interface StaleSearchesDependencies {
  readonly store: SearchStore;
  readonly connectionStore: Pick<ConnectionStore, 'listing' | 'onDidChange'>;
  readonly view: Pick<TreeView<unknown>, 'visible' | 'onDidChangeVisibility'>;
  /** Returns the active session, if any. A connection gets a new session object each time it is opened. */
  getSession(): { readonly connection: { readonly id: string } } | undefined;
  onDidChangeSession(listener: () => void): Disposable;
  /** Reloads a search's files. */
  refresh(key: string): Promise<void>;
  /** Lists the databases of the active connection again. Resolves to the reason for the failure, if any. */
  refreshDatabases(): Promise<Reason | undefined>;
}

/** Maximum number of parallel refreshes. Limits the load on a service after a window reloads. */
const maxParallelRefreshes = 4;

/**
 * Reloads the files of searches that an earlier session saved, and of those that the end of a store's scan outdates.
 * Reloads a search when the view is shown, the search's row is expanded, and its connection is active (D59: saved
 * searches).
 */
export class StaleSearches implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: StaleSearchesDependencies;
  /**
   * The session in which the last reload of each search was started, unless it succeeded. After a failure, a search is
   * reloaded only in a new session.
   */
  private readonly requested = new Map<string, unknown>();
  private running = 0;
  /** Names of the databases that were being scanned when the databases were last listed. */
  private scanning: ReadonlySet<string> = new Set();
  /** The listings of searches for which the databases have been listed again. */
  private readonly followed = new WeakSet<StoreListing>();

  constructor(dependencies: StaleSearchesDependencies) {
    this.dependencies = dependencies;
    const { store, view } = dependencies;
    const check = (): void => this.check();
    this.lifetime.track(store.onDidChange(() => void this.followScans()));
    for (const event of [store.onDidChange, store.onDidCollapse]) this.lifetime.track(event(check));
    this.lifetime.track(view.onDidChangeVisibility(check));
    this.lifetime.track(dependencies.onDidChangeSession(check));
    this.lifetime.track(dependencies.connectionStore.onDidChange(() => this.handleListing()));
    check();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async followScans(): Promise<void> {
    // While the list shows a scan, it is reloaded until the scan ends.
    const started = this.dependencies.store.getAll().filter((search) => this.hasStartedScan(search));
    for (const { listing } of started) if (listing) this.followed.add(listing);
    if (started.length === 0 || (await this.dependencies.refreshDatabases()) !== undefined) return;
    // The scan may have ended already.
    this.scanning = new Set([...this.scanning, ...started.map(({ query }) => query.database)]);
    this.handleListing();
  }

  private hasStartedScan({ isLoading, listing, connectionId, query }: Search): boolean {
    if (isLoading || listing?.state !== 'scanning' || this.followed.has(listing)) return false;
    const isActive = this.dependencies.getSession()?.connection.id === connectionId;
    return isActive && !this.scanning.has(query.database);
  }

  private handleListing(): void {
    const { store, connectionStore, getSession } = this.dependencies;
    const { databases } = connectionStore.listing;
    const isScanning = (database: Database): boolean => database.listing?.state === 'scanning';
    const ended = databases.filter((one) => this.scanning.has(one.name) && !isScanning(one));
    this.scanning = new Set(databases.filter(isScanning).map(({ name }) => name));
    const connectionId = getSession()?.connection.id;
    for (const { key, query, listing, ...search } of ended.length > 0 ? store.getAll() : []) {
      const database = ended.find(({ name }) => name === query.database);
      const isOutdated = listing?.state === 'scanning' && database !== undefined;
      if (!isOutdated || search.connectionId !== connectionId) continue;
      this.requested.delete(key);
      // After a failure, there is nothing new, and a request could start the next scan that fails.
      store.update(key, database.listing?.state === 'failed' ? { listing: database.listing } : { isStale: true });
    }
  }

  private check(): void {
    if (!this.dependencies.view.visible) return;
    for (let key = this.findNext(); key !== undefined; key = this.findNext()) void this.refresh(key);
  }

  private findNext(): string | undefined {
    const session = this.dependencies.getSession();
    if (!session || this.running >= maxParallelRefreshes) return undefined;
    const searches = this.dependencies.store
      .getAll()
      .filter(({ connectionId }) => connectionId === session.connection.id);
    const next = searches.find(({ key, isStale, isLoading, isCollapsed }) => {
      return isStale && !isLoading && !isCollapsed && this.requested.get(key) !== session;
    });
    if (next) this.requested.set(next.key, session);
    return next?.key;
  }

  private async refresh(key: string): Promise<void> {
    this.running += 1;
    try {
      await this.dependencies.refresh(key);
    } finally {
      this.running -= 1;
      if (this.dependencies.store.get(key)?.isStale === false) this.requested.delete(key);
    }
    this.check();
  }
}
