import assert from 'node:assert/strict';
import { TreeItemCollapsibleState } from 'vscode';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import type { SavedSearch } from '../../src/core/model/savedSearch.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { Emitter } from '../../src/core/util/lifetime.ts';
import type { SearchTreeNode } from '../../src/extension/views/nodes.ts';
import { SearchTree } from '../../src/extension/features/search/searchTree.ts';
import { createSearchTree, fileEntry, readSearchRows, formatRow, type SearchRows } from './specimens.ts';

describe('The rows of searches from an earlier window (D59)', () => {
  let store: SearchStore;
  let tree: SearchTree;
  let items: SearchRows['items'];
  let roots: SearchRows['roots'];
  let rows: SearchRows['rows'];
  beforeEach(() => {
    store = new SearchStore();
    tree = createSearchTree(store);
    ({ items, roots, rows } = readSearchRows(tree));
  });
  afterEach(() => tree.dispose());

  const saved = (key: string, connectionId = 'c'): SavedSearch => {
    const query = { database: 'Alpha', query: key, pageSize: 2 };
    const [one, two] = [fileEntry('f1'), fileEntry('f2')];
    const state = { order: 'relevance', isCollapsed: false, mayHaveMore: false } as const;
    const loadedAt = new Date().setHours(10, 42);
    return { key, connectionId, query, ...state, loadedAt, files: [one], checked: [one, two], unknownIds: ['x'] };
  };

  it('show the time of their results until they are requested again', () => {
    store.restoreSaved([saved('s')]);
    assert.deepEqual(roots().map(plainSpaces), ['“s” | 1 · as of 10:42 AM · Alpha']);
    assert.deepEqual(rows('s'), ['1 more checked file, not loaded yet', 'f1.csv', '1 ID not found']);
    const search = store.get('s');
    assert.ok(search);
    store.replace('s', { ...search, mayHaveMore: false });
    assert.deepEqual(roots(), ['“s” | 1 · Alpha']);
  });

  it('group checked files that are no longer found, until they are unchecked', () => {
    store.restoreSaved([saved('s')]);
    const search = store.get('s');
    assert.ok(search);
    store.replace('s', search);
    const [group] = tree.getChildren(tree.getRoot('s'));
    assert.ok(group);
    assert.equal(formatRow(tree.getTreeItem(group)), '1 checked file no longer in the results');
    assert.equal(tree.getParent(group), tree.getRoot('s'));
    assert.deepEqual(items(group).map(formatRow), ['f2.csv']);
    store.drawChecked('s', [fileEntry('f2')], false);
    assert.deepEqual(rows('s'), ['f1.csv', '1 ID not found']);
  });

  it('stay collapsed if they were collapsed', () => {
    store.restoreSaved([{ ...saved('s'), isCollapsed: true }]);
    assert.equal(items()[0]?.collapsibleState, TreeItemCollapsibleState.Collapsed);
  });

  it('are grouped by connection if their connection is not active, with a row that switches to it', () => {
    const shown = { id: 'c' };
    const changed = new Emitter<void>();
    const getName = (id: string): string => (id === 'gone' ? '' : `Service ${id}`);
    const grouped = new SearchTree(store, { shown, getName, onDidChange: changed.event }, new CopyIndex(store));
    store.restoreSaved([saved('s1', 'd'), saved('s2'), saved('s3', 'd'), saved('s4', 'gone')]);
    const words = (parent?: SearchTreeNode): string[] =>
      grouped.getChildren(parent).map((node) => formatRow(grouped.getTreeItem(node)).replace(/ \| .*as of.*/, ''));
    assert.deepEqual(words(), ['“s2”', 'Service d | 2 searches', 'Removed connection | 1 search']);
    const [, group, gone] = grouped.getChildren();
    assert.ok(group && gone);
    assert.deepEqual([words(group), words(gone)], [['Switch to Service d', '“s1”', '“s3”'], ['“s4”']]);
    assert.deepEqual(grouped.getParent(grouped.getRoot('s3')), group);
    const [row] = grouped.getChildren(group).map((node) => grouped.getTreeItem(node));
    const argument = { kind: 'connection', id: 'd' };
    assert.deepEqual([row?.command?.command, row?.command?.arguments], ['dataTransfer.switchConnection', [argument]]);
    const drawn: unknown[] = [];
    grouped.onDidChangeTreeData((node) => drawn.push(node));
    shown.id = 'd';
    changed.fire();
    assert.deepEqual([drawn, words()[0]], [[undefined], '“s1”']);
    grouped.dispose();
  });
});

function plainSpaces(text: string): string {
  return text.replaceAll('\u202f', ' ');
}
