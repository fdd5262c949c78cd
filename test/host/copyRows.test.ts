import assert from 'node:assert/strict';
import type { ThemeIcon, TreeItem } from 'vscode';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import type { FileEntry } from '../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import type { SearchTree } from '../../src/extension/features/search/searchTree.ts';
import { createSearchTree, fileEntry, getText, formatRow } from './specimens.ts';

const hash = 'a'.repeat(64);
const copyIn = (database: string): FileEntry => fileEntry(`${database}-file`, { database, hash, sizeBytes: 67_000 });

describe('The row of a file that several databases contain', () => {
  let store: SearchStore;
  let index: CopyIndex;
  let tree: SearchTree;
  beforeEach(() => {
    store = new SearchStore();
    index = new CopyIndex(store);
    tree = createSearchTree(store, index);
  });
  afterEach(() => {
    tree.dispose();
    index.dispose();
  });

  const open = (database: string): void => store.open(database, 'c', { database, query: 'corn', pageSize: 2 });
  const fill = (database: string, ...files: readonly FileEntry[]): void =>
    store.update(database, { files, isLoading: false });
  const drawRoots = (): readonly TreeItem[] => tree.getChildren().map((node) => tree.getTreeItem(node));
  const getRows = (database: string): readonly string[] =>
    tree.getChildren(tree.getRoot(database)).map((node) => formatRow(tree.getTreeItem(node)));

  it('names the other databases, and so does its tooltip (D60: same content)', () => {
    open('Alpha');
    fill('Alpha', copyIn('Alpha'), fileEntry('f2', { sizeBytes: 67_000 }));
    assert.deepEqual(getRows('Alpha').slice(0, 2), ['Alpha-file.csv | 67 kB', 'f2.csv | 67 kB']);
    for (const database of ['Beta', 'Gamma', 'Delta']) {
      open(database);
      fill(database, copyIn(database));
    }
    assert.equal(getRows('Alpha')[0], 'Alpha-file.csv | 67 kB · also in Beta, Gamma and 1 more');
    assert.equal(getRows('Alpha')[1], 'f2.csv | 67 kB');
    const [node, other] = tree.getChildren(tree.getRoot('Alpha'));
    assert.ok(node && other);
    const icons = [node, other].map((one) => (tree.getTreeItem(one).iconPath as ThemeIcon).id);
    assert.deepEqual(icons, ['files', 'file'], 'a narrow view truncates the names, but shows the icon');
    const { tooltip } = tree.resolveTreeItem(tree.getTreeItem(node), node);
    assert.match(getText(tooltip), /\nAlso in: Beta, Gamma, Delta$/);
  });

  it('is redrawn when another search finds a copy, without redrawing other searches', () => {
    for (const database of ['Alpha', 'Gamma']) {
      open(database);
      fill(database, ...(database === 'Alpha' ? [copyIn(database)] : []));
    }
    open('Beta');
    drawRoots();
    const redrawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => redrawn.push(node));
    fill('Beta', copyIn('Beta'));
    assert.deepEqual(new Set(redrawn), new Set([tree.getRoot('Alpha'), tree.getRoot('Beta')]));
  });
});
