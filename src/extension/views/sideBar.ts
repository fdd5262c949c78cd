import {
  commands,
  EventEmitter,
  window,
  type CancellationToken,
  type ProviderResult,
  type TreeDataProvider,
  type TreeItem,
  type TreeView,
  type TreeViewOptions,
} from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import { viewIds, type RecipeNode } from '../editor/contributions.ts';
import type { DatabaseTreeNode, SearchTreeNode, TransferTreeNode } from './nodes.ts';

/**
 * Provides the rows of a view from a tree that is set later. Calls `start` if rows are requested before then.
 *
 * Reports a change only after the editor has stored the rows that it received earlier. Otherwise, a change could arrive
 * in the same message as a row's first children, and the editor would keep those outdated children.
 *
 * Reports no changes while the editor is about to request all rows. Otherwise, the editor would redraw them twice, and
 * a command invoked by a keyboard shortcut in the meantime would receive no row.
 */
export class LazyTree<T> implements TreeDataProvider<T>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new EventEmitter<T | T[] | undefined>());
  private readonly start: () => Promise<unknown>;
  private tree: TreeDataProvider<T> | undefined;
  /** True if the editor may not have stored all rows yet. */
  private areRowsPending = false;
  /** True after all rows have changed, until the editor requests them. */
  private isRedrawPending = false;
  private reported: Promise<void> = Promise.resolve();
  private resolveFilled = (): void => undefined;
  private readonly filled = new Promise<void>((resolve) => {
    this.resolveFilled = resolve;
  });

  readonly onDidChangeTreeData = this.changed.event;

  /** Creates an empty tree. `start` must call {@link fill}, or reject. */
  constructor(start: () => Promise<unknown>) {
    this.start = start;
  }

  /** Sets the tree that provides the rows. */
  fill(tree: TreeDataProvider<T>): void {
    this.tree = tree;
    const changes = tree.onDidChangeTreeData?.((node) => {
      if (this.isRedrawPending) return;
      this.isRedrawPending = !node;
      this.reported = this.reported.then(() => this.report(node ?? undefined));
    });
    if (changes) this.lifetime.track(changes);
    this.resolveFilled();
  }

  /** Resolves when the editor has been notified of all changes. The editor can then reveal a new row. */
  whenReported(): Promise<void> {
    return this.reported;
  }

  /** Returns the rows. Waits only for {@link fill}, because a slow disk may delay the rest of the startup. */
  async getChildren(parent?: T): Promise<T[] | null | undefined> {
    if (!this.tree) await Promise.race([this.filled, this.start()]);
    this.areRowsPending = true;
    if (!parent) this.isRedrawPending = false;
    return await this.tree?.getChildren(parent);
  }

  getTreeItem(node: T): TreeItem | Thenable<TreeItem> {
    return this.loadedTree.getTreeItem(node);
  }

  getParent(node: T): ProviderResult<T> {
    return this.loadedTree.getParent?.(node);
  }

  resolveTreeItem(item: TreeItem, node: T, token: CancellationToken): ProviderResult<TreeItem> {
    return this.loadedTree.resolveTreeItem?.(item, node, token);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async report(node: T | T[] | undefined): Promise<void> {
    if (this.areRowsPending) {
      this.areRowsPending = false;
      await waitForEditor();
    }
    this.changed.fire(node);
  }

  /** Returns the tree, which is always loaded by the time the editor passes one of its rows. */
  private get loadedTree(): TreeDataProvider<T> {
    if (!this.tree) throw new Error('There are no rows yet.');
    return this.tree;
  }
}

/**
 * Waits until the editor has handled everything sent to it so far. Runs a command, because the editor responds to the
 * command only afterwards.
 */
async function waitForEditor(): Promise<void> {
  await commands.executeCommand('noop').then(undefined, () => undefined);
}

/** Connects a view to the tree that provides its rows. */
export interface LazyView<T> {
  readonly view: TreeView<T>;
  fill(tree: TreeDataProvider<T>): void;
  /** Reveals a row once the editor has been notified of the latest changes. */
  reveal(node: T, options: RevealOptions): Promise<void>;
}

/** Options for {@link LazyView.reveal}. */
export type RevealOptions = NonNullable<Parameters<TreeView<unknown>['reveal']>[1]>;

/** Registers the side bar's views at activation. Calls `start` to fill them when one of them is first opened. */
export class SideBar implements Disposable {
  private readonly lifetime = new Lifetime();
  readonly databases: LazyView<DatabaseTreeNode>;
  readonly searchResults: LazyView<SearchTreeNode>;
  readonly transfers: LazyView<TransferTreeNode>;
  readonly recipes: LazyView<RecipeNode>;

  constructor(start: () => Promise<unknown>) {
    const checkable = { canSelectMany: true, manageCheckboxStateManually: true };
    this.databases = this.open('databases', start);
    this.searchResults = this.open('searchResults', start, checkable);
    this.transfers = this.open('transfers', start);
    this.recipes = this.open('recipes', start);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private open<T>(
    name: keyof typeof viewIds,
    start: () => Promise<unknown>,
    options?: Omit<TreeViewOptions<T>, 'treeDataProvider'>,
  ): LazyView<T> {
    const tree = this.lifetime.track(new LazyTree<T>(start));
    const view = this.lifetime.track(window.createTreeView(viewIds[name], { ...options, treeDataProvider: tree }));
    const reveal = async (node: T, revealed: RevealOptions): Promise<void> => {
      await tree.whenReported();
      await view.reveal(node, revealed);
    };
    return { view, fill: (rows) => tree.fill(rows), reveal };
  }
}
