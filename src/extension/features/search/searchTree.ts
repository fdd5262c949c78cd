import { env, EventEmitter, type TreeDataProvider, type TreeItem } from 'vscode';
import type { CopyIndex } from '../../../core/duplicates/copyIndex.ts';
import type { FoundFile } from '../../../core/model/fileEntry.ts';
import { filterMissingIds } from '../../../core/model/idList.ts';
import { sortFiles, type ResultOrder } from '../../../core/model/searchModel.ts';
import { getEmptySearches, type Search, type SearchStore } from '../../../core/search/searchStore.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { EmptySearchesNode, FileNode, SearchNode } from '../../editor/contributions.ts';
import { describeSearchTerms } from '../../words/searchWords.ts';
import type { OtherConnectionNode, PartNode, SearchTreeNode } from '../../views/nodes.ts';
import { createMessageItem, createRemovedItem } from '../../views/placeholders.ts';
import {
  createEmptySearchesItem,
  createFileItem,
  createFileRows,
  distinguishNames,
  type NameDistinctions,
  createFileTooltip,
  createGroupedSearchItem,
  createLastRows,
  createLeftOutRow,
  createMissingItem,
  createMissingRow,
  createOtherConnectionItem,
  createPartItem,
  createSearchItem,
  createSwitchRow,
  createUnlistedItem,
  getMissingItemId,
  getUnlistedItemId,
} from './searchItems.ts';

interface Sorted {
  readonly source: readonly FoundFile[];
  readonly count: number;
  readonly order: ResultOrder;
  readonly files: readonly FoundFile[];
}

/** Caches the files found by each search, in display order. */
class DisplayOrder {
  private readonly sorted = new Map<string, Sorted>();
  private readonly compared = new WeakMap<
    readonly FoundFile[],
    { readonly count: number; readonly distinctions: NameDistinctions }
  >();

  /** Returns a search's files in display order. While the search is loading, appends new files at the end. */
  getFiles(search: Search): readonly FoundFile[] {
    const { key, files, order, isLoading } = search;
    if (order === 'relevance') return files;
    const cached = this.sorted.get(key);
    if (!cached || cached.source !== files || cached.order !== order) return this.sort(search);
    if (cached.count === files.length) return cached.files;
    return isLoading ? [...cached.files, ...files.slice(cached.count)] : this.sort(search);
  }

  /** Returns what distinguishes the rows of a list, which is compared again only once it is longer. */
  distinguish(files: readonly FoundFile[]): NameDistinctions {
    const cached = this.compared.get(files);
    if (cached?.count === files.length) return cached.distinctions;
    const distinctions = distinguishNames(files);
    this.compared.set(files, { count: files.length, distinctions });
    return distinctions;
  }

  forget(key: string): void {
    this.sorted.delete(key);
  }

  private sort({ key, files, order }: Search): readonly FoundFile[] {
    const sorted = sortFiles(files, order, env.language);
    this.sorted.set(key, { source: files, count: files.length, order, files: sorted });
    return sorted;
  }
}

/** Determines which searches are grouped in the row for databases without results. */
class EmptySearches {
  private readonly store: SearchStore;
  private readonly nodes = new Map<string, EmptySearchesNode>();
  private grouped: ReadonlySet<string> = new Set();

  constructor(store: SearchStore) {
    this.store = store;
    this.update();
  }

  /** Regroups the searches in the store. Returns true if the grouped searches have changed since the last call. */
  update(): boolean {
    const before = [...this.grouped].join();
    const batches = new Set(this.store.getAll().flatMap(({ batchId }) => batchId ?? []));
    this.grouped = new Set([...batches].flatMap((id) => getEmptySearches(this.store, id)).map(({ key }) => key));
    return before !== [...this.grouped].join();
  }

  /** Returns the row that groups a search with others that found nothing; undefined if the search has its own row. */
  getRow(search: Search | undefined): EmptySearchesNode | undefined {
    const isGrouped = search?.batchId !== undefined && this.grouped.has(search.key);
    return isGrouped ? this.getNode(search.batchId) : undefined;
  }

