import { window, type TreeDataProvider, type TreeView, type TreeViewOptions } from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import { viewIds } from '../host/contributions.ts';
import { LateTree } from './lateTree.ts';
import type { DatabaseTreeNode, SearchTreeNode, TransferTreeNode } from './nodes.ts';

/** A view, and how it gets its rows. */
export interface LateView<T> {
  readonly view: TreeView<T>;
  fill(tree: TreeDataProvider<T>): void;
}

/** The three views of the side bar, there from the start; `begin` is to fill them when one of them is first looked at. */
export class SideBar implements Disposable {
  private readonly lifetime = new Lifetime();
  readonly databases: LateView<DatabaseTreeNode>;
  readonly searchResults: LateView<SearchTreeNode>;
  readonly transfers: LateView<TransferTreeNode>;

  constructor(begin: () => Promise<unknown>) {
    const checkable = { canSelectMany: true, showCollapseAll: true, manageCheckboxStateManually: true };
    this.databases = this.open('databases', begin);
    this.searchResults = this.open('searchResults', begin, checkable);
    this.transfers = this.open('transfers', begin);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private open<T>(
    name: keyof typeof viewIds,
    begin: () => Promise<unknown>,
    options?: Omit<TreeViewOptions<T>, 'treeDataProvider'>,
  ): LateView<T> {
    const tree = this.lifetime.track(new LateTree<T>(begin));
    const view = this.lifetime.track(window.createTreeView(viewIds[name], { ...options, treeDataProvider: tree }));
    return { view, fill: (rows) => tree.fill(rows) };
  }
}
