import {
  EventEmitter,
  l10n,
  ThemeIcon,
  TreeItem,
  TreeItemCheckboxState,
  TreeItemCollapsibleState,
  type TreeDataProvider,
} from 'vscode';
import type { FileEntry, FoundFile, UnreadableFile } from '../core/model/fileEntry.ts';
import type { CheckedFile, Search, SearchStore } from '../core/store/searchStore.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { FileNode, SearchNode } from '../host/contributions.ts';
import { filesText, numberText, plainLine, plainPart, reasonText, sizeText } from '../host/words.ts';
import type { MessageNode, SearchTreeNode } from './nodes.ts';
import { errorRow, goneItem, loadingRow, messageItem, nothingRow } from './placeholders.ts';

/** The searches and what they found, with a check box for each file. */
export class SearchTree implements TreeDataProvider<SearchTreeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly store: SearchStore;
  private readonly roots = new Map<string, SearchNode>();
  /** Searches that the editor was told of and has not drawn since: it will draw them as they are then. */
  private readonly awaited = new Set<string>();
  private readonly changed = this.lifetime.track(new EventEmitter<SearchTreeNode | undefined>());

  readonly onDidChangeTreeData = this.changed.event;

  constructor(store: SearchStore) {
    this.store = store;
    this.lifetime.track(store.onDidChange((keys) => this.refresh(keys)));
  }

  getTreeItem(node: SearchTreeNode): TreeItem {
    if (node.kind === 'message') return messageItem(node);
    if (node.kind === 'search') {
      this.awaited.delete(node.key);
      return this.searchItem(node);
    }
    return fileItem(node, this.store.isChecked(node.searchKey, node.file.id));
  }

  getChildren(parent?: SearchTreeNode): SearchTreeNode[] {
    if (!parent) return this.store.all().map((search) => this.root(search.key));
    if (parent.kind !== 'search') return [];
    const search = this.store.get(parent.key);
    return search
      ? [...search.files.map((file, index) => fileRow(search, file, index)), ...lastRows(search, parent)]
      : [];
  }

  getParent(node: SearchTreeNode): SearchTreeNode | undefined {
    return node.kind === 'file' ? this.roots.get(node.searchKey) : undefined;
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
    const shown = keys.every((key) => this.roots.has(key) && this.store.get(key));
    for (const key of keys) if (!this.store.get(key)) this.roots.delete(key);
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

  private searchItem(node: SearchNode): TreeItem {
    const search = this.store.get(node.key);
    if (!search) return goneItem(node.key);
    const { query, database, status } = search.query;
    const words = plainLine(query) === '' ? l10n.t('All files') : `“${plainLine(query)}”`;
    const item = new TreeItem(words, TreeItemCollapsibleState.Expanded);
    item.id = node.key;
    item.contextValue = 'search';
    item.iconPath = new ThemeIcon(search.loading ? 'loading~spin' : search.reason ? 'warning' : 'search');
    item.description = [plainLine(database), status, countText(search)].filter(Boolean).join(' · ');
    item.tooltip = [words, plainLine(database), specificText(search)].filter(Boolean).join('\n');
    return item;
  }
}

/** How many files are checked and how much that is; empty where none is. */
export function checkedText(files: readonly CheckedFile[]): string {
  if (files.length === 0) return '';
  const size = files.reduce((sum, { file }) => sum + (file.sizeBytes ?? 0), 0);
  return l10n.t('{0} checked ({1})', numberText(files.length), sizeText(size));
}

function countText(search: Search): string {
  if (search.files.length === 0) return '';
  const count = search.files.length;
  return search.mayHaveMore ? l10n.t('{0}+ files', numberText(count)) : filesText(count);
}

function specificText(search: Search): string {
  const { specific } = search.query;
  return specific ? plainLine(JSON.stringify(specific)) : '';
}

function fileRow(search: Search, file: FoundFile, index: number): SearchTreeNode {
  if (file.kind === 'unreadable') return unreadableRow(search, file, index);
  return { kind: 'file', searchKey: search.key, connectionId: search.connectionId, file };
}

function unreadableRow(search: Search, file: UnreadableFile, index: number): MessageNode {
  return {
    kind: 'message',
    id: `${search.key}/unreadable/${index}`,
    look: 'unreadable',
    text: l10n.t('Unreadable file: {0}', plainLine(file.text).slice(0, 80)),
    tooltip: plainPart(file.text, 1000),
  };
}

function lastRows(search: Search, node: SearchNode): MessageNode[] {
  const count = search.files.length;
  if (search.loading) return [loadingRow(search.key, count === 0 ? l10n.t('Searching…') : l10n.t('Loading more…'))];
  if (search.reason) {
    const text = l10n.t(
      'Could not search {0}: {1}. Retry',
      plainLine(search.query.database),
      reasonText(search.reason),
    );
    return [errorRow(search.key, text, { id: 'dataTransfer.loadMore', title: l10n.t('Retry'), argument: node })];
  }
  if (count === 0) return [nothingRow(search.key, l10n.t('No files found.'))];
  if (!search.mayHaveMore) return [];
  const text = l10n.t('Load more ({0} shown)', numberText(count));
  const command = { id: 'dataTransfer.loadMore', title: l10n.t('Load More'), argument: node };
  return [{ kind: 'message', id: `${search.key}/more`, look: 'more', text, command }];
}

function fileItem(node: FileNode, isChecked: boolean): TreeItem {
  const { file } = node;
  const label = plainLine(file.name);
  const item = new TreeItem(label === '' ? l10n.t('(no name)') : label);
  item.id = `${node.searchKey}/${file.id}`;
  item.contextValue = 'file';
  item.iconPath = new ThemeIcon('file');
  item.description = [file.sizeBytes === undefined ? '' : sizeText(file.sizeBytes), plainLine(file.format ?? '')]
    .filter(Boolean)
    .join(' · ');
  item.tooltip = fileTooltip(file);
  item.checkboxState = isChecked ? TreeItemCheckboxState.Checked : TreeItemCheckboxState.Unchecked;
  item.command = { command: 'dataTransfer.showFileMetadata', title: l10n.t('Show File Metadata'), arguments: [node] };
  return item;
}

function fileTooltip(file: FileEntry): string {
  const facts: readonly [string, string | undefined][] = [
    [l10n.t('Path'), file.path],
    [l10n.t('Title'), file.title],
    [l10n.t('Size'), file.sizeBytes === undefined ? undefined : sizeText(file.sizeBytes)],
    [l10n.t('Type'), file.mediaType],
    [l10n.t('Hash'), file.hash],
    [l10n.t('Id'), file.id],
  ];
  return facts.flatMap(([name, value]) => (value ? [`${name}: ${plainLine(value)}`] : [])).join('\n');
}
