import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, Selection, Uri, window, workspace } from 'vscode';
import type { Search } from '../../src/core/store/searchStore.ts';
import { publicLike } from '../support/faultPersonality.ts';
import type { ScriptedPick } from '../support/scriptedInputs.ts';
import { Stage } from './stage.ts';

describe('Finding files by id', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.open();
    folder = await mkdtemp(join(tmpdir(), 'ids-'));
    publicLike(stage.server, 'the-key');
    await stage.connect('the-key');
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Begins, up to the list of where the ids are. */
  const begin = async (): Promise<{ done: Promise<void>; sources: ScriptedPick }> => {
    const done = stage.run('dataTransfer.findFilesById');
    (await stage.person.pick()).choose('JGI Data Portal');
    return { done, sources: await stage.person.pick() };
  };
  const found = (): Search => {
    const [search] = stage.parts.searchStore.all();
    assert.ok(search, 'there is a search');
    return search;
  };
  const ids = ({ files }: Search): string[] => files.flatMap((file) => (file.kind === 'file' ? [file.id] : []));

  /** Begins with a table, up to the list of its columns. */
  const beginCsv = async (text: string): Promise<{ done: Promise<void>; columns: ScriptedPick }> => {
    const file = join(folder, 'files.csv');
    await writeFile(file, text);
    const { done, sources } = await begin();
    sources.choose('Column of a CSV file…');
    (await stage.person.pick()).choose('Another file…');
    (await stage.person.folderDialog()).choose(Uri.file(file));
    return { done, columns: await stage.person.pick() };
  };

  it('takes typed ids, each once, and names those that were not found', async () => {
    const { done, sources } = await begin();
    sources.choose('Type or paste ids');
    const box = await stage.person.textBox();
    box.enter(' , ');
    assert.equal(box.validationMessage, 'Enter at least one id.');
    box.enter('JDP:000001, JDP:000002 JDP:nobody,JDP:000001');
    await done;
    const search = found();
    assert.deepEqual(ids(search), ['JDP:000001', 'JDP:000002']);
    assert.deepEqual(
      search.missing.map(({ id }) => id),
      ['JDP:nobody'],
    );
    assert.deepEqual([search.reason, search.mayHaveMore], [undefined, false]);
  });

  it('takes the ids that are selected in the editor', async () => {
    const document = await workspace.openTextDocument({ content: 'first\nJDP:000003\nJDP:000004\nlast' });
    const editor = await window.showTextDocument(document);
    editor.selection = new Selection(1, 0, 3, 0);
    const { done, sources } = await begin();
    assert.equal(sources.items[0]?.description, '2 ids: JDP:000003, JDP:000004');
    sources.choose('Selection in the editor');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000003', 'JDP:000004']);
  });

  it('takes the ids that were copied, and shows nothing of the clipboard before', async () => {
    await env.clipboard.writeText('JDP:000005\r\nJDP:000006\r\n');
    const { done, sources } = await begin();
    assert.doesNotMatch(sources.text, /JDP:000005/);
    sources.choose('Clipboard');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000005', 'JDP:000006']);
  });

  it('says that there are no ids on an empty clipboard', async () => {
    await env.clipboard.writeText(' ');
    const { done, sources } = await begin();
    sources.choose('Clipboard');
    await stage.person.notice(/^There are no ids on the clipboard\. Copy some first\.$/);
    await done;
    assert.deepEqual(stage.parts.searchStore.all(), []);
  });

  it('guesses the column of a CSV file by its name, and shows what stands in each', async () => {
    const text = 'note,file_id,"size, in bytes"\r\n"a ""b"", c",JDP:000007,1\r\n,JDP:000008,2\r\n';
    const { done, columns } = await beginCsv(text);
    assert.deepEqual(columns.labels, ['note', 'file_id', 'size, in bytes']);
    const active = columns.activeItems.map(({ label, description }) => [label, description]);
    assert.deepEqual(active, [['file_id', 'JDP:000007, JDP:000008']]);
    columns.choose('file_id');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000007', 'JDP:000008']);
  });

  it('takes a list without a head for what it is', async () => {
    const { done, columns } = await beginCsv('JDP:000009\nJDP:000010\n');
    columns.choose('JDP:000009');
    (await stage.person.pick()).choose('JDP:000009 is an id too');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000009', 'JDP:000010']);
  });

  it('says so when a file holds no table', async () => {
    const file = join(folder, 'files.csv');
    await writeFile(file, '\n');
    const { done, sources } = await begin();
    sources.choose('Column of a CSV file…');
    (await stage.person.pick()).choose('Another file…');
    (await stage.person.folderDialog()).choose(Uri.file(file));
    await stage.person.notice(/files\.csv holds no table\.$/);
    await done;
  });

  it('asks before very many are fetched', async () => {
    const many = Array.from({ length: 5001 }, (_, index) => `x${index}`);
    const { done, sources } = await begin();
    sources.choose('Type or paste ids');
    (await stage.person.textBox()).enter(many.join(' '));
    (await stage.person.notice(/^Fetch 5,001 files from JGI Data Portal\?$/)).dismiss();
    await done;
    assert.deepEqual(stage.parts.searchStore.all(), []);
  });

  it('is edited by its ids', async () => {
    const first = await begin();
    first.sources.choose('Type or paste ids');
    (await stage.person.textBox()).enter('JDP:000001 JDP:nobody');
    await first.done;
    const done = stage.run('dataTransfer.refineSearch', { kind: 'search', key: found().key });
    (await stage.person.pick()).choose('Type or paste ids');
    const box = await stage.person.textBox();
    assert.equal(box.value, 'JDP:000001, JDP:nobody');
    box.enter('JDP:000002');
    await done;
    assert.deepEqual([ids(found()), stage.parts.searchStore.all().length], [['JDP:000002'], 1]);
  });
});
