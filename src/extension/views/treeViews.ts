import { commands, TreeItemCheckboxState, type TreeView } from 'vscode';
import type { CopyIndex } from '../../core/duplicates/copyIndex.ts';
import { isUnderWay } from '../../core/model/transferModel.ts';
import type { SearchStore } from '../../core/search/searchStore.ts';
import type { TransferStore } from '../../core/transfers/transferStore.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { DatabaseNode, FileNode } from '../editor/contributions.ts';
import { formatList, plural } from '../words/localeFormats.ts';
import { formatCheckedCount } from '../words/searchWords.ts';
import { DatabaseTree, type DatabaseTreeDependencies } from '../features/connections/databaseTree.ts';
import type { SearchTreeNode } from './nodes.ts';
import { SearchTree, type SearchConnections } from '../features/search/searchTree.ts';
import type { LazyView, RevealOptions, SideBar } from './sideBar.ts';
import type { PlanList } from '../features/transfers/transferItems.ts';
import { TransferTree, type TransferTreeDependencies } from '../features/transfers/transferTree.ts';

const extendCommands = { down: 'list.expandSelectionDown', up: 'list.expandSelectionUp' } as const;

/** Extends a view's selection without opening the selected rows. */
export class SelectionExtender {
  private readonly view: Pick<TreeView<unknown>, 'selection'>;
  private runningCount = 0;
  private awaitedSelections = 0;
  private unwantedOpenings = 0;
  /** The selection after it was last extended. Includes the focused row. */
  private extended: readonly unknown[] | undefined;

  constructor(view: Pick<TreeView<unknown>, 'selection'>) {
    this.view = view;
  }

  /** Records the view's new selection. Must be called for every selection, before the selected row's command runs. */
  noteSelection(selection: readonly unknown[]): void {
    if (this.awaitedSelections === 0) return;
    this.awaitedSelections -= 1;
    if (selection.length === 1) this.unwantedOpenings += 1;
  }

  /**
   * Returns true if the editor runs a row's command only because extending the selection left just that row selected.
   * Returns true once for each such selection, so the user can open the row immediately afterwards.
   */
  consumeOpening(): boolean {
    if (this.unwantedOpenings === 0) return false;
    this.unwantedOpenings -= 1;
    return true;
  }

  /** Adds the focused row and the next or previous row to the selection. The view must have the focus. */
  async extend(direction: keyof typeof extendCommands): Promise<void> {
    if (this.view.selection !== this.extended) await this.selectFocused();
    await this.run(extendCommands[direction]);
    this.extended = this.view.selection;
  }

  /**
   * Adds the focused row to the selection. The editor's commands that extend a selection add only the next or previous
   * row.
   */
  private async selectFocused(): Promise<void> {
    const before = this.view.selection.length;
    await this.run('list.toggleSelection');
    if (this.view.selection.length < before) await this.run('list.toggleSelection');
  }

  /** Runs an editor command and waits for its effects, which have arrived by the time a second command completes. */
  private async run(command: string): Promise<void> {
    this.runningCount += 1;
    this.awaitedSelections += 1;
    try {
      await commands.executeCommand(command);
      await commands.executeCommand('noop');
    } finally {
      this.runningCount -= 1;
      if (this.runningCount === 0) this.awaitedSelections = this.unwantedOpenings = 0;
    }
  }
}

/** Dependencies of {@link TreeViews}. */
interface TreeViewsDependencies {
  readonly databases: DatabaseTreeDependencies;
  readonly searchStore: SearchStore;
  readonly copies: CopyIndex;
  readonly transfers: TransferTreeDependencies;
  getConnectionName(connectionId: string): string;
}

/** Fills the Databases, Search Results and Transfers views, and reveals rows in them. */
export class TreeViews implements Disposable {
  readonly selectionExtender: SelectionExtender;
  private readonly lifetime = new Lifetime();
  private readonly searchStore: SearchStore;
  private readonly transferStore: TransferStore;
  private readonly plans: PlanList;
  private readonly searchTree: SearchTree;
  private readonly transferTree: TransferTree;
  private readonly sideBar: SideBar;

