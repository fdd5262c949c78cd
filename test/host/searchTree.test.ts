import assert from 'node:assert/strict';
import { TreeItemCheckboxState, type TreeItem } from 'vscode';
import type { FoundFile } from '../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../src/core/store/searchStore.ts';
import type { SearchTreeNode } from '../../src/views/nodes.ts';
import { checkedText, SearchTree } from '../../src/views/searchTree.ts';
import { problem } from '../support/faultBehaviours.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { fileEntry, wordsOf } from './specimens.ts';
import { Stage } from './stage.ts';

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

  it('says that nothing was found', () => {
    open('s');
    fill('s', []);
    assert.deepEqual(rows('s'), ['No files found.']);
  });

  it('ends with a row that loads more where there may be more (D9)', () => {
    open('s');
    fill('s', [fileEntry('f1'), fileEntry('f2')], true);
    assert.deepEqual(roots(), ['“corn” | Alpha · 2+ files']);
    const more = items(tree.root('s')).at(-1);
    assert.ok(more);
    assert.equal(wordsOf(more), 'Load more (2 shown)');
    assert.deepEqual(
      [more.command?.command, more.command?.arguments],
      ['dataTransfer.loadMore', [{ kind: 'search', key: 's' }]],
    );
    store.update('s', { loading: true });
    assert.equal(rows('s').at(-1), 'Loading more…');
  });

  it('keeps the files when the next page fails, and ends with a row that tries again', () => {
    open('s');
    fill('s', [fileEntry('f1')], true);
    store.update('s', { reason: { kind: 'serverError', status: 500 } });
    assert.deepEqual(rows('s'), ['f1.csv', 'Could not search Alpha: the service failed (500). Retry']);
  });

  it('ends what the service says in a whole sentence with one full stop', () => {
    open('s');
    store.update('s', {
      loading: false,
      reason: { kind: 'serverError', status: 500, detail: 'The folder is not there.' },
    });
    assert.deepEqual(rows('s'), ['Could not search Alpha: the service failed: The folder is not there. Retry']);
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
    assert.equal(checkedText(store.checkedFiles()), '2 checked (1.5 kB)');
    assert.equal(checkedText([]), '');
    const { Checked, Unchecked } = TreeItemCheckboxState;
    const boxes = (key: string): unknown[] => items(tree.root(key)).map(({ checkboxState }) => checkboxState);
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
});

describe('Searching in the editor', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
    publicLike(stage.server, 'the-key');
    await stage.connect('the-key');
  });
  afterEach(() => stage.close());

  const clickLast = async (): Promise<void> => {
    const tree = new SearchTree(stage.parts.searchStore);
    const [root] = tree.getChildren();
    const last = root && tree.getChildren(root).at(-1);
    assert.ok(last);
    await stage.click(tree.getTreeItem(last));
    tree.dispose();
  };

  it('finds files, and its Retry row brings them after a failure', async () => {
    stage.server.on('POST /api/v1/files', problem(500, 'out of order'));
    const failed = await stage.search('JGI Data Portal', 'JDP:00000');
    assert.equal(failed.reason?.kind, 'serverError');
    assert.deepEqual(stage.person.notices.slice(1), [], 'the row says it, no notice does');
    publicLike(stage.server, 'the-key');
    await clickLast();
    const again = stage.parts.searchStore.get(failed.key);
    assert.equal(again?.reason, undefined);
    assert.equal(again?.files.length, 10);
  });

  it('loads page after page until nothing new comes (D9)', async () => {
    const configuration = stage.settings;
    await configuration.update('search.pageSize', 25, true);
    const { key } = await stage.search('JGI Data Portal', '');
    const count = (): number => stage.parts.searchStore.get(key)?.files.length ?? 0;
    assert.equal(count(), 25);
    while (stage.parts.searchStore.get(key)?.mayHaveMore) await clickLast();
    assert.equal(count(), 60);
  });

  it('repeats a search from its start, and takes it out of the list', async () => {
    const { key } = await stage.search('JGI Data Portal', 'JDP:000001');
    const before = stage.server.requestsTo('POST /api/v1/files').length;
    await stage.run('dataTransfer.repeatSearch', { kind: 'search', key });
    assert.ok(stage.server.requestsTo('POST /api/v1/files').length > before);
    assert.equal(stage.parts.searchStore.get(key)?.files.length, 1);
    await stage.run('dataTransfer.dismissSearch', { kind: 'search', key });
    assert.deepEqual(stage.parts.searchStore.all(), []);
  });

  it('offers the last words again, and leaves nothing behind after Escape', async () => {
    await stage.search('JGI Data Portal', 'JDP:000001');
    const done = stage.run('dataTransfer.searchFiles');
    const pick = await stage.person.pick();
    assert.equal(pick.activeItems[0]?.label, 'JGI Data Portal');
    pick.choose('National Microbiome Data Collaborative');
    const box = await stage.person.textBox();
    assert.equal(box.value, 'JDP:000001');
    box.goBack();
    (await stage.person.pick()).escape();
    await done;
    assert.equal(stage.parts.searchStore.all().length, 1);
  });
});
