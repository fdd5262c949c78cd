import { window, type TreeDataProvider, type TreeView, type TreeViewOptions } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import { viewIds, type RecipeNode } from '../editor/contributions.ts';
import { LazyTree } from './lazyTree.ts';
import type { DatabaseTreeNode, SearchTreeNode, TransferTreeNode } from './nodes.ts';

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
    const checkable = { canSelectMany: true, showCollapseAll: true, manageCheckboxStateManually: true };
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
