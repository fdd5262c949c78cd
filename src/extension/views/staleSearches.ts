import type { TreeView } from 'vscode';
import type { SearchStore } from '../../core/store/searchStore.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';

/** Services of {@link StaleSearches}. */
interface StaleSearchesDependencies {
  readonly store: SearchStore;
  readonly view: Pick<TreeView<unknown>, 'visible' | 'onDidChangeVisibility'>;
  /** The active session: an object that differs for each time that a connection was opened. */
  getSession(): { readonly connection: { readonly id: string } } | undefined;
  onDidChangeSession(listener: () => void): Disposable;
  /** Requests the files of a search again. */
  refresh(key: string): Promise<void>;
}

/** Bounds the load on a service after a reload. */
const maxParallelRefreshes = 4;

/**
 * Requests the files of searches that an earlier window saved, once the user looks at them: in a visible view, in an
 * expanded row, with an open connection (D59: saved searches).
 */
export class StaleSearches implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: StaleSearchesDependencies;
  /** The session in which each search was requested; a failed request is repeated only in another session. */
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
