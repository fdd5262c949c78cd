import assert from 'node:assert/strict';
import { TreeItemCheckboxState, TreeItemCollapsibleState, type TreeItem } from 'vscode';
import type { FoundFile } from '../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../src/core/store/searchStore.ts';
import { checkedText } from '../../src/host/searchWords.ts';
import type { SearchTreeNode } from '../../src/views/nodes.ts';
import { SearchTree } from '../../src/views/searchTree.ts';
import { fileEntry, textOf, wordsOf } from './specimens.ts';

describe('The tree of search results', () => {
  let store: SearchStore;
  let tree: SearchTree;
  beforeEach(() => {
    store = new SearchStore();
    tree = new SearchTree(store);
  });
  afterEach(() => tree.dispose());

  const items = (parent?: SearchTreeNode): TreeItem[] => tree.getChildren(parent).map((node) => tree.getTreeItem(node));
  const roots = (): string[] => items().map(wordsOf);
  const rows = (key: string): string[] => items(tree.root(key)).map(wordsOf);
  const open = (key: string, query = 'corn', database = 'Alpha'): void =>
    store.open(key, 'c', { database, query, pageSize: 2 });
  const fill = (key: string, files: readonly FoundFile[], mayHaveMore = false): void =>
    store.update(key, { files, mayHaveMore, loading: false });

  it('is empty without a search', () => {
    assert.deepEqual(roots(), []);
  });

  it('shows a search as soon as it is asked for, and that it is on its way', () => {
    open('s');
    assert.deepEqual(roots(), ['“corn” | Alpha']);
    assert.deepEqual(rows('s'), ['Searching…']);
  });

  it('shows the newest search first, and one without words by what it means', () => {
    open('s1');
    open('s2', '', 'Beta');
    assert.deepEqual(roots(), ['All files | Beta', '“corn” | Alpha']);
  });

  it('shows the files with size and format, and how many there are', () => {
    open('s');
    fill('s', [fileEntry('f1', { sizeBytes: 67_000, format: 'json' }), fileEntry('f2')]);
    assert.deepEqual(roots(), ['“corn” | Alpha · 2 files']);
    assert.deepEqual(rows('s'), ['f1.csv | 67 kB · json', 'f2.csv']);
  });

  it('says that nothing was found, and offers to edit the search', () => {
    open('s');
    fill('s', []);
    assert.deepEqual(rows('s'), ['No files found.', 'Edit Search…']);
    const edit = items(tree.root('s')).at(-1);
    assert.deepEqual(
      [edit?.command?.command, edit?.command?.arguments],
      ['dataTransfer.refineSearch', [{ kind: 'search', key: 's' }]],
    );
  });

  it('ends with a row that loads more where there may be more (D9)', () => {
    open('s');
    fill('s', [fileEntry('f1'), fileEntry('f2')], true);
    assert.deepEqual(roots(), ['“corn” | Alpha · 2+ files']);
    const last = items(tree.root('s')).slice(-3);
    assert.deepEqual(last.map(wordsOf), ['2 files loaded; more may exist', 'Load More', 'Load All']);
    assert.deepEqual(
      last.map(({ command }) => [command?.command, command?.arguments]),
      ['loadMore', 'loadMore', 'loadAll'].map((id) => [`dataTransfer.${id}`, [{ kind: 'search', key: 's' }]]),
    );
    store.update('s', { loading: true });
    assert.equal(rows('s').at(-1), 'Loading more…');
  });

  it('keeps the files when the next page fails, and ends with the reason and a row that tries again', () => {
    open('s');
    fill('s', [fileEntry('f1')], true);
    store.update('s', { reason: { kind: 'serverError', status: 500 } });
    assert.deepEqual(rows('s'), ['f1.csv', 'The service failed (500)', 'Retry', 'Edit Search…']);
    const commands = items(tree.root('s'))
      .slice(1)
      .map(({ command }) => [command?.command, command?.arguments]);
    const node = { kind: 'search', key: 's' };
    assert.deepEqual(commands, [
      ['dataTransfer.loadMore', [node]],
      ['dataTransfer.loadMore', [node]],
      ['dataTransfer.refineSearch', [node]],
    ]);
  });

  it('begins with what the service says, and has the whole sentence in the tooltip', () => {
    open('s');
    store.update('s', {
      loading: false,
      reason: { kind: 'serverError', status: 500, detail: 'The folder is not there.' },
    });
    assert.equal(rows('s')[0], 'The service failed: The folder is not there');
    const [trouble] = items(tree.root('s'));
    assert.equal(trouble?.tooltip, 'Could not search Alpha: the service failed: The folder is not there');
  });

  it('shows a file that cannot be read among the others (D15)', () => {
    open('s');
    fill('s', [fileEntry('f1'), { kind: 'unreadable', text: '{"id":5}' }, fileEntry('f2')]);
    assert.deepEqual(rows('s'), ['f1.csv', 'Unreadable file: {"id":5}', 'f2.csv']);
    const [, unreadable] = items(tree.root('s'));
    assert.equal(unreadable?.checkboxState, undefined);
  });

  it('has a check box at every file, and tells how many are checked and how much that is', () => {
    open('s1');
    open('s2', 'rice');
    const files = [fileEntry('f1', { sizeBytes: 1000 }), fileEntry('f2', { sizeBytes: 500 })];
    for (const key of ['s1', 's2']) fill(key, files);
    store.setChecked('s1', files, true);
    store.setChecked('s2', files.slice(0, 1), true);
    assert.equal(checkedText(store.checked), '2 ✓ 1.5 kB');
    assert.equal(checkedText({ count: 0, sizeBytes: 0 }), '');
    assert.equal(checkedText({ count: 1, sizeBytes: 0 }), '1 checked', 'a size that is not known is not 0 bytes');
    const { Checked, Unchecked } = TreeItemCheckboxState;
    const boxes = (key: string): unknown[] =>
      items(tree.root(key)).map(({ checkboxState: box }) => (typeof box === 'object' ? box.state : box));
    assert.deepEqual(
      [boxes('s1'), boxes('s2')],
      [
        [Checked, Checked],
        [Checked, Unchecked],
      ],
    );
    assert.equal(store.checkedFiles().length, 2, 'a file that two searches found is transferred once');
  });

  it('draws nothing again for a check: a check that is made meanwhile would be lost', () => {
    open('s1');
    const files = [fileEntry('f1'), fileEntry('f2')];
    fill('s1', files);
    const row = tree.root('s1');
    tree.getTreeItem(row);
    const drawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    store.setChecked('s1', files, true);
    assert.deepEqual(drawn, []);
    store.uncheck();
    assert.deepEqual(drawn, [row]);
  });

  it('tells the editor once of what changes before it has drawn the search again', () => {
    open('s');
    const [root] = tree.getChildren();
    assert.ok(root);
    tree.getTreeItem(root);
    const drawn: (SearchTreeNode | undefined)[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    fill('s', [fileEntry('f1')]);
    fill('s', [fileEntry('f1'), fileEntry('f2')]);
    assert.deepEqual(drawn, [root]);
    tree.getTreeItem(root);
    fill('s', [fileEntry('f1'), fileEntry('f2'), fileEntry('f3')]);
    assert.deepEqual(drawn, [root, root]);
  });

  it('draws only the search that changed', () => {
    open('s1');
    open('s2');
    for (const row of tree.getChildren()) tree.getTreeItem(row);
    const drawn: (SearchTreeNode | undefined)[] = [];
    const subscription = tree.onDidChangeTreeData((node) => drawn.push(node));
    fill('s1', [fileEntry('f1')]);
    store.dismiss(['s1']);
    subscription.dispose();
    assert.deepEqual(drawn, [{ kind: 'search', key: 's1' }, undefined]);
    assert.deepEqual(roots(), ['“corn” | Alpha']);
  });

  it('keeps the id of a row whose search has just gone, until the row goes too', () => {
    open('s');
    const [root] = tree.getChildren();
    assert.ok(root);
    store.dismiss(['s']);
    assert.equal(tree.getTreeItem(root).id, 's');
  });

  it('knows the parent of a file, so that it can be shown', () => {
    open('s');
    fill('s', [fileEntry('f1')]);
    tree.getChildren();
    const [file] = tree.getChildren(tree.root('s'));
    assert.ok(file);
    assert.equal(tree.getParent(file), tree.root('s'));
    assert.equal(tree.getParent(tree.root('s')), undefined);
  });

  it('says that a search was stopped before anything came, and how to go on', () => {
    open('s');
    store.update('s', { loading: false });
    assert.deepEqual(rows('s'), ['Stopped. Search again']);
  });

  it('makes the tooltip of a file when it is looked at: path, size, type, hash, source and licence', () => {
    open('s');
    const resource = {
      id: 'f1',
      sources: [{ title: 'The station' }, { path: 'https://example.org' }, 7, { title: 'More' }],
      licenses: [{ name: 'CC-BY-4.0', title: 'Attribution' }],
    };
    const more = { path: 'data/f1.csv', sizeBytes: 1500, mediaType: 'text/csv', format: 'csv', hash: 'sha256:ab' };
    fill('s', [fileEntry('f1', { ...more, resource })]);
    const [node] = tree.getChildren(tree.root('s'));
    assert.ok(node);
    const item = tree.getTreeItem(node);
    assert.equal(item.tooltip, undefined);
    assert.deepEqual(textOf(tree.resolveTreeItem(item, node).tooltip).split('\n'), [
      'Path: data/f1.csv',
      'Size: 1.5 kB',
      'Type: csv, text/csv',
      'Hash: sha256:ab',
      'Source: The station; https://example.org; …',
      'Licence: Attribution',
      'Id: f1',
    ]);
  });

  it('shows the filters of a search, and what it is sorted by', () => {
    const specific = { sort: 'name', max: 3 };
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, status: 'unstaged', specific });
    fill('s', [fileEntry('b', { sizeBytes: 5 }), fileEntry('a10', { sizeBytes: 9 }), fileEntry('a9')]);
    assert.deepEqual(roots(), ['All files | Alpha · unstaged · sort: name · max: 3 · 3 files']);
    store.update('s', { order: 'name' });
    assert.match(roots()[0] ?? '', / · by name$/);
    assert.deepEqual(rows('s'), ['a9.csv', 'a10.csv | 9 bytes', 'b.csv | 5 bytes']);
    store.update('s', { order: 'size' });
    assert.deepEqual(rows('s'), ['a10.csv | 9 bytes', 'b.csv | 5 bytes', 'a9.csv']);
    store.update('s', { order: 'relevance' });
    assert.deepEqual(rows('s')[0], 'b.csv | 5 bytes');
  });

  it('puts what comes to a sorted search in its place when the search rests', () => {
    open('s');
    store.update('s', { order: 'name' });
    fill('s', [fileEntry('c'), fileEntry('b')], true);
    assert.deepEqual(rows('s').slice(0, 2), ['b.csv', 'c.csv']);
    store.update('s', { loading: true });
    store.add('s', [fileEntry('a')]);
    store.update('s', { nextOffset: 4 });
    assert.deepEqual(rows('s'), ['b.csv', 'c.csv', 'a.csv', 'Loading more…']);
    store.update('s', { loading: false, mayHaveMore: false });
    assert.deepEqual(rows('s'), ['a.csv', 'b.csv', 'c.csv']);
  });

  it('shows very many files in parts, the first and the newest one open', () => {
    open('s');
    const files = Array.from({ length: 2500 }, (_, index) => fileEntry(`f${index}`));
    fill('s', files, true);
    assert.deepEqual(rows('s'), [
      '1 – 1,000 | f0.csv – f999.csv',
      '1,001 – 2,000 | f1000.csv – f1999.csv',
      '2,001 – 2,500 | f2000.csv – f2499.csv',
      '2,500 files loaded; more may exist',
      'Load More',
      'Load All',
    ]);
    const { Collapsed, Expanded } = TreeItemCollapsibleState;
    const states = items(tree.root('s')).map(({ collapsibleState }) => collapsibleState);
    assert.deepEqual(states.slice(0, 3), [Expanded, Collapsed, Expanded]);
    const parts = tree.getChildren(tree.root('s')).filter((node) => node.kind === 'part');
    assert.deepEqual(
      parts.map((part) => tree.getChildren(part).length),
      [1000, 1000, 500],
    );
    const [last] = parts.slice(-1);
    const [file] = last ? tree.getChildren(last) : [];
    assert.deepEqual(file && tree.getParent(file), last);
    assert.equal(last && tree.getParent(last), tree.root('s'));
  });

  it('says of a search by ids that was stopped how many ids were looked up', () => {
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, ids: ['f1', 'f2', 'f3'] });
    store.update('s', { files: [fileEntry('f1')], nextOffset: 1, loading: false, mayHaveMore: true });
    assert.deepEqual(rows('s'), ['f1.csv', 'Load More (1 of 3 IDs looked up)']);
  });

  it('shows a search by ids with what it did not find', () => {
    const ids = ['f1', 'x', 'y'];
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, ids });
    assert.deepEqual([roots(), rows('s')], [['3 ids | Alpha'], ['Fetched 0 of 3…']]);
    const missing = [{ id: 'x' }, { id: 'y', reason: { kind: 'notFound', detail: 'no such id' } as const }];
    store.update('s', { files: [fileEntry('f1')], missing, loading: false, mayHaveMore: false });
    assert.deepEqual(rows('s'), ['f1.csv', '2 IDs not found']);
    const [group] = tree.getChildren(tree.root('s')).filter((node) => node.kind === 'missing');
    assert.ok(group);
    assert.deepEqual(items(group).map(wordsOf), ['x', 'y']);
    const tooltips = items(group).map(({ tooltip }) => tooltip);
    assert.deepEqual(tooltips, ['x\nthe service does not know it', 'y\nunknown to the service: no such id']);
  });
});
