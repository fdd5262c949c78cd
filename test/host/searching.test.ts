import assert from 'node:assert/strict';
import { json, problem } from '../support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { createSearchTree } from './specimens.ts';
import { Stage } from './stage.ts';

describe('Searching in the editor', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
  });
  afterEach(() => stage.close());

  const clickMessage = async (): Promise<void> => {
    const tree = createSearchTree(stage.parts.searchStore);
    const [root] = tree.getChildren();
    const last = root && tree.getChildren(root).find((node) => node.kind === 'message');
    assert.ok(last);
    await stage.click(tree.getTreeItem(last));
    tree.dispose();
  };

  it('loads the files of a failed search with the Retry row', async () => {
    stage.server.on('POST /api/v1/files', problem(500, 'out of order'));
    const failed = await stage.search('JGI Data Portal', 'JDP:00000');
    assert.equal(failed.reason?.kind, 'serverError');
    assert.deepEqual(stage.person.notices, [], 'the failure is shown in the row, not in a notification');
    publicLike(stage.server, 'the-key');
    await clickMessage();
    const again = stage.parts.searchStore.get(failed.key);
    assert.equal(again?.reason, undefined);
    assert.equal(again?.files.length, 10);
  });

  it('loads page after page until a page has no new files (D9)', async () => {
    const configuration = stage.settings;
    await configuration.update('search.pageSize', 25, true);
    const { key } = await stage.search('JGI Data Portal', '');
    const count = (): number => stage.parts.searchStore.get(key)?.files.length ?? 0;
    assert.equal(count(), 25);
    while (stage.parts.searchStore.get(key)?.mayHaveMore) await clickMessage();
    assert.equal(count(), 60);
  });

  it('repeats a search from the first page, and removes a search from the list', async () => {
    const { key } = await stage.search('JGI Data Portal', 'JDP:000001');
    const before = stage.server.requestsTo('POST /api/v1/files').length;
    await stage.run('dataTransfer.repeatSearch', { kind: 'search', key });
    assert.ok(stage.server.requestsTo('POST /api/v1/files').length > before);
    assert.equal(stage.parts.searchStore.get(key)?.files.length, 1);
    await stage.run('dataTransfer.dismissSearch', { kind: 'search', key });
    assert.deepEqual(stage.parts.searchStore.getAll(), []);
  });

  it('highlights the first database, not all databases, before the first search', async () => {
    const done = stage.run('dataTransfer.searchFiles');
    const pick = await stage.person.pick();
    assert.equal(pick.labels.at(-1), 'All databases');
    assert.deepEqual(pick.activeItems, [], 'the editor highlights the first');
    pick.escape();
    await done;
  });

  it('suggests the last values, and changes nothing after Escape', async () => {
    await stage.search('JGI Data Portal', 'JDP:000001');
    const done = stage.run('dataTransfer.searchFiles');
    const pick = await stage.person.pick();
    pick.choose('National Microbiome Data Collaborative');
    const box = await stage.person.textBox();
    assert.equal(box.value, 'JDP:000001');
    box.goBack();
    (await stage.person.pick()).escape();
    await done;
    assert.equal(stage.parts.searchStore.getAll().length, 1);
  });

  it('repeats a recent search of this connection from the first step, and stores each only once', async () => {
    for (const words of ['JDP:000001', 'JDP:000002', 'JDP:000001']) await stage.search('JGI Data Portal', words);
    const done = stage.run('dataTransfer.searchFiles');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels.slice(0, 5), [
      'Recent searches',
      '“JDP:000001”',
      '“JDP:000002”',
      'Databases',
      'JGI Data Portal',
    ]);
    assert.deepEqual(pick.activeItems, [], 'the editor highlights the first');
    pick.choose('“JDP:000002”');
    await done;
    assert.deepEqual(stage.parts.searchStore.getAll()[0]?.query.query, 'JDP:000002');
    assert.deepEqual(await stage.parts.memory.getRecentSearches('another'), []);
  });

  it('stores a limited number of recent searches, and omits very long ones', async () => {
    const { memory } = stage.parts;
    for (let count = 0; count < 30; count++) await memory.rememberSearch('c', { query: `q${count}` });
    await memory.rememberSearch('c', { query: 'x'.repeat(10_000) });
    const kept = await memory.getRecentSearches('c');
    assert.deepEqual([kept.length, kept[0]], [20, { query: 'q29' }]);
  });

  it('ignores stored recent searches that are malformed', async () => {
    const { context, memory } = stage.parts;
    // Version 0.1 stored recent searches under this key.
    await context.globalState.update('recentSearches', { c: [{ query: 5 }, null, { query: 'x', pageSize: -1 }], d: 7 });
    assert.deepEqual([await memory.getRecentSearches('c'), await memory.getRecentSearches('d')], [[], []]);
  });

  it('searches every database, each with its own row, failure reason and pages', async () => {
    const { person, parts, server } = stage;
    server.on('POST /api/v1/files', problem(500, 'not this one'), json({ resources: [{ id: 'f' }] }));
    const done = stage.run('dataTransfer.searchAllDatabases');
    const box = await person.textBox();
    box.value = 'corn';
    box.press('Filters…');
    const options = await person.pick();
    assert.deepEqual(options.labels, ['Search', 'Staging', 'Results per page']);
    options.choose('Search');
    await done;
    const found = parts.searchStore.getAll();
    const names = parts.connectionStore.listing.databases.map(({ name }) => name);
    assert.deepEqual(
      found.map(({ query }) => query.database),
      names,
    );
    assert.equal(found.filter(({ reason }) => reason?.kind === 'serverError').length, 1);
    assert.equal(found.filter(({ files }) => files.length === 1).length, 2);
  });

  it('sends nothing if another connection becomes active while the user enters the search terms', async () => {
    const { person, server } = stage;
    const done = stage.run('dataTransfer.searchAllDatabases');
    const box = await person.textBox();
    await stage.run('dataTransfer.startLocalService');
    box.enter('corn');
    await done;
    await person.notice(/^The command was canceled because its connection is no longer active\.$/);
    assert.deepEqual(server.requestsTo('POST /api/v1/files'), []);
  });

  it('skips databases that refuse a search of all databases, and includes them on a click (D38)', async () => {
    const { person, parts } = stage;
    service.refusesSearches = true;
    const searchAll = async (): Promise<void> => {
      await stage.run('dataTransfer.clearResults');
      const done = stage.run('dataTransfer.searchAllDatabases');
      (await person.textBox()).enter('JDP');
      await done;
    };
    const found = (): string[] => parts.searchStore.getAll().map(({ query }) => query.database);
    await searchAll();
    assert.equal(found().length, 3, 'nothing is known yet');
    await searchAll();
    assert.deepEqual(found(), ['JGI Data Portal']);
    const tree = createSearchTree(parts.searchStore);
    const [line] = tree.getChildren().map((node) => tree.getTreeItem(node));
    assert.equal(line?.label, 'Search 2 skipped databases');
    await stage.click(line);
    assert.equal(found().length, 3);
    assert.deepEqual(
      tree.getChildren().map(({ kind }) => kind),
      ['search', 'search', 'search'],
    );
    tree.dispose();
  });

  it('refines a search: the new one replaces it, unless files of the old one are checked', async () => {
    const { person, parts } = stage;
    const first = await stage.search('JGI Data Portal', 'JDP:00001');
    const refine = async (key: string, words: string): Promise<void> => {
      const done = stage.run('dataTransfer.refineSearch', { kind: 'search', key });
      (await person.textBox()).enter(words);
      (await person.pick()).choose('Search');
      await done;
    };
    await refine(first.key, 'JDP:000012');
    const [second, ...none] = parts.searchStore.getAll();
    assert.ok(second);
    assert.deepEqual([second.query.query, second.files.length, none], ['JDP:000012', 1, []]);
    parts.searchStore.checkAll(second.key);
    await refine(second.key, 'JDP:000013');
    assert.deepEqual(
      parts.searchStore.getAll().map(({ query }) => query.query),
      ['JDP:000013', 'JDP:000012'],
    );
  });

  it('lists the search operators only for the local service, which supports them (D21)', async () => {
    const { person } = stage;
    const prompt = async (name: string): Promise<string> => {
      const done = stage.run('dataTransfer.searchFiles', { kind: 'database', name });
      const box = await person.textBox();
      box.escape();
      await done;
      return box.text;
    };
    assert.doesNotMatch(await prompt('JGI Data Portal'), /format:csv/);
    await stage.run('dataTransfer.startLocalService');
    assert.match(await prompt('Sample Data'), /"a phrase", -word, this \| that, format:csv/);
  });

  it('reports a syntax error while the user types, only for the local service (D21)', async () => {
    const { person } = stage;
    const mark = async (name: string, words: string): Promise<string> => {
      const done = stage.run('dataTransfer.searchFiles', { kind: 'database', name });
      const box = await person.textBox();
      box.type(words);
      const message = box.validationMessage;
      box.escape();
      await done;
      return message;
    };
    assert.equal(await mark('JGI Data Portal', 'bytes:>'), '');
    await stage.run('dataTransfer.startLocalService');
    assert.equal(
      await mark('Sample Data', 'bytes:>'),
      'Enter a size after bytes: (character 1), for example bytes:>1MB.',
    );
    assert.equal(await mark('Sample Data', 'soil "rain'), "The quotation mark at character 6 isn't closed.");
    assert.equal(await mark('Sample Data', 'path:'), 'Enter a value after path: (character 1).');
    assert.match(await mark('Sample Data', 'minBytes:1000'), /^minBytes: \(character 1\) isn't a valid filter\./);
    assert.equal(await mark('Sample Data', 'JDP:6101 bytes:>1MB'), '');
  });
});