  constructor(sideBar: SideBar, dependencies: TreeViewsDependencies) {
    const { databases, searchStore, transfers } = dependencies;
    this.sideBar = sideBar;
    this.searchStore = searchStore;
    this.transferStore = transfers.store;
    this.plans = transfers.plans;
    const databaseTree = this.lifetime.track(new DatabaseTree(databases));
    const drawState = (): void => {
      sideBar.databases.view.message = databaseTree.message ?? '';
      sideBar.databases.view.description = databaseTree.description;
    };
    this.lifetime.track(databases.store.onDidChange(drawState));
    drawState();
    const connections = createSearchConnections(dependencies);
    this.searchTree = this.lifetime.track(new SearchTree(searchStore, connections, dependencies.copies));
    this.transferTree = this.lifetime.track(new TransferTree(transfers));
    sideBar.databases.fill(databaseTree);
    sideBar.searchResults.fill(this.searchTree);
    sideBar.transfers.fill(this.transferTree);
    const { view } = sideBar.searchResults;
    this.selectionExtender = new SelectionExtender(view);
    this.lifetime.track(view.onDidChangeSelection(({ selection }) => this.selectionExtender.noteSelection(selection)));
    this.lifetime.track(view.onDidChangeCheckboxState(({ items }) => this.updateChecked(items)));
    this.lifetime.track(view.onDidCollapseElement(({ element }) => this.setCollapsed(element, true)));
    this.lifetime.track(view.onDidExpandElement(({ element }) => this.setCollapsed(element, false)));
    this.lifetime.track(transfers.store.onDidChange(() => this.drawBadge()));
    this.lifetime.track(transfers.plans.onDidChange(() => this.drawBadge()));
    this.lifetime.track(searchStore.onDidChangeChecks(() => this.drawChecked()));
    this.drawChecked();
  }

  /** Moves the focus to the connection's row once the editor has rendered it. */
  readonly focusConnection = (): void => {
    void revealNode(this.sideBar.databases, { kind: 'connection' }, { select: false, focus: true });
  };

  /**
   * Moves the focus to the search that the user has just started (D55: focus stays put). Resolves after the editor has
   * drawn the row and moved the focus.
   */
  readonly focusStartedSearch = async (): Promise<void> => {
    const started = this.searchStore.getAll().find(({ isLoading, files }) => isLoading && files.length === 0);
    if (!started) return;
    const row = this.searchTree.getRoot(started.key);
    await revealNode(this.sideBar.searchResults, row, { select: false, focus: true });
  };

  /** The selected rows in the search results. */
  get selectedResults(): readonly SearchTreeNode[] {
    return this.sideBar.searchResults.view.selection;
  }

  /** Expands and selects a database. */
  readonly expandDatabase = (node: DatabaseNode): void => {
    void revealNode(this.sideBar.databases, node, { select: true, focus: false, expand: true });
  };

  /** Returns the files that are selected in the search results. */
  readonly getSelectedFiles = (): readonly FileNode[] =>
    this.sideBar.searchResults.view.selection.filter((node) => node.kind === 'file');

  readonly revealTransfer = (key: string): void => {
    const node = this.transferTree.getNode(key);
    if (node) void revealNode(this.sideBar.transfers, node, { select: true, focus: false });
  };

  /** Calls a function once, when the Databases view first becomes visible. */
  onFirstUse(callback: () => void): void {
    const { view } = this.sideBar.databases;
    if (view.visible) {
      callback();
      return;
    }
    const subscription = view.onDidChangeVisibility(({ visible }) => {
      if (!visible) return;
      subscription.dispose();
      callback();
    });
    this.lifetime.track(subscription);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private setCollapsed(node: SearchTreeNode, isCollapsed: boolean): void {
    if (node.kind === 'search') this.searchStore.setCollapsed(node.key, isCollapsed);
  }

  private updateChecked(items: readonly (readonly [SearchTreeNode, TreeItemCheckboxState])[]): void {
    for (const [node, state] of items) {
      if (node.kind !== 'file') continue;
      this.searchStore.setChecked(node.searchKey, [node.file], state === TreeItemCheckboxState.Checked);
    }
  }

  /**
   * Shows the number of checked files next to the view's title. The search's row isn't redrawn, because the editor
   * would request all of its files and could lose a checkbox change made in the meantime.
   */
  private drawChecked(): void {
    this.sideBar.searchResults.view.description = formatCheckedCount(this.searchStore.checked);
  }

  private drawBadge(): void {
    const count = this.transferStore.getRunning().filter(isUnderWay).length;
    const proposed = this.plans.getAll().length;
    const tooltip = [
      count > 0 ? plural(count, '{0} transfer is running or paused', '{0} transfers are running or paused') : '',
      proposed > 0
        ? plural(proposed, '{0} transfer has been proposed by an agent', '{0} transfers have been proposed by agents')
        : '',
    ];
    const value = count + proposed;
    this.sideBar.transfers.view.badge = value > 0 ? { value, tooltip: formatList(tooltip) } : undefined;
  }
}

function createSearchConnections({ databases, getConnectionName }: TreeViewsDependencies): SearchConnections {
  const { store } = databases;
  return {
    get shown() {
      return store.shown;
    },
    getName: getConnectionName,
    onDidChange: store.onDidChange,
  };
}

/**
 * Tries to reveal a row, and resolves after the attempt. Ignores errors, because the row may have moved in the
 * meantime, for example because its transfer ended.
 */
async function revealNode<T>(view: LazyView<T>, node: T, options: RevealOptions): Promise<void> {
  await view.reveal(node, options).then(undefined, () => undefined);
}
