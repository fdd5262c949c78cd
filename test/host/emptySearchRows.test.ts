import assert from 'node:assert/strict';
import { TreeItemCollapsibleState } from 'vscode';
import type { FoundFile } from '../../src/core/model/fileEntry.ts';
import { SearchStore, setBatch } from '../../src/core/search/searchStore.ts';
import type { SearchTreeNode } from '../../src/extension/views/nodes.ts';
import type { SearchTree } from '../../src/extension/features/search/searchTree.ts';
import { createSearchTree, fileEntry, readSearchRows, getText, formatRow, type SearchRows } from './specimens.ts';

describe('The rows of a search of all databases', () => {
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

  const fill = (key: string, files: readonly FoundFile[]): void =>
    store.update(key, { files, mayHaveMore: false, isLoading: false, isStale: false });
  const databases = ['Alpha', 'Beta', 'Gamma'];
  const searchAll = (...found: readonly string[]): void => {
    for (const name of databases.toReversed()) store.open(name, 'c', { database: name, query: 'corn', pageSize: 2 });
    for (const name of databases) fill(name, found.includes(name) ? [fileEntry('f1')] : []);
    setBatch(store, databases, 'all');
  };
  const getGroup = (): SearchTreeNode | undefined => tree.getChildren().find(({ kind }) => kind === 'emptySearches');

  it('collapse the databases without results into one row, after those with results', () => {
    searchAll('Beta');
    assert.deepEqual(roots(), ['Beta | 1 · “corn”', '2 databases without results | “corn”']);
    const group = getGroup();
    assert.deepEqual(items(group).map(formatRow), ['Alpha', 'Gamma']);
    assert.deepEqual(rows('Alpha'), ['No files found.', 'Refine Search…']);
    assert.equal(tree.getShownRow('Alpha'), group);
    assert.equal(tree.getParent(tree.getRoot('Alpha')), undefined);
    assert.equal(tree.getShownRow('Beta'), tree.getRoot('Beta'));
    const [item] = items().slice(-1);
    assert.equal(item?.collapsibleState, TreeItemCollapsibleState.Collapsed);
    assert.equal(getText(item.tooltip), '2 databases without results\n“corn”\nAlpha\nGamma');
  });

  it('include a separate row for a single database without results', () => {
    searchAll('Alpha', 'Beta');
    assert.deepEqual(roots(), ['Alpha | 1 · “corn”', 'Beta | 1 · “corn”', 'Gamma | “corn”']);
  });

  it('redraw only one row while they stay collapsed, and the whole tree when one of them finds files', () => {
    searchAll();
    roots();
    items(getGroup());
    const drawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    store.update('Beta', { isStale: true });
    assert.deepEqual(drawn, [tree.getRoot('Beta')]);
    fill('Beta', [fileEntry('f1')]);
    assert.equal(drawn.at(-1), undefined);
    assert.deepEqual(roots(), ['Beta | 1 · “corn”', '2 databases without results | “corn”']);
  });
});
