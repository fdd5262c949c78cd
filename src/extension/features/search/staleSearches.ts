import type { TreeView } from 'vscode';
import type { SearchStore } from '../../../core/search/searchStore.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';

/** Dependencies of {@link StaleSearches}. */
interface StaleSearchesDependencies {
  readonly store: SearchStore;
  readonly view: Pick<TreeView<unknown>, 'visible' | 'onDidChangeVisibility'>;
  /** Returns the active session, if any. A connection gets a new session object each time it is opened. */
  getSession(): { readonly connection: { readonly id: string } } | undefined;
  onDidChangeSession(listener: () => void): Disposable;
  /** Reloads a search's files. */
  refresh(key: string): Promise<void>;
}

/** Maximum number of parallel refreshes. Limits the load on a service after a window reloads. */
const maxParallelRefreshes = 4;

/**
 * Reloads the files of searches that an earlier session saved. Reloads a search when the view is shown, the search's
 * row is expanded, and its connection is active (D59: saved searches).
 */
export class StaleSearches implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: StaleSearchesDependencies;
  /**
   * The session in which the last reload of each search was started. After a failure, a search is reloaded only in a
   * new session.
   */
  private readonly requested = new Map<string, unknown>();
  private running = 0;

  constructor(dependencies: StaleSearchesDependencies) {
    this.dependencies = dependencies;
    const { store, view } = dependencies;
    const check = (): void => this.check();
    for (const event of [store.onDidChange, store.onDidCollapse]) this.lifetime.track(event(check));
    this.lifetime.track(view.onDidChangeVisibility(check));
    this.lifetime.track(dependencies.onDidChangeSession(check));
    check();
  }

  dispose(): void {
    this.lifetime.dispose();
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
    }
    this.check();
  }
}
