import assert from 'node:assert/strict';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import { sortFiles } from '../../../src/core/model/searchModel.ts';
import { getEmptySearches, leaveBatch, SearchStore, setBatch } from '../../../src/core/search/searchStore.ts';

const file = (id: string, more: Partial<FileEntry> = {}): FileEntry => {
  return { kind: 'file', id, database: 'Alpha', name: id, resource: { id }, ...more };
};

describe('The store of searches', () => {
  let store: SearchStore;
  beforeEach(() => {
    store = new SearchStore();
  });

  const open = (key: string, connectionId = 'c', ...files: FileEntry[]): void => {
    store.open(key, connectionId, { database: 'Alpha', query: key, pageSize: 2 });
    store.update(key, { files, isLoading: false });
  };
  const keys = (): string[] => store.getAll().map(({ key }) => key);

  it('counts a file that is checked in two searches once, until it is checked in neither', () => {
    const one = file('1', { sizeBytes: 10 });
    open('a', 'c', one);
    open('b', 'c', one);
    open('other', 'd', one);
    for (const { key } of store.getAll()) store.setChecked(key, [one, one], true);
    assert.deepEqual(store.checked, { count: 2, sizeBytes: 20 }, 'another connection has another file');
    store.setChecked('a', [one], false);
    assert.deepEqual([store.checked.count, store.getCheckedCount('a'), store.getCheckedCount('b')], [2, 0, 1]);
    store.uncheck(['b']);
    assert.deepEqual(store.checked, { count: 1, sizeBytes: 10 });
    store.dismiss(['other']);
    assert.deepEqual([store.checked, store.getCheckedFiles()], [{ count: 0, sizeBytes: 0 }, []]);
  });

  it('updates the metadata of a file that is checked in two searches when one of them is requested again', () => {
    const [old, gone, fresh] = [file('1', { sizeBytes: 1, hash: 'old' }), file('2'), file('1', { sizeBytes: 2 })];
    for (const key of ['a', 'b']) {
      open(key, 'c', old, gone);
      store.checkAll(key);
    }
    const replaced = store.get('a');
    assert.ok(replaced);
    store.replace('a', { ...replaced, files: [fresh] });
    assert.deepEqual(store.checked, { count: 2, sizeBytes: 2 });
    assert.deepEqual(
      store.getCheckedFiles().map((checked) => checked.file),
      [fresh, gone],
    );
    assert.deepEqual(store.getChecked('a'), [fresh, gone]);
    store.uncheck(['b']);
    assert.deepEqual(store.checked, { count: 2, sizeBytes: 2 });
    store.uncheck(['a']);
    assert.deepEqual(store.checked, { count: 0, sizeBytes: 0 });
  });

  it('unchecks given files of a connection in all its searches, and reports the searches that changed', () => {
    const [one, two] = [file('1'), file('2')];
    open('a', 'c', one, two);
    open('b', 'c', one);
    open('other', 'd', one);
    for (const { key, files } of store.getAll()) store.setChecked(key, files as FileEntry[], true);
    const events: (readonly string[])[] = [];
    store.onDidChange((changed) => events.push(changed));
    store.uncheckFiles('c', [{ database: 'Alpha', id: '1' }]);
    assert.deepEqual(
      store.getCheckedFiles().map(({ connectionId, file: { id } }) => `${connectionId} ${id}`),
      ['d 1', 'c 2'],
    );
    assert.deepEqual(events, [['a', 'b']]);
    store.uncheckFiles('c', [{ database: 'Beta', id: '2' }]);
    assert.equal(store.checked.count, 2, 'a file of another database is another file');
  });

  it('checks all readable files, and reports it as a change of the search', () => {
    open('a', 'c', file('1'), file('2'));
    store.update('a', { files: [file('1'), { kind: 'unreadable', text: '{}' }, file('2')] });
    const events: (readonly string[])[] = [];
    store.onDidChange((changed) => events.push(changed));
    store.checkAll('a');
    assert.deepEqual([store.checked.count, events], [2, [['a']]]);
  });

  describe('with a batch, the searches of all databases', () => {
    const empty = (): string[] => getEmptySearches(store, 'all').map(({ key }) => key);
    const end = (key: string, ...files: FileEntry[]): void => {
      open(key, 'c', ...files);
      store.update(key, { mayHaveMore: false });
    };

    it('collapses those without results, and leaves out failed, stopped and checked ones', () => {
      for (const key of ['a', 'b', 'failed', 'stopped', 'checked', 'missing']) end(key);
      end('found', file('1'));
      end('other');
      store.update('failed', { reason: { kind: 'serverError', status: 500 } });
      store.update('stopped', { mayHaveMore: true });
      store.update('missing', { missing: [{ id: 'x' }] });
      store.setChecked('checked', [file('gone')], true);
      setBatch(store, ['a', 'b', 'failed', 'stopped', 'checked', 'missing', 'found', 'dismissed'], 'all');
      assert.deepEqual(empty(), ['b', 'a']);
      const collapsed = store.getAll().filter(({ isCollapsed }) => isCollapsed);
      assert.deepEqual(
        collapsed.map(({ key }) => key),
        ['b', 'a'],
      );
    });

    it('has none without results if there is only one, which stays expanded', () => {
      end('a');
      end('found', file('1'));
      setBatch(store, ['a', 'found'], 'all');
      assert.deepEqual([empty(), store.get('a')?.isCollapsed], [[], false]);
      assert.equal(store.get('found')?.batchId, undefined, 'no row changes');
    });

    it('keeps saved searches while they are requested again (D59)', () => {
      for (const key of ['a', 'b']) end(key);
      setBatch(store, ['a', 'b'], 'all');
      store.update('a', { isStale: true, isLoading: true });
      assert.deepEqual(empty(), ['b', 'a']);
      store.update('a', { isStale: false });
      assert.deepEqual(empty(), []);
    });

    it('expands a search that leaves it, unless the user had collapsed it', () => {
      for (const key of ['a', 'b', 'c']) end(key);
      end('found', file('1'));
      setBatch(store, ['a', 'b', 'c', 'found'], 'all');
      store.setCollapsed('found', true);
      for (const key of ['a', 'found']) leaveBatch(store, key);
      assert.deepEqual([empty(), store.get('a')?.isCollapsed], [['c', 'b'], false]);
      assert.equal(store.get('found')?.isCollapsed, true);
    });
  });

  it('restores dismissed searches at their positions, with their checks, and not loading', () => {
    for (const key of ['a', 'b', 'c']) open(key, 'c', file(key));
    store.checkAll('b');
    store.update('b', { isLoading: true });
    const gone = store.dismiss(['b', 'a', 'unknown']);
    assert.deepEqual([keys(), store.checked.count], [['c'], 0]);
    open('d');
    store.restore(gone);
    assert.deepEqual(
      [keys(), store.isChecked('b', 'b'), store.get('b')?.isLoading],
      [['d', 'c', 'b', 'a'], true, false],
    );
    assert.equal(store.add('b', [file('b'), file('new')]), 1, 'known files stay known');
  });

  it('accepts files again that a search dropped when it was repeated', () => {
    open('a', 'c', file('1'));
    store.update('a', { files: [], nextOffset: 0 });
    assert.equal(store.add('a', [file('1'), file('1')]), 1);
  });

  it('ignores unknown searches', () => {
    assert.equal(store.add('nobody', [file('1')]), 0);
    store.setChecked('nobody', [file('1')], true);
    store.checkAll('nobody');
    store.restore([]);
    assert.deepEqual([store.getAll(), store.checked.count], [[], 0]);
  });
});

describe('The order of results', () => {
  const names = (order: 'relevance' | 'name' | 'size', language = 'en'): string[] =>
    sortFiles(
      [
        { kind: 'unreadable', text: '?' },
        file('x', { name: 'Part 10', sizeBytes: 3 }),
        file('y', { name: 'part 9' }),
        file('z', { name: 'Äpfel', sizeBytes: 0 }),
        file('w', { name: '', sizeBytes: 700 }),
      ],
      order,
      language,
    ).map((found) => (found.kind === 'file' ? found.id : '?'));

  it('is that of the responses, the collation for names, and descending for sizes', () => {
    assert.deepEqual(names('relevance'), ['?', 'x', 'y', 'z', 'w']);
    assert.deepEqual(names('name'), ['w', 'z', 'y', 'x', '?']);
    assert.deepEqual(names('size'), ['w', 'x', 'z', 'y', '?']);
  });

  it('depends on the language for names: Ä is an A in French, and the last letter but one in Swedish', () => {
    assert.deepEqual(names('name', 'fr'), ['w', 'z', 'y', 'x', '?']);
    assert.deepEqual(names('name', 'sv'), ['w', 'y', 'x', 'z', '?']);
  });
});
