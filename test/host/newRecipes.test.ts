import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri, window } from 'vscode';
import { Stage } from './stage.ts';

const key = 'the-key';
const jgi = 'JGI Data Portal';
const kss = 'KBase Workspace Service (KSS)';

describe('A new recipe (D61)', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    stage.service.files.add('JDP:1');
    folder = await mkdtemp(join(tmpdir(), 'recipes-'));
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  const getPath = (name = 'r.transfer.json'): string => join(folder, name);
  const readText = (name: string): Promise<string> => readFile(getPath(name), 'utf8');

  it('is saved from checked files by ID, with the service but without the key, and is opened', async () => {
    const search = await stage.search(jgi, 'JDP');
    const files = search.files.filter((file) => file.kind === 'file');
    stage.parts.searchStore.setChecked(search.key, files, true);
    const done = stage.run('dataTransfer.saveAsRecipe');
    (await stage.person.pick()).choose('Checked files');
    (await stage.person.pick()).choose('By ID');
    (await stage.person.pick()).choose(kss);
    (await stage.person.saveDialog()).choose(Uri.file(getPath('mine.json')));
    await done;
    const text = await readText('mine.transfer.json');
    assert.deepEqual(JSON.parse(text), {
      version: 1,
      service: stage.server.address,
      from: { database: jgi, ids: files.map(({ id }) => id) },
      to: { database: kss },
    });
    assert.ok(!text.includes(key));
    assert.equal(window.activeTextEditor?.document.fileName, getPath('mine.transfer.json'));
    assert.equal(window.activeTextEditor.document.languageId, 'jsonc');
  });

  it('offers only a search of the same database if another one has files with equal IDs', async () => {
    const search = await stage.search(jgi, 'JDP');
    const files = search.files.filter((file) => file.kind === 'file');
    const { searchStore } = stage.parts;
    searchStore.open('other', search.connectionId, { ...search.query, database: kss });
    const others = files.map((file) => ({ ...file, database: kss }));
    searchStore.update('other', { files: others, mayHaveMore: false, isLoading: false, isStale: false });
    searchStore.setChecked(search.key, files, true);
    searchStore.update(search.key, { mayHaveMore: true });
    const done = stage.run('dataTransfer.saveAsRecipe');
    const sources = await stage.person.pick();
    assert.deepEqual(
      sources.items.slice(1).map(({ description }) => description),
      [`${kss} · ${files.length} files`, `${jgi} · ${files.length}+ files`],
    );
    sources.choose('Checked files');
    (await stage.person.pick()).choose('By search');
    (await stage.person.pick()).choose('No destination');
    (await stage.person.saveDialog()).choose(Uri.file(getPath()));
    await done;
    assert.equal((JSON.parse(await readText('r.transfer.json')) as { from: { database: string } }).from.database, jgi);
  });

  it('replaces an existing recipe only after confirmation if its name differs from the one selected in the dialog', async () => {
    const search = await stage.search(jgi, 'JDP');
    const node = { kind: 'search', key: search.key } as const;
    const save = async (answer?: string): Promise<string> => {
      const done = stage.run('dataTransfer.saveAsRecipe', node);
      (await stage.person.pick()).choose('No destination');
      (await stage.person.saveDialog()).choose(Uri.file(getPath('mine.json')));
      const question = await stage.person.notice(/^Replace mine\.transfer\.json\?$/);
      assert.deepEqual([question.isModal, question.buttons], [true, ['Replace']]);
      if (answer === undefined) question.dismiss();
      else question.press(answer);
      await done;
      return await readText('mine.transfer.json');
    };
    await writeFile(getPath('mine.transfer.json'), '{"mine": true}');
    assert.equal(await save(), '{"mine": true}');
    assert.match(await save('Replace'), /"version": 1/);
  });

  it('is saved from a search without a destination, which cannot be run', async () => {
    const search = await stage.search(jgi, 'JDP');
    const done = stage.run('dataTransfer.saveAsRecipe', { kind: 'search', key: search.key });
    (await stage.person.pick()).choose('No destination');
    (await stage.person.saveDialog()).choose(Uri.file(getPath()));
    await done;
    const { from, to } = JSON.parse(await readText('r.transfer.json')) as Record<string, unknown>;
    assert.deepEqual([from, to], [{ database: jgi, search: { query: 'JDP' } }, undefined]);
    const run = stage.run('dataTransfer.runRecipe', Uri.file(getPath()));
    (await stage.person.notice(/so it's only a saved search\.$/)).dismiss();
    await run;
  });

  it('is saved from a past transfer with its destination', async () => {
    await stage.search(jgi, 'JDP');
    await stage.transferAll(kss);
    const done = stage.run('dataTransfer.saveAsRecipe', stage.firstTransfer);
    (await stage.person.saveDialog()).choose(Uri.file(getPath()));
    await done;
    assert.deepEqual((JSON.parse(await readText('r.transfer.json')) as { to: unknown }).to, { database: kss });
  });
});
