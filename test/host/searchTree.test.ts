import assert from 'node:assert/strict';
import { ThemeIcon, TreeItemCheckboxState, TreeItemCollapsibleState } from 'vscode';
import type { StoreListing } from '../../src/core/model/databaseModel.ts';
import type { FoundFile } from '../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { formatCheckedCount } from '../../src/extension/words/searchWords.ts';
import type { SearchTreeNode } from '../../src/extension/views/nodes.ts';
import type { SearchTree } from '../../src/extension/features/search/searchTree.ts';
import { createSearchTree, fileEntry, readSearchRows, getText, formatRow, type SearchRows } from './specimens.ts';

describe('The search results tree', () => {
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

  const open = (key: string, query = 'corn', database = 'Alpha'): void =>
    store.open(key, 'c', { database, query, pageSize: 2 });
  const fill = (key: string, files: readonly FoundFile[], mayHaveMore = false): void =>
    store.update(key, { files, mayHaveMore, isLoading: false });

  it('is empty without a search', () => {
    assert.deepEqual(roots(), []);
  });

  it('shows a search as loading as soon as it starts', () => {
    open('s');
    assert.deepEqual(roots(), ['“corn” | Alpha']);
    assert.deepEqual(rows('s'), ['Searching…']);
  });

  it('shows the newest search first, and a search without terms as "All files"', () => {
    open('s1');
    open('s2', '', 'Beta');
    assert.deepEqual(roots(), ['All files | Beta', '“corn” | Alpha']);
  });

  it('shows the number of files, and each file with its size', () => {
    open('s');
    fill('s', [fileEntry('f1', { sizeBytes: 67_000, format: 'json' }), fileEntry('f2')]);
    assert.deepEqual(roots(), ['“corn” | 2 · Alpha']);
    assert.deepEqual(rows('s'), ['f1.csv | 67 kB', 'f2.csv']);
  });

  it('cuts a long name in its middle, and announces it in full', () => {
    open('s');
    const name = '10927.1.178132.CAGATC.filter-METAGENOME.fastq.gz';
    fill('s', [fileEntry('f1', { name, sizeBytes: 5 }), fileEntry('f2')]);
    const [cut, short] = items(tree.getRoot('s'));
    assert.equal(cut && formatRow(cut), '10927.1.178132.…AGENOME.fastq.gz | 5 bytes');
    assert.equal(cut?.accessibilityInformation?.label, `${name}, 5 bytes`);
    assert.equal(short?.accessibilityInformation, undefined, 'the label says it');
  });

  it('shows long names in full that would be the same without their middle', () => {
    open('s');
    const lanes = ['L001', 'L002'].map((lane) => `HG002_NA24385_son_S1_${lane}_R1_001.fastq.gz`);
    const other = 'HG003_NA24149_father_S1_L001_R1_001.fastq.gz';
    const [first = '', second = ''] = lanes;
    fill('s', [fileEntry('f1', { name: first }), fileEntry('f2', { name: other }), fileEntry('f3', { name: second })]);
    assert.deepEqual(rows('s'), [first, 'HG003_NA24149_f…_R1_001.fastq.gz', second]);
    fill('s', [fileEntry('f1', { name: first })]);
    assert.deepEqual(rows('s'), ['HG002_NA24385_s…_R1_001.fastq.gz']);
    const folders = ['a', 'b'].map((path) => fileEntry(path, { name: first, path: `${path}/${first}` }));
    fill('s', folders);
    assert.deepEqual(rows('s'), ['HG002_NA24385_s…_R1_001.fastq.gz | a', 'HG002_NA24385_s…_R1_001.fastq.gz | b']);
  });

  it('shows the ends of long names that begin alike, so that a narrow side bar shows what differs', () => {
    open('s');
    const names = ['001', '002', '003'].map((run) => `station-north-2026-03-01-${run}.csv`);
    const other = 'station-south-2026-03-01-001.csv';
    fill(
      's',
      [...names, other].map((name, index) => fileEntry(`f${index}`, { name })),
    );
    assert.deepEqual(rows('s'), ['station-…1-001.csv', 'station-…1-002.csv', 'station-…1-003.csv', other]);
    fill('s', [fileEntry('f0', { name: names[0] ?? '' })]);
    assert.deepEqual(rows('s'), [names[0]]);
  });

  it('shows the icon of the type of a file', () => {
    open('s');
    fill('s', [fileEntry('f1', { name: 'a/b.csv' })]);
    const [item] = items(tree.getRoot('s'));
    assert.equal(item?.iconPath, ThemeIcon.File);
    assert.equal(item.resourceUri?.path, '/a_b.csv');
  });

  it('shows the database as the label of searches for the same', () => {
    open('s1');
    fill('s1', [fileEntry('f1')]);
    open('s2', 'corn', 'Beta');
    open('s3', 'maize', 'Beta');
    assert.deepEqual(roots(), ['“maize” | Beta', 'Beta | “corn”', 'Alpha | 1 · “corn”']);
    store.dismiss(['s2']);
    assert.deepEqual(roots(), ['“maize” | Beta', '“corn” | 1 · Alpha']);
  });

  it('shows how old the listing of a store is, and why the last scan failed (D62)', () => {
    const asOf = new Date(new Date().setHours(10, 42)).toISOString();
    const says = (listing: StoreListing): string[] => {
      open('s');
      fill('s', [fileEntry('f1')]);
      store.update('s', { listing });
      const [item] = items();
      return [...roots(), getText(item?.tooltip)].map((text) => text.replaceAll('\u202f', ' '));
    };
    assert.deepEqual(says({ state: 'listed', files: 1, asOf }), ['“corn” | 1 · Alpha', '“corn”\nAlpha\n1 file']);
    assert.deepEqual(says({ state: 'scanning', files: 1, asOf }), [
      '“corn” | 1 · as of 10:42 AM · Alpha',
      '“corn”\nThe listing is from 10:42 AM, and a scan is running\nAlpha\n1 file',
    ]);
    assert.deepEqual(says({ state: 'scanning', files: 1 }), [
      '“corn” | 1 · search incomplete · Alpha',
      '“corn”\nThe listing is incomplete, and a scan is running\nAlpha\n1 file',
    ]);
    assert.deepEqual(says({ state: 'failed', files: 1, asOf, problem: 'its server\ndenies access' }), [
      '“corn” | 1 · as of 10:42 AM · Alpha',
      '“corn”\nThe listing is from 10:42 AM, because the last scan failed: its server denies access\nAlpha\n1 file',
    ]);
    assert.deepEqual(says({ state: 'failed', files: 1, problem: 'its server denies access' }), [
      '“corn” | 1 · search incomplete · Alpha',
      '“corn”\nThe listing is incomplete, because the last scan failed: its server denies access\nAlpha\n1 file',
    ]);
  });

  it('shows that no files were found, and offers to edit the search', () => {
    open('s');
    fill('s', []);
    assert.deepEqual(rows('s'), ['No files found.', 'Refine Search…']);
    const edit = items(tree.getRoot('s')).at(-1);
    assert.deepEqual(
      [edit?.command?.command, edit?.command?.arguments],
      ['dataTransfer.refineSearch', [{ kind: 'search', key: 's' }]],
    );
  });

  it('ends with a row that looks for more while more files may exist (D9)', () => {
    open('s');
    fill('s', [fileEntry('f1'), fileEntry('f2')], true);
    assert.deepEqual(roots(), ['“corn” | 2+ · Alpha']);
    const last = items(tree.getRoot('s')).slice(2);
    assert.deepEqual(last.map(formatRow), ['2 found · look for more']);
    assert.equal(last[0]?.accessibilityInformation?.label, '2 found · look for more');
    assert.deepEqual(
      last.map(({ command }) => [command?.command, command?.arguments]),
      [['dataTransfer.loadMore', [{ kind: 'search', key: 's' }]]],
    );
    store.update('s', { isLoading: true });
    assert.equal(rows('s').at(-1), 'Loading more…');
  });

  it('keeps the files when the next page fails, and ends with the reason and a Retry row', () => {
    open('s');
    fill('s', [fileEntry('f1')], true);
    store.update('s', { reason: { kind: 'serverError', status: 500 } });
    assert.deepEqual(rows('s'), ['f1.csv', 'The service returned an error (500)', 'Retry', 'Refine Search…']);
    const commands = items(tree.getRoot('s'))
      .slice(1)
      .map(({ command }) => [command?.command, command?.arguments]);
    const node = { kind: 'search', key: 's' };
    assert.deepEqual(commands, [
      ['dataTransfer.loadMore', [node]],
      ['dataTransfer.loadMore', [node]],
      ['dataTransfer.refineSearch', [node]],
    ]);
  });

  it("shows the service's message in the row, and the full sentence in the tooltip", () => {
    open('s');
    store.update('s', {
      isLoading: false,
      reason: { kind: 'serverError', status: 500, detail: 'The folder is not there.' },
    });
    assert.equal(rows('s')[0], 'The service returned an error: The folder is not there');
    const [problemRow] = items(tree.getRoot('s'));
    assert.equal(problemRow?.tooltip, 'Could not search Alpha: the service returned an error: The folder is not there');
  });

  it('shows an unreadable file among the others (D15)', () => {
    open('s');
    fill('s', [fileEntry('f1'), { kind: 'unreadable', text: '{"id":5}' }, fileEntry('f2')]);
    assert.deepEqual(rows('s'), ['f1.csv', 'Unreadable result: {"id":5}', 'f2.csv']);
    const [, unreadable] = items(tree.getRoot('s'));
    assert.equal(unreadable?.checkboxState, undefined);
  });

  it('has a checkbox for each file, and counts the checked files and their size', () => {
    open('s1');
    open('s2', 'rice');
    const files = [fileEntry('f1', { sizeBytes: 1000 }), fileEntry('f2', { sizeBytes: 500 })];
    for (const key of ['s1', 's2']) fill(key, files);
    store.setChecked('s1', files, true);
    store.setChecked('s2', files.slice(0, 1), true);
    assert.equal(formatCheckedCount(store.checked), '2 ✓ 1.5 kB');
    assert.equal(formatCheckedCount({ count: 0, sizeBytes: 0 }), '');
    assert.equal(formatCheckedCount({ count: 1, sizeBytes: 0 }), '1 checked', 'an unknown size is not 0 bytes');
    const { Checked, Unchecked } = TreeItemCheckboxState;
    const boxes = (key: string): unknown[] =>
      items(tree.getRoot(key)).map(({ checkboxState: box }) => (typeof box === 'object' ? box.state : box));
    assert.deepEqual(
      [boxes('s1'), boxes('s2')],
      [
        [Checked, Checked],
        [Checked, Unchecked],
      ],
    );
    assert.equal(store.getCheckedFiles().length, 2, 'a file that two searches found is transferred once');
  });

  it('redraws nothing when a file is checked, because a simultaneous check would be lost', () => {
    open('s1');
    const files = [fileEntry('f1'), fileEntry('f2')];
    fill('s1', files);
    const row = tree.getRoot('s1');
    tree.getTreeItem(row);
    const drawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    store.setChecked('s1', files, true);
    assert.deepEqual(drawn, []);
    store.uncheck(['s1']);
    assert.deepEqual(drawn, [row]);
  });

  it('reports several changes before a redraw only once', () => {
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

  it('redraws only the search that changed', () => {
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

  it("keeps the ID of a removed search's row until the editor removes the row", () => {
    open('s');
    const [root] = tree.getChildren();
    assert.ok(root);
    store.dismiss(['s']);
    assert.equal(tree.getTreeItem(root).id, 's');
  });

  it('returns the parent of a file, so that the file can be revealed', () => {
    open('s');
    fill('s', [fileEntry('f1')]);
    tree.getChildren();
    const [file] = tree.getChildren(tree.getRoot('s'));
    assert.ok(file);
    assert.equal(tree.getParent(file), tree.getRoot('s'));
    assert.equal(tree.getParent(tree.getRoot('s')), undefined);
  });

  it('shows that a search was stopped before the first result, and how to continue', () => {
    open('s');
    store.update('s', { isLoading: false });
    assert.deepEqual(rows('s'), ['Search Again (Stopped)']);
  });

  it('creates the tooltip of a file on hover: path, size, type, hash, source and license', () => {
    open('s');
    const resource = {
      id: 'f1',
      sources: [{ title: 'The station' }, { path: 'https://example.org' }, 7, { title: 'More' }],
      licenses: [{ name: 'CC-BY-4.0', title: 'Attribution' }],
    };
    const more = { path: 'data/f1.csv', sizeBytes: 1500, mediaType: 'text/csv', format: 'csv', hash: 'sha256:ab' };
    fill('s', [fileEntry('f1', { ...more, resource })]);
    const [node] = tree.getChildren(tree.getRoot('s'));
    assert.ok(node);
    const item = tree.getTreeItem(node);
    assert.equal(item.tooltip, undefined);
    assert.deepEqual(getText(tree.resolveTreeItem(item, node).tooltip).split('\n'), [
      'Path: data/f1.csv',
      'Size: 1.5 kB',
      'Type: csv, text/csv',
      'Hash: sha256:ab',
      'Source: The station; https://example.org; …',
      'License: Attribution',
      'ID: f1',
    ]);
  });

  it('shows the filters and the sort order of a search', () => {
    const specific = { sort: 'name', max: 3 };
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, status: 'unstaged', specific });
    fill('s', [fileEntry('b', { sizeBytes: 5 }), fileEntry('a10', { sizeBytes: 9 }), fileEntry('a9')]);
    assert.deepEqual(roots(), ['All files | 3 · Alpha · unstaged · sort: name · max: 3']);
    store.update('s', { order: 'name' });
    assert.match(roots()[0] ?? '', / · sorted by name$/);
    assert.deepEqual(rows('s'), ['a9.csv', 'a10.csv | 9 bytes', 'b.csv | 5 bytes']);
    store.update('s', { order: 'size' });
    assert.deepEqual(rows('s'), ['a10.csv | 9 bytes', 'b.csv | 5 bytes', 'a9.csv']);
    store.update('s', { order: 'relevance' });
    assert.deepEqual(rows('s')[0], 'b.csv | 5 bytes');
  });

  it('sorts new files of a sorted search when it stops loading', () => {
    open('s');
    store.update('s', { order: 'name' });
    fill('s', [fileEntry('c'), fileEntry('b')], true);
    assert.deepEqual(rows('s').slice(0, 2), ['b.csv', 'c.csv']);
    store.update('s', { isLoading: true });
    store.add('s', [fileEntry('a')]);
    store.update('s', { nextOffset: 4 });
    assert.deepEqual(rows('s'), ['b.csv', 'c.csv', 'a.csv', 'Loading more…']);
    store.update('s', { isLoading: false, mayHaveMore: false });
    assert.deepEqual(rows('s'), ['a.csv', 'b.csv', 'c.csv']);
  });

  it('shows many files in parts, with the first and the newest one expanded', () => {
    open('s');
    const files = Array.from({ length: 2500 }, (_, index) => fileEntry(`f${index}`));
    fill('s', files, true);
    assert.deepEqual(rows('s'), [
      '1 – 1,000 | f0.csv – f999.csv',
      '1,001 – 2,000 | f1000.csv – f1999.csv',
      '2,001 – 2,500 | f2000.csv – f2499.csv',
      '2,500 found · look for more',
    ]);
    const { Collapsed, Expanded } = TreeItemCollapsibleState;
    const states = items(tree.getRoot('s')).map(({ collapsibleState }) => collapsibleState);
    assert.deepEqual(states.slice(0, 3), [Expanded, Collapsed, Expanded]);
    const parts = tree.getChildren(tree.getRoot('s')).filter((node) => node.kind === 'part');
    assert.deepEqual(
      parts.map((part) => tree.getChildren(part).length),
      [1000, 1000, 500],
    );
    const [last] = parts.slice(-1);
    const [file] = last ? tree.getChildren(last) : [];
    assert.deepEqual(file && tree.getParent(file), last);
    assert.equal(last && tree.getParent(last), tree.getRoot('s'));
  });

  it('shows how many IDs a stopped search by IDs has looked up', () => {
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, ids: ['f1', 'f2', 'f3'] });
    store.update('s', { files: [fileEntry('f1')], nextOffset: 1, isLoading: false, mayHaveMore: true });
    assert.deepEqual(rows('s'), ['f1.csv', 'Load More (1 of 3 IDs looked up)']);
  });

  it('shows a search by IDs with the IDs that were not found', () => {
    const ids = ['f1', 'x', 'y'];
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, ids });
    assert.deepEqual([roots(), rows('s')], [['3 IDs | Alpha'], ['Looking up IDs (0 of 3)…']]);
    const missing = [{ id: 'x' }, { id: 'y', reason: { kind: 'notFound', detail: 'no such id' } as const }];
    store.update('s', { files: [fileEntry('f1')], missing, isLoading: false, mayHaveMore: false });
    assert.deepEqual(rows('s'), ['f1.csv', '2 IDs not found']);
    const [group] = tree.getChildren(tree.getRoot('s')).filter((node) => node.kind === 'missing');
    assert.ok(group);
    assert.deepEqual(items(group).map(formatRow), ['x', 'y']);
    const tooltips = items(group).map(({ tooltip }) => tooltip);
    assert.deepEqual(tooltips, ['x\nnot found on the service', 'y\nnot found on the service: no such id']);
  });
});
