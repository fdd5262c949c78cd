import assert from 'node:assert/strict';
import { json } from '../support/faultBehaviors.ts';
import { Stage } from './stage.ts';

describe('The steps of a search', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(() => stage.close());

  const bodies = (): Record<string, unknown>[] =>
    stage.server.requestsTo('POST /api/v1/files').map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('list five recent searches before the databases, and the others after them', async () => {
    const { memory, sessions } = stage.parts;
    const database = 'JGI Data Portal';
    for (let count = 1; count <= 7; count += 1)
      await memory.rememberSearch(sessions.active?.connection.id ?? '', { database, query: `q${count}` });
    const done = stage.run('dataTransfer.searchFiles');
    const pick = await stage.person.pick();
    const recent = ['“q7”', '“q6”', '“q5”', '“q4”', '“q3”'];
    assert.deepEqual(pick.labels.slice(0, 7), ['Recent searches', ...recent, 'Databases']);
    assert.deepEqual(pick.labels.slice(-4), ['All databases', 'Earlier searches', '“q2”', '“q1”']);
    pick.escape();
    await done;
  });

  it('start the search on Enter after the terms, without the filters of the previous search', async () => {
    const { person } = stage;
    const filtered = stage.run('dataTransfer.searchFiles', { kind: 'database', name: 'JGI Data Portal' });
    const box = await person.textBox();
    box.value = 'JDP:00001';
    box.press('Filters…');
    (await person.pick()).choose('Staging');
    (await person.pick()).choose('Staged');
    (await person.pick()).goBack();
    const again = await person.textBox();
    assert.match(again.text, /\) · Filters: staged/);
    assert.equal(again.value, 'JDP:00001');
    again.enter();
    await filtered;
    assert.equal(bodies().at(-1)?.['status'], 'staged');
    const { query } = await stage.search('JGI Data Portal', 'JDP:00002');
    assert.deepEqual([query.status, query.query], [undefined, 'JDP:00002']);
  });

  it('list all files of a database without further steps', async () => {
    await stage.run('dataTransfer.listFiles', { kind: 'database', name: 'JGI Data Portal' });
    const [search] = stage.parts.searchStore.getAll();
    assert.deepEqual([search?.query.query, (search?.files.length ?? 0) > 0], ['', true]);
  });

  it('accept human-readable sizes and dates for the local service, and show the parsed value', async () => {
    const { person } = stage;
    await stage.run('dataTransfer.startLocalService');
    const done = stage.run('dataTransfer.searchWithFilters', { kind: 'database', name: 'Sample Data' });
    (await person.textBox()).enter('');
    const choose = async (label: string): Promise<void> => {
      const options = await person.pick();
      await options.settled();
      options.choose(label);
    };
    await choose('Minimum size');
    const size = await person.textBox();
    size.type('large');
    assert.equal(size.validationMessage, 'Enter a value such as 10 MB or 1.5 GiB.');
    size.type('10 MB');
    assert.deepEqual([size.validationMessage, size.understood], ['', '10,000,000 bytes']);
    size.enter('2 kB');
    await choose('Modified after');
    const date = await person.textBox();
    date.type('2020-05-01');
    assert.match(date.understood, /Friday, May 1, 2020/);
    date.enter();
    await choose('Sort order');
    (await person.pick()).choose('descending');
    const last = await person.pick();
    await last.settled();
    assert.match(
      last.items[0]?.description ?? '',
      /Minimum size: 2 kB · Modified after: 2020-05-01 · Sort order: descending$/,
    );
    last.choose('Search');
    await done;
    const [search] = stage.parts.searchStore.getAll();
    const modifiedAfter = new Date(2020, 4, 1).toISOString();
    assert.deepEqual(search?.query.specific, { minBytes: 2000, modifiedAfter, order: 'desc' });
    assert.equal(search.reason, undefined);
    assert.ok(search.files.length > 0);
  });

  it('send status, page size and a value selected from the list of the service (D26)', async () => {
    const { person } = stage;
    const done = stage.run('dataTransfer.searchWithFilters', { kind: 'database', name: 'JGI Data Portal' });
    (await person.textBox()).enter('JDP');
    (await person.pick()).choose('Staging');
    const status = await person.pick();
    assert.equal(status.text.match(/may have to be prepared or restored first/g)?.length, 1, status.text);
    status.choose('Unstaged');
    (await person.pick()).choose('Results per page');
    const size = await person.textBox();
    size.type('0');
    assert.equal(size.validationMessage, 'Enter a whole number from 1 to 10,000.');
    size.enter('7');
    const options = await person.pick();
    await options.settled();
    assert.deepEqual(options.labels, ['Search', 'Staging', 'Results per page', 'Parameters for JGI Data Portal', 'd']);
    options.choose('d');
    (await person.pick()).choose('desc');
    const last = await person.pick();
    assert.equal(last.items[0]?.description, '“JDP” · JGI Data Portal · unstaged · d: desc');
    last.choose('Search');
    await done;
    const { status: sent, limit, specific } = bodies().at(-1) ?? {};
    assert.deepEqual([sent, limit, specific], ['unstaged', 7, { d: 'desc' }]);
  });

  it('accept parameters as JSON if the service lists none, validated while the user types', async () => {
    const { person } = stage;
    const done = stage.run('dataTransfer.searchWithFilters', {
      kind: 'database',
      name: 'KBase Workspace Service (KSS)',
    });
    (await person.textBox()).enter('');
    const options = await person.pick();
    await options.settled();
    options.choose('Parameters as JSON');
    const box = await person.textBox();
    box.enter('[1]');
    assert.equal(box.validationMessage, 'Enter a JSON object.');
    box.enter('{"sort":');
    assert.equal(box.validationMessage, 'Invalid JSON at character 9.');
    box.enter('{"n": -1e999}');
    const complaint = 'The JSON object contains a number that is too large. Put it in quotation marks.';
    assert.equal(box.validationMessage, complaint);
    box.enter('{"__proto__": 1, "n": 5}');
    (await person.pick()).choose('Search');
    await done;
    assert.deepEqual(bodies().at(-1)?.['specific'], JSON.parse('{"__proto__": 1, "n": 5}'));
  });

  it('accept numbers, and clear a parameter when the input is empty', async () => {
    const { person, server } = stage;
    const listed = { max: { type: 'number', value: null }, flag: { type: 'boolean' }, word: { type: 'string' } };
    server.on('GET /api/v1/databases/jdp/search-parameters', json(listed));
    const done = stage.run('dataTransfer.searchWithFilters', { kind: 'database', name: 'JGI Data Portal' });
    (await person.textBox()).enter('');
    const choose = async (label: string): Promise<void> => {
      const options = await person.pick();
      await options.settled();
      options.choose(label);
    };
    await choose('max');
    const box = await person.textBox();
    box.enter('many');
    assert.equal(box.validationMessage, 'Enter a number.');
    box.enter('12.5');
    await choose('flag');
    (await person.pick()).choose('true');
    for (const text of ['corn', '']) {
      await choose('word');
      (await person.textBox()).enter(text);
    }
    await choose('Search');
    await done;
    assert.deepEqual(bodies().at(-1)?.['specific'], { max: 12.5, flag: true });
  });
});
