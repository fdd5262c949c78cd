import assert from 'node:assert/strict';
import { commands } from 'vscode';
import { json, silence } from '../support/faultBehaviors.ts';
import { getEmptySearches, setBatch } from '../../src/core/search/searchStore.ts';
import { createSearchTree, formatRow } from './specimens.ts';
import { Stage } from './stage.ts';

describe('The commands of a search', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(() => stage.close());

  const lastRows = (key: string): string[] => {
    const tree = createSearchTree(stage.parts.searchStore);
    const rows = tree.getChildren(tree.getRoot(key)).map((node) => formatRow(tree.getTreeItem(node)));
    tree.dispose();
    return rows.slice(-2);
  };

  const shown = (): string[] => stage.parts.searchStore.getAll().map(({ query }) => query.query);

  it('load all pages (D9)', async () => {
    await stage.settings.update('search.pageSize', 25, true);
    const { key, files } = await stage.search('JGI Data Portal', '');
    assert.equal(files.length, 25);
    await stage.run('dataTransfer.loadAll', { kind: 'search', key });
    const search = stage.parts.searchStore.get(key);
    assert.deepEqual([search?.files.length, search?.mayHaveMore, search?.isLoading], [60, false, false]);
    assert.deepEqual(stage.person.statusMessages.at(-1), 'All results are loaded: 60 files.');
  });

  it('ask for confirmation to continue after several thousand files', async () => {
    const { person, server, parts } = stage;
    const page = (start: number): ReturnType<typeof json> =>
      json({ resources: Array.from({ length: 3000 }, (_, index) => ({ id: `f${start + index}` })) });
    server.on('POST /api/v1/files', page(0), page(3000), page(6000), json({ resources: [] }));
    const { key } = await stage.search('JGI Data Portal', '');
    const done = stage.run('dataTransfer.loadAll', { kind: 'search', key });
    const notice = await person.notice(/^6,000 files loaded; the total is unknown\. Keep loading\?$/);
    assert.equal(notice.isModal, true, 'a notification would hide after some seconds');
    assert.equal(parts.searchStore.get(key)?.isLoading, false);
    assert.equal(lastRows(key).at(-1), '6,000 found · look for more', 'the row stays');
    notice.press('Keep Loading');
    await done;
    assert.equal(parts.searchStore.get(key)?.files.length, 9000);
  });

  it('continue to load without another prompt if the command is repeated', async () => {
    const { person, server, parts } = stage;
    const page = (start: number): ReturnType<typeof json> =>
      json({ resources: Array.from({ length: 3000 }, (_, index) => ({ id: `f${start + index}` })) });
    server.on('POST /api/v1/files', page(0), page(3000), page(6000), json({ resources: [] }));
    const { key } = await stage.search('JGI Data Portal', '');
    const first = stage.run('dataTransfer.loadAll', { kind: 'search', key });
    (await person.notice(/^6,000 files loaded/)).dismiss();
    await first;
    await stage.run('dataTransfer.loadAll', { kind: 'search', key });
    assert.equal(parts.searchStore.get(key)?.files.length, 9000);
  });

  it('offer to show the results, not to start a search, if all results are loaded', async () => {
    const { key } = await stage.search('JGI Data Portal', 'JDP:000001');
    await stage.run('dataTransfer.loadAll', { kind: 'search', key });
    for (const [command, text] of [
      ['dataTransfer.loadMore', 'All results are loaded.'],
      ['dataTransfer.loadAll', 'All results are loaded.'],
    ] as const) {
      await stage.run(command);
      const notice = await stage.person.notice(new RegExp(`^${text}$`));
      assert.deepEqual(notice.buttons, ['Show Search Results']);
      notice.press('Show Search Results');
    }
  });

  it('show in the status bar, not in a notification, that no files are checked', async () => {
    const { person } = stage;
    await stage.search('JGI Data Portal', 'JDP:000001');
    const { length } = person.notices;
    await stage.run('dataTransfer.uncheckAllFiles');
    assert.deepEqual([person.statusMessages.at(-1), person.notices.length], ['No files are checked.', length]);
  });

  it('stop a running search, and keep its results', async () => {
    await stage.settings.update('search.pageSize', 25, true);
    const { key } = await stage.search('JGI Data Portal', '');
    stage.server.on('POST /api/v1/files', silence());
    const done = stage.run('dataTransfer.loadMore', { kind: 'search', key });
    await stage.searchesUntil(([search]) => search?.isLoading === true);
    await stage.run('dataTransfer.stopSearch');
    await done;
    const search = stage.parts.searchStore.get(key);
    assert.deepEqual([search?.files.length, search?.isLoading, search?.reason], [25, false, undefined]);
  });

  it('say that results are still loading, if they are to be loaded from the palette', async () => {
    const { person, settings, server } = stage;
    await settings.update('search.pageSize', 25, true);
    const { key } = await stage.search('JGI Data Portal', '');
    server.on('POST /api/v1/files', silence());
    const done = stage.run('dataTransfer.loadMore', { kind: 'search', key });
    await stage.searchesUntil(([search]) => search?.isLoading === true);
    for (const command of ['dataTransfer.loadMore', 'dataTransfer.loadAll'] as const) {
      await stage.run(command);
      const notice = await person.notice(/^The search results are still loading\.$/);
      assert.deepEqual(notice.buttons, ['Show Search Results']);
      notice.dismiss();
    }
    await stage.run('dataTransfer.stopSearch');
    await done;
  });

  it('dismiss a search; Undo restores its position and checked files', async () => {
    const { parts, person } = stage;
    await stage.search('JGI Data Portal', 'JDP:000001');
    const second = await stage.search('JGI Data Portal', 'JDP:00002');
    await stage.search('JGI Data Portal', 'JDP:000003');
    parts.searchStore.checkAll(second.key);
    await stage.run('dataTransfer.dismissSearch', { kind: 'search', key: second.key });
    assert.deepEqual([shown(), parts.searchStore.checked.count], [['JDP:000003', 'JDP:000001'], 0]);
    (await person.notice(/^Removed search: “JDP:00002”$/)).press('Undo');
    await stage.searchesUntil((all) => all.length === 3);
    assert.deepEqual(shown(), ['JDP:000003', 'JDP:00002', 'JDP:000001']);
    assert.equal(parts.searchStore.checked.count, 10);
  });

  it('dismiss the databases without results together; Undo restores them', async () => {
    const { parts, person } = stage;
    const keys: string[] = [];
    for (const words of ['JDP:000001', 'none', 'nothing'])
      keys.push((await stage.search('JGI Data Portal', words)).key);
    setBatch(parts.searchStore, keys, 'all');
    await stage.run('dataTransfer.dismissSearch', { kind: 'emptySearches', batchId: 'all' });
    assert.deepEqual(shown(), ['JDP:000001']);
    (await person.notice(/^Removed 2 searches\.$/)).press('Undo');
    await stage.searchesUntil((all) => all.length === 3);
    assert.equal(getEmptySearches(parts.searchStore, 'all').length, 2);
  });

  it('do not dismiss the selected search if the row to dismiss no longer exists', async () => {
    const { key } = await stage.search('JGI Data Portal', 'JDP:000001');
    const gone = { kind: 'emptySearches', batchId: 'gone' };
    await commands.executeCommand('dataTransfer.dismissSearch', gone, [{ kind: 'search', key }]);
    assert.deepEqual(shown(), ['JDP:000001']);
  });

  it('clear all searches; Undo restores them', async () => {
    await stage.search('JGI Data Portal', 'JDP:000001');
    await stage.search('JGI Data Portal', 'JDP:000002');
    await stage.run('dataTransfer.clearResults');
    assert.deepEqual(shown(), []);
    (await stage.person.notice(/^Removed 2 searches\.$/)).press('Undo');
    await stage.searchesUntil((all) => all.length === 2);
    assert.deepEqual(shown(), ['JDP:000002', 'JDP:000001']);
  });

  it('sort a search, with the current order marked', async () => {
    const { key } = await stage.search('JGI Data Portal', 'JDP:00001');
    const sort = async (label: string): Promise<readonly (string | undefined)[]> => {
      const done = stage.run('dataTransfer.sortResults', { kind: 'search', key });
      const pick = await stage.person.pick();
      pick.choose(label);
      await done;
      return pick.items.filter(({ description }) => description === 'current').map((item) => item.label);
    };
    assert.deepEqual(await sort('Size'), ['Relevance']);
    assert.deepEqual(await sort('Name'), ['Size']);
    assert.equal(stage.parts.searchStore.get(key)?.order, 'name');
  });

  it('check and uncheck all files of a search', async () => {
    const { searchStore } = stage.parts;
    const { key } = await stage.search('JGI Data Portal', 'JDP:00001');
    await stage.run('dataTransfer.loadAll', { kind: 'search', key });
    await stage.run('dataTransfer.checkAllFiles');
    assert.deepEqual(searchStore.checked, { count: 10, sizeBytes: 100 });
    assert.match(stage.person.statusMessages.at(-1) ?? '', /^10 files checked\./);
    await stage.run('dataTransfer.uncheckAllFiles');
    assert.equal(searchStore.checked.count, 0);
  });

  it('ask which search to use if there are several', async () => {
    await stage.search('JGI Data Portal', 'JDP:000001');
    await stage.search('JGI Data Portal', 'JDP:000002');
    const done = stage.run('dataTransfer.checkAllFiles');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['“JDP:000002”', '“JDP:000001”']);
    pick.choose('“JDP:000001”');
    (await stage.person.pick()).choose('Check 1 loaded file; more may exist');
    await done;
    const [file] = stage.parts.searchStore.getCheckedFiles();
    assert.equal(file?.file.id, 'JDP:000001');
  });

  it('reopen the connection of a search', async () => {
    const { key, connectionId } = await stage.search('JGI Data Portal', 'JDP:000001');
    await stage.run('dataTransfer.disconnect');
    await stage.run('dataTransfer.repeatSearch', { kind: 'search', key });
    const search = stage.parts.searchStore.get(key);
    assert.deepEqual([search?.files.length, search?.reason], [1, undefined]);
    assert.equal(stage.parts.sessions.active?.connection.id, connectionId);
  });
});