  /**
   * Returns the row for a batch's empty searches if the given search is the last of its batch in `searches`. Otherwise,
   * returns undefined.
   */
  getLastRow(searches: readonly Search[], { key, batchId }: Search): EmptySearchesNode | undefined {
    const batch = batchId === undefined ? [] : searches.filter((search) => search.batchId === batchId);
    return batch.at(-1)?.key === key ? batch.map((search) => this.getRow(search)).find(Boolean) : undefined;
  }

  private getNode(batchId: string): EmptySearchesNode {
    const node = this.nodes.get(batchId) ?? { kind: 'emptySearches', batchId };
    this.nodes.set(batchId, node);
    return node;
  }
}

/** Maximum number of files in a part. Long lists are split, so that the editor renders few rows at a time. */
const filesPerPart = 1000;

/** Provides the connections that searches belong to. */
export interface SearchConnections {
  /** The active connection; undefined if there is none. */
  readonly shown: { readonly id: string } | undefined;
  getName(connectionId: string): string;
  onDidChange(listener: () => void): Disposable;
}

/** Provides the rows of the searches and their files, with a checkbox for each file. */
export class SearchTree implements TreeDataProvider<SearchTreeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly store: SearchStore;
  private readonly connections: SearchConnections;
  private readonly copies: CopyIndex;
  private readonly roots = new Map<string, SearchNode>();
  private readonly groups = new Map<string, OtherConnectionNode>();
  private readonly empty: EmptySearches;
  private shownConnectionId: string | undefined;
  private readonly shown = new DisplayOrder();
  /** Keys of changed searches that the editor has been notified of but hasn't redrawn yet. */
  private readonly pendingRedraws = new Set<string>();
  private readonly changed = this.lifetime.track(new EventEmitter<SearchTreeNode | undefined>());

  readonly onDidChangeTreeData = this.changed.event;

  /** Groups the searches of other connections, and marks files that other databases also have (D60: same content). */
  constructor(store: SearchStore, connections: SearchConnections, copies: CopyIndex) {
    this.store = store;
    this.connections = connections;
    this.copies = copies;
    this.empty = new EmptySearches(store);
    this.lifetime.track(copies.onDidChange((keys) => this.redraw(keys.filter((key) => this.roots.has(key)))));
    this.lifetime.track(store.onDidChange((keys) => this.refresh(keys)));
    this.lifetime.track(connections.onDidChange(() => this.regroup()));
  }

  getTreeItem(node: SearchTreeNode): TreeItem {
    switch (node.kind) {
      case 'message':
        return createMessageItem(node);
      case 'file':
        return createFileItem(node, this.store.isChecked(node.searchKey, node.file.id), this.findDatabases(node));
      case 'search':
        this.pendingRedraws.delete(node.key);
        return this.createItem(node.key, node.key, (search) => this.createSearchItem(search));
      case 'emptySearches':
        return createEmptySearchesItem(node, getEmptySearches(this.store, node.batchId));
      case 'part':
        return this.createItem(node.searchKey, `${node.searchKey}/part/${node.start}`, (search) =>
          this.createPartItem(search, node),
        );
      case 'missing':
        return this.createItem(node.searchKey, getMissingItemId(node), (search) => createMissingItem(search, node));
      case 'unlisted':
        return this.createItem(node.searchKey, getUnlistedItemId(node.searchKey), (search) =>
          createUnlistedItem(search, this.store.getUnlistedChecks(node.searchKey).length),
        );
      case 'otherConnection':
        return this.createOtherConnectionItem(node);
    }
  }

  /** Creates a file's tooltip on hover. Tooltips for all files would make up most of the data sent to the editor. */
  resolveTreeItem(item: TreeItem, node: SearchTreeNode): TreeItem {
    if (node.kind === 'file') item.tooltip = createFileTooltip(node.file, this.findDatabases(node));
    return item;
  }

  getChildren(parent?: SearchTreeNode): SearchTreeNode[] {
    if (!parent) return this.createRootRows();
    if (parent.kind === 'file' || parent.kind === 'message') return [];
    if (parent.kind === 'otherConnection') return this.createOtherConnectionRows(parent);
    if (parent.kind === 'emptySearches') return this.createGroupedRows(parent);
    const search = this.store.get(parent.kind === 'search' ? parent.key : parent.searchKey);
    if (!search) return [];
    if (parent.kind === 'missing') {
      return filterMissingIds(search, parent.isUnknown).map((missing) => createMissingRow(search, missing));
    }
    if (parent.kind === 'part') return this.createPartRows(search, parent);
    if (parent.kind === 'unlisted') {
      const unlisted = this.store.getUnlistedChecks(search.key);
      return createFileRows(search, unlisted, 0, distinguishNames(unlisted));
    }
    return [...this.createUnlistedRows(search), ...this.createFirstRows(search), ...createLastRows(search, parent)];
  }

  getParent(node: SearchTreeNode): SearchTreeNode | undefined {
    if (node.kind === 'part' || node.kind === 'missing' || node.kind === 'unlisted')
      return this.roots.get(node.searchKey);
    // Without a parent, the editor doesn't expand the row of a grouped search to reveal it.
    if (node.kind === 'search') return this.getShownRow(node.key) === node ? this.findGroup(node.key) : undefined;
    if (node.kind === 'emptySearches') return this.findConnectionGroup(node);
    const search = node.kind === 'file' ? this.store.get(node.searchKey) : undefined;
    if (!search || node.kind !== 'file') return undefined;
    if (search.files.length <= filesPerPart) return this.roots.get(node.searchKey);
    const index = this.shown.getFiles(search).indexOf(node.file);
    return createPartNode(search, index - (index % filesPerPart));
  }

  /** Creates the rows for searches, for databases that the last search skipped, and for other connections. */
  private createRootRows(): SearchTreeNode[] {
    const { leftOut } = this.store;
    const own = this.store.getAll().filter((search) => !this.isElsewhere(search));
    const rows = own.flatMap((search): SearchTreeNode[] => {
      const isFirst = leftOut?.keys.find((one) => this.store.get(one)) === search.key;
      return [...(leftOut && isFirst ? [createLeftOutRow(leftOut)] : []), ...this.createSearchRows(own, search)];
    });
    const others = this.store.getAll().filter((search) => this.isElsewhere(search));
    return [...rows, ...new Set(others.map(({ connectionId }) => this.getGroup(connectionId)))];
  }

  /**
   * Creates the row for a search unless the search is grouped with others. Adds the row that groups a batch's empty
   * searches if this search is the last of its batch.
   */
  private createSearchRows(searches: readonly Search[], search: Search): SearchTreeNode[] {
    const group = this.empty.getLastRow(searches, search);
    return [...(this.empty.getRow(search) ? [] : [this.getRoot(search.key)]), ...(group ? [group] : [])];
  }

  private createGroupedRows({ batchId }: EmptySearchesNode): SearchTreeNode[] {
    return getEmptySearches(this.store, batchId).map(({ key }) => this.getRoot(key));
  }

  private createSearchItem(search: Search): TreeItem {
    return this.empty.getRow(search) ? createGroupedSearchItem(search) : createSearchItem(search, this.hasTwin(search));
  }

  private hasTwin({ connectionId, query }: Search): boolean {
    const terms = describeSearchTerms(query);
    return this.store.getAll().some((other) => {
      const isBeside = other.connectionId === connectionId && other.query.database !== query.database;
      return isBeside && describeSearchTerms(other.query) === terms;
    });
  }

  private findConnectionGroup({ batchId }: EmptySearchesNode): OtherConnectionNode | undefined {
    const [first] = getEmptySearches(this.store, batchId);
    return first && this.findGroup(first.key);
  }

  /**
   * Returns true for a search of a connection that isn't active. If none is active, the connection of the newest search
   * counts as active.
   */
  private isElsewhere({ connectionId }: Search): boolean {
    const [newest] = this.store.getAll();
    return connectionId !== (this.connections.shown?.id ?? newest?.connectionId);
  }

  private regroup(): void {
    const id = this.connections.shown?.id;
    if (id === this.shownConnectionId) return;
    this.shownConnectionId = id;
    this.changed.fire(undefined);
  }

  private getGroup(connectionId: string): OtherConnectionNode {
    const existing = this.groups.get(connectionId);
    if (existing) return existing;
    const node: OtherConnectionNode = { kind: 'otherConnection', connectionId };
    this.groups.set(connectionId, node);
    return node;
  }

  private findGroup(key: string): OtherConnectionNode | undefined {
    const search = this.store.get(key);
    return search && this.isElsewhere(search) ? this.getGroup(search.connectionId) : undefined;
  }

  private createOtherConnectionItem({ connectionId }: OtherConnectionNode): TreeItem {
    const searches = this.store.getAll().filter((search) => search.connectionId === connectionId);
    return createOtherConnectionItem(this.connections.getName(connectionId), connectionId, searches);
  }

  private createOtherConnectionRows({ connectionId }: OtherConnectionNode): SearchTreeNode[] {
    const searches = this.store.getAll().filter((search) => search.connectionId === connectionId);
    const name = this.connections.getName(connectionId);
    const switchRows = name === '' ? [] : [createSwitchRow(connectionId, name)];
    return [...switchRows, ...searches.flatMap((search) => this.createSearchRows(searches, search))];
  }

  private createUnlistedRows({ key, isLoading, isStale }: Search): SearchTreeNode[] {
    const isShown = (isStale || !isLoading) && this.store.getUnlistedChecks(key).length > 0;
    return isShown ? [{ kind: 'unlisted', searchKey: key }] : [];
  }

  /** Returns the row that shows a search: its own or, if it is grouped, the row for databases without results. */
  getShownRow(key: string): SearchTreeNode {
    return this.empty.getRow(this.store.get(key)) ?? this.getRoot(key);
  }

  /** Returns a search's own row. Always returns the same object, which the editor needs to reveal the row. */
  getRoot(key: string): SearchNode {
    const existing = this.roots.get(key);
    if (existing) return existing;
    const node: SearchNode = { kind: 'search', key };
    this.roots.set(key, node);
    return node;
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Redraws as few rows as possible, because a checkbox that is toggled during a redraw loses its new state. */
  private refresh(keys: readonly string[]): void {
    const areShown = keys.length > 0 && keys.every((key) => this.roots.has(key) && this.store.get(key));
    for (const key of keys) if (!this.store.get(key)) this.forget(key);
    const isGroupingChanged = this.empty.update();
    if (areShown && !isGroupingChanged) this.redraw(keys);
    else {
      for (const { key } of this.store.getAll()) this.pendingRedraws.add(key);
      this.changed.fire(undefined);
    }
  }

  private redraw(keys: readonly string[]): void {
    for (const key of keys.filter((one) => !this.pendingRedraws.has(one))) {
      this.pendingRedraws.add(key);
      this.changed.fire(this.roots.get(key));
    }
  }

  private forget(key: string): void {
    this.roots.delete(key);
    this.shown.forget(key);
  }

  private findDatabases({ connectionId, file }: FileNode): readonly string[] {
    return this.copies.findDatabases(connectionId, file);
  }

  /** Creates an item for a search, or an empty item if the search was just removed. */
  private createItem(key: string, id: string, create: (search: Search) => TreeItem): TreeItem {
    const search = this.store.get(key);
    return search ? create(search) : createRemovedItem(id);
  }

  private createFirstRows(search: Search): SearchTreeNode[] {
    const files = this.shown.getFiles(search);
    if (files.length <= filesPerPart) return createFileRows(search, files, 0, this.shown.distinguish(files));
    const count = Math.ceil(files.length / filesPerPart);
    return Array.from({ length: count }, (_, index) => createPartNode(search, index * filesPerPart));
  }

  private createPartRows(search: Search, part: PartNode): SearchTreeNode[] {
    const files = this.getFiles(search, part);
    // Comparing all names after each page of a long list would take too long.
    const compared = search.isLoading ? files : this.shown.getFiles(search);
    return createFileRows(search, files, part.start, this.shown.distinguish(compared));
  }

  private getFiles(search: Search, { start }: PartNode): readonly FoundFile[] {
    return this.shown.getFiles(search).slice(start, start + filesPerPart);
  }

  /** Creates the row for a part. Expands the first part and, unless the search is loading, the last part. */
  private createPartItem(search: Search, node: PartNode): TreeItem {
    const isLast = node.start + filesPerPart >= search.files.length;
    return createPartItem(search, node, this.getFiles(search, node), node.start === 0 || (isLast && !search.isLoading));
  }
}

function createPartNode({ key }: Search, start: number): PartNode {
  return { kind: 'part', searchKey: key, start };
}
