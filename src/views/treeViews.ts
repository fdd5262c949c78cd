import { TreeItemCheckboxState, type TreeView } from 'vscode';
import { isUnderWay } from '../core/model/transfer.ts';
import type { SearchStore } from '../core/store/searchStore.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import { checkedText } from '../host/searchWords.ts';
import { plural } from '../host/words.ts';
import { DatabaseTree, type DatabaseTreeParts } from './databaseTree.ts';
import type { DatabaseTreeNode, SearchTreeNode, TransferTreeNode } from './nodes.ts';
import { SearchTree } from './searchTree.ts';
import type { SideBar } from './sideBar.ts';
import { TransferTree, type TransferTreeParts } from './transferTree.ts';

/** What {@link TreeViews} need. */
export interface TreeViewParts {
  readonly databases: DatabaseTreeParts;
  readonly searchStore: SearchStore;
  readonly transfers: TransferTreeParts;
}

/** What stands in the three views of the side bar, and is shown in them. */
export class TreeViews implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: TreeViewParts;
  private readonly searchTree: SearchTree;
  private readonly transferTree: TransferTree;
  readonly databases: TreeView<DatabaseTreeNode>;
  readonly searchResults: TreeView<SearchTreeNode>;
  readonly transfers: TreeView<TransferTreeNode>;

  constructor(sideBar: SideBar, parts: TreeViewParts) {
    this.parts = parts;
    const databaseTree = this.lifetime.track(new DatabaseTree(parts.databases));
    this.searchTree = this.lifetime.track(new SearchTree(parts.searchStore));
    this.transferTree = this.lifetime.track(new TransferTree(parts.transfers));
    sideBar.databases.fill(databaseTree);
    sideBar.searchResults.fill(this.searchTree);
    sideBar.transfers.fill(this.transferTree);
    this.databases = sideBar.databases.view;
    this.searchResults = sideBar.searchResults.view;
    this.transfers = sideBar.transfers.view;
    this.lifetime.track(this.searchResults.onDidChangeCheckboxState(({ items }) => this.check(items)));
    this.lifetime.track(parts.transfers.store.onDidChange(() => this.drawBadge()));
    this.lifetime.track(parts.searchStore.onDidChangeChecks(() => this.drawChecked()));
  }

  /** Moves the focus to the row of the connection, as soon as the editor has drawn it. */
  readonly focusConnection = (): void => {
    bringIntoView(this.databases, { kind: 'connection' }, { select: false, focus: true });
  };

  /**
   * Opens the search results where they are hidden, without taking the focus from where the person types. Where they
   * are open the newest search is the first row anyway, and to reveal it would make the editor draw the tree twice.
   */
  readonly revealSearches = (): void => {
    const [newest] = this.parts.searchStore.all();
    if (newest && !this.searchResults.visible)
      bringIntoView(this.searchResults, this.searchTree.root(newest.key), { select: false, focus: false });
  };

  readonly revealTransfer = (key: string): void => {
    const node = this.transferTree.node(key);
    if (node) bringIntoView(this.transfers, node, { select: true, focus: false });
  };

  /** Calls once, when the side bar is looked at for the first time. */
  onFirstUse(act: () => void): void {
    if (this.databases.visible) {
      act();
      return;
    }
    const first = this.databases.onDidChangeVisibility(({ visible }) => {
      if (!visible) return;
      first.dispose();
      act();
    });
    this.lifetime.track(first);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private check(items: readonly (readonly [SearchTreeNode, TreeItemCheckboxState])[]): void {
    for (const [node, state] of items) {
      if (node.kind !== 'file') continue;
      this.parts.searchStore.setChecked(node.searchKey, [node.file], state === TreeItemCheckboxState.Checked);
    }
  }

  /**
   * The view's title says what is checked, not the search's row: to draw that row again, the editor asks for all the
   * files below it, and loses a check that a person makes meanwhile.
   */
  private drawChecked(): void {
    this.searchResults.description = checkedText(this.parts.searchStore.checked);
  }

  private drawBadge(): void {
    const count = this.parts.transfers.store.running().filter(isUnderWay).length;
    const tooltip = plural(count, '{0} transfer is running', '{0} transfers are running');
    this.transfers.badge = count > 0 ? { value: count, tooltip } : undefined;
  }
}

/** Shows a row. One that went elsewhere before the editor came to it, such as an ended transfer, needs no words. */
function bringIntoView<T>(
  view: TreeView<T>,
  node: T,
  how: { readonly select: boolean; readonly focus: boolean },
): void {
  view.reveal(node, how).then(undefined, () => undefined);
}
