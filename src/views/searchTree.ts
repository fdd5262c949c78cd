import { EventEmitter, type TreeDataProvider, type TreeItem } from 'vscode';
import type { FoundFile } from '../core/model/fileEntry.ts';
import { missingIds, type Search, type SearchStore } from '../core/store/searchStore.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { SearchNode } from '../host/contributions.ts';
import type { PartNode, SearchTreeNode } from './nodes.ts';
import { goneItem, messageItem } from './placeholders.ts';
import { fileItem, fileTooltip, missingItem, missingItemId, partItem, searchItem } from './searchItems.ts';
import { fileRow, lastRows, leftOutRow, missingRow } from './searchRows.ts';
import { ShownOrder } from './shownOrder.ts';

/** More files than these are shown in parts of this size: what the editor draws at a time stays small. */
const rowsInPart = 1000;

/** The searches and what they found, with a check box for each file. */
export class SearchTree implements TreeDataProvider<SearchTreeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly store: SearchStore;
  private readonly roots = new Map<string, SearchNode>();
  private readonly shown = new ShownOrder();
  /** Searches that the editor was told of and has not drawn since: it will draw them as they are then. */
  private readonly awaited = new Set<string>();
  private readonly changed = this.lifetime.track(new EventEmitter<SearchTreeNode | undefined>());

  readonly onDidChangeTreeData = this.changed.event;

  constructor(store: SearchStore) {
    this.store = store;
    this.lifetime.track(store.onDidChange((keys) => this.refresh(keys)));
  }

  getTreeItem(node: SearchTreeNode): TreeItem {
    switch (node.kind) {
      case 'message':
        return messageItem(node);
      case 'file':
        return fileItem(node, this.store.isChecked(node.searchKey, node.file.id));
      case 'search':
        this.awaited.delete(node.key);
        return this.itemOf(node.key, node.key, searchItem);
      case 'part':
        return this.itemOf(node.searchKey, `${node.searchKey}/part/${node.start}`, (search) =>
          this.partItem(search, node),
        );
      case 'missing':
        return this.itemOf(node.searchKey, missingItemId(node), (search) => missingItem(search, node));
    }
  }

  /** The tooltips of files are made when they are looked at: with many files they would be most of what is sent. */
  resolveTreeItem(item: TreeItem, node: SearchTreeNode): TreeItem {
    if (node.kind === 'file') item.tooltip = fileTooltip(node.file);
    return item;
  }

  getChildren(parent?: SearchTreeNode): SearchTreeNode[] {
    if (!parent) return this.rootRows();
    if (parent.kind === 'file' || parent.kind === 'message') return [];
    const search = this.store.get(parent.kind === 'search' ? parent.key : parent.searchKey);
    if (!search) return [];
    if (parent.kind === 'missing') {
      return missingIds(search, parent.isUnknown).map((missing) => missingRow(search, missing));
    }
    if (parent.kind === 'part') return fileRows(search, this.filesOf(search, parent), parent.start);
    return [...this.firstRows(search), ...lastRows(search, parent)];
  }

  getParent(node: SearchTreeNode): SearchTreeNode | undefined {
    if (node.kind === 'part' || node.kind === 'missing') return this.roots.get(node.searchKey);
    const search = node.kind === 'file' ? this.store.get(node.searchKey) : undefined;
    if (!search || node.kind !== 'file') return undefined;
    if (search.files.length <= rowsInPart) return this.roots.get(node.searchKey);
    const place = this.shown.files(search).indexOf(node.file);
    return partOf(search, place - (place % rowsInPart));
  }

  /** The searches, and above those of the last search of all databases what that left out. */
  private rootRows(): SearchTreeNode[] {
    const { leftOut } = this.store;
    return this.store.all().flatMap(({ key }): SearchTreeNode[] => {
      const isFirst = leftOut?.keys.find((one) => this.store.get(one)) === key;
      return [...(leftOut && isFirst ? [leftOutRow(leftOut)] : []), this.root(key)];
    });
  }

  /** The row of a search, to reveal it. */
  root(key: string): SearchNode {
    const known = this.roots.get(key);
    if (known) return known;
    const node: SearchNode = { kind: 'search', key };
    this.roots.set(key, node);
    return node;
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Tells the editor as seldom as possible: what a person checks while it draws rows again is lost. */
  private refresh(keys: readonly string[]): void {
    const shown = keys.length > 0 && keys.every((key) => this.roots.has(key) && this.store.get(key));
    for (const key of keys) if (!this.store.get(key)) this.forget(key);
    if (!shown) {
      for (const { key } of this.store.all()) this.awaited.add(key);
      this.changed.fire(undefined);
      return;
    }
    for (const key of keys.filter((one) => !this.awaited.has(one))) {
      this.awaited.add(key);
      this.changed.fire(this.roots.get(key));
    }
  }

  private forget(key: string): void {
    this.roots.delete(key);
    this.shown.forget(key);
  }

  /** What stands for a search that has just gone is the same row, until the editor takes it away. */
  private itemOf(key: string, id: string, make: (search: Search) => TreeItem): TreeItem {
    const search = this.store.get(key);
    return search ? make(search) : goneItem(id);
  }

  private firstRows(search: Search): SearchTreeNode[] {
    const files = this.shown.files(search);
    if (files.length <= rowsInPart) return fileRows(search, files, 0);
    const count = Math.ceil(files.length / rowsInPart);
    return Array.from({ length: count }, (_, index) => partOf(search, index * rowsInPart));
  }

  private filesOf(search: Search, { start }: PartNode): readonly FoundFile[] {
    return this.shown.files(search).slice(start, start + rowsInPart);
  }

  /** The first part is open, and the last one where it is what a person has just asked for. */
  private partItem(search: Search, node: PartNode): TreeItem {
    const isLast = node.start + rowsInPart >= search.files.length;
    return partItem(search, node, this.filesOf(search, node), node.start === 0 || (isLast && !search.loading));
  }
}

function partOf({ key }: Search, start: number): PartNode {
  return { kind: 'part', searchKey: key, start };
}

function fileRows(search: Search, files: readonly FoundFile[], start: number): SearchTreeNode[] {
  return files.map((file, index) => fileRow(search, file, start + index));
}
