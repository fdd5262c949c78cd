import assert from 'node:assert/strict';
import type { TreeItem } from 'vscode';
import type { FoundFile } from '../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import type { SearchTreeNode } from '../../src/extension/views/nodes.ts';
import type { SearchTree } from '../../src/extension/features/search/searchTree.ts';
import { createSearchTree, fileEntry, formatRow } from './specimens.ts';

describe('The search results tree with incomplete searches', () => {
  let store: SearchStore;
  let tree: SearchTree;
  beforeEach(() => {
    store = new SearchStore();
    tree = createSearchTree(store);
  });
  afterEach(() => tree.dispose());

  const items = (parent?: SearchTreeNode): TreeItem[] => tree.getChildren(parent).map((node) => tree.getTreeItem(node));
  const rows = (key: string): string[] => items(tree.getRoot(key)).map(formatRow);
  const open = (key: string): void => store.open(key, 'c', { database: 'Alpha', query: 'corn', pageSize: 2 });
  const fill = (key: string, files: readonly FoundFile[], mayHaveMore = false): void =>
    store.update(key, { files, mayHaveMore, isLoading: false });

  it('shows that a search stopped after pages without a new file, and how to continue (D9)', () => {
    open('s');
    fill('s', [fileEntry('f1')], true);
    store.update('s', { pagesWithoutNew: 2 });
    assert.deepEqual(rows('s'), ['f1.csv', '1 found · look for more']);
    store.update('s', { pagesWithoutNew: 3 });
    const stopped = '1 found · look for more | the last three pages contained no new files';
    assert.deepEqual(rows('s'), ['f1.csv', stopped]);
    assert.equal(items(tree.getRoot('s')).at(1)?.command?.command, 'dataTransfer.loadMore');
    store.update('s', { mayHaveMore: false, pagesWithoutNew: 0 });
    assert.deepEqual(rows('s'), ['f1.csv']);
  });

  it('distinguishes IDs that could not be looked up from IDs that were not found (D8)', () => {
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, ids: ['f1', 'x', 'y', 'z'] });
    const missing = [
      { id: 'x' },
      { id: 'y', reason: { kind: 'serverError', detail: 'the archive is down' } as const },
      { id: 'z', reason: { kind: 'dropped', detail: 'z', isIdAtFault: true } as const },
    ];
    store.update('s', { files: [fileEntry('f1')], missing, isLoading: false, mayHaveMore: false });
    assert.deepEqual(rows('s'), ['f1.csv', '1 ID not found', "2 IDs couldn't be looked up"]);
    const [, failed] = tree.getChildren(tree.getRoot('s')).filter((node) => node.kind === 'missing');
    assert.ok(failed);
    assert.deepEqual(
      items(failed).map(({ tooltip }) => tooltip),
      [
        'y\nthe service returned an error: the archive is down',
        'z\nthe service closes the connection when the ID z is requested',
      ],
    );
  });

  it('shows that IDs could not be looked up, without "not found" (D8)', () => {
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 2, ids: ['x'] });
    store.update('s', { isLoading: false, reason: { kind: 'serverError', status: 503, detail: 'unavailable' } });
    assert.deepEqual(rows('s'), ['The service returned an error: unavailable', 'Retry', 'Refine Search…']);
    const [row] = items(tree.getRoot('s'));
    assert.equal(row?.tooltip, 'Could not look up the IDs in Alpha: the service returned an error: unavailable');
  });

  it('shows which database failed because its service rejects its own entry, and keeps the loaded pages (D38)', () => {
    open('s');
    fill('s', [fileEntry('f1')], true);
    const detail = 'I[#] S[#] doesn\'t validate with "data-resource#"';
    store.update('s', { reason: { kind: 'entryRejected', status: 500, detail } });
    const [file, row] = items(tree.getRoot('s'));
    assert.deepEqual(
      [file, row].map((item) => item && formatRow(item)),
      ['f1.csv', "Invalid entry in Alpha, rejected by the service's own validation"],
    );
    const why = "the service's own validation rejected an entry in its response";
    assert.equal(row?.tooltip, `Could not search Alpha: ${why}: ${detail}`);
  });

  it('lists the databases skipped by a search of all databases in a row, and includes them on request (D38)', () => {
    open('older');
    open('s');
    const query = { database: 'Beta', query: 'corn', pageSize: 2 };
    const searchability = { kind: 'notSearchable', detail: 'no search here' } as const;
    const roots = (): string[] => items().map(formatRow);
    store.setLeftOut({ connectionId: 'c', refused: [{ query, searchability }], keys: ['s'] });
    assert.deepEqual(roots(), ['Search 1 skipped database', '“corn” | Alpha', '“corn” | Alpha']);
    open('newer');
    assert.equal(roots()[1], 'Search 1 skipped database', 'it stays with its searches');
    const [, row] = items();
    assert.equal(row?.tooltip, "Beta: This database can't be searched. Server message: no search here");
    assert.deepEqual(row.command?.arguments, [{ kind: 'leftOut' }]);
    store.dismiss(['s']);
    assert.deepEqual(roots(), ['“corn” | Alpha', '“corn” | Alpha']);
  });

  it('redraws when the row of skipped databases is added or removed (D38)', () => {
    open('s');
    const drawn: unknown[] = [];
    items();
    tree.onDidChangeTreeData((node) => drawn.push(node));
    store.setLeftOut({ connectionId: 'c', refused: [], keys: ['s'] });
    store.setLeftOut(undefined);
    assert.deepEqual(drawn, [undefined, undefined]);
  });
});
