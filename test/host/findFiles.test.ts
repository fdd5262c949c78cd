import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { env, Position, Selection, Uri, window, workspace } from 'vscode';
import type { Search } from '../../src/core/search/searchStore.ts';
import { createLastRows } from '../../src/extension/features/search/searchItems.ts';
import type { ScriptedPick } from '../support/scriptedInputs.ts';
import { Stage } from './stage.ts';

describe('Finding files by ID', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    folder = await mkdtemp(join(tmpdir(), 'ids-'));
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the command until it shows the list of sources for the IDs. */
  const begin = async (): Promise<{ done: Promise<void>; sources: ScriptedPick }> => {
    const done = stage.run('dataTransfer.findFilesById');
    (await stage.person.pick()).choose('JGI Data Portal');
    return { done, sources: await stage.person.pick() };
  };
  const found = (): Search => {
    const [search] = stage.parts.searchStore.getAll();
    assert.ok(search, 'there is a search');
    return search;
  };
  const ids = ({ files }: Search): string[] => files.flatMap((file) => (file.kind === 'file' ? [file.id] : []));

  /** Runs the command with a CSV file until it shows the list of the file's columns. */
  const beginCsv = async (text: string): Promise<{ done: Promise<void>; columns: ScriptedPick }> => {
    const file = join(folder, 'files.csv');
    await writeFile(file, text);
    const { done, sources } = await begin();
    sources.choose('Table column…');
    (await stage.person.pick()).choose('Another file…');
    (await stage.person.folderDialog()).choose(Uri.file(file));
    return { done, columns: await stage.person.pick() };
  };

  it('accepts typed IDs without duplicates, and lists those that were not found', async () => {
    const { done, sources } = await begin();
    sources.choose('Type or paste IDs');
    const box = await stage.person.textBox();
    box.enter(' , ');
    assert.equal(box.validationMessage, 'Enter at least one ID.');
    box.enter('JDP:000001, JDP:000002 JDP:nobody,JDP:000001');
    await done;
    const search = found();
    assert.deepEqual(ids(search), ['JDP:000001', 'JDP:000002']);
    const { searchStore } = stage.parts;
    assert.deepEqual(
      searchStore.getCheckedFiles().map(({ file }) => file.id),
      ['JDP:000001', 'JDP:000002'],
      'the files are checked already',
    );
    assert.deepEqual(
      search.missing.map(({ id }) => id),
      ['JDP:nobody'],
    );
    assert.deepEqual([search.reason, search.mayHaveMore], [undefined, false]);
  });

  it('accepts the IDs selected in the editor', async () => {
    const document = await workspace.openTextDocument({ content: 'first\nJDP:000003\nJDP:000004\nlast' });
    const editor = await window.showTextDocument(document);
    editor.selection = new Selection(1, 0, 3, 0);
    const { done, sources } = await begin();
    assert.equal(sources.items[0]?.description, '2 IDs: JDP:000003, JDP:000004');
    sources.choose('Editor selection');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000003', 'JDP:000004']);
  });

  it('accepts the IDs on the clipboard, without reading them before the user chooses it', async () => {
    await env.clipboard.writeText('JDP:000005\r\nJDP:000006\r\n');
    const { done, sources } = await begin();
    assert.doesNotMatch(sources.text, /JDP:000005/);
    sources.choose('Clipboard');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000005', 'JDP:000006']);
  });

  it('reports that an empty clipboard contains no IDs', async () => {
    await env.clipboard.writeText(' ');
    const { done, sources } = await begin();
    sources.choose('Clipboard');
    await stage.person.notice(/^No IDs found\. Copy or select some first\.$/);
    await done;
    assert.deepEqual(stage.parts.searchStore.getAll(), []);
  });

  it('suggests the column of a CSV file by its name, and shows sample values of each column', async () => {
    const text = 'note,file_id,"size, in bytes"\r\n"a ""b"", c",JDP:000007,1\r\n,JDP:000008,2\r\n';
    const { done, columns } = await beginCsv(text);
    assert.deepEqual(columns.labels, ['note', 'file_id', 'size, in bytes']);
    const active = columns.activeItems.map(({ label, description }) => [label, description]);
    assert.deepEqual(active, [['file_id', 'JDP:000007, JDP:000008']]);
    columns.choose('file_id');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000007', 'JDP:000008']);
  });

  it('looks up the ids of a table exactly, and names those that were found only without outer spaces', async () => {
    const { done, columns } = await beginCsv('file_id,n\n JDP:000009,1\nJDP:000010 ,2\nJDP:000011,3\n');
    columns.choose('file_id');
    await done;
    const search = found();
    assert.deepEqual(search.query.ids, [' JDP:000009', 'JDP:000010 ', 'JDP:000011']);
    assert.deepEqual(ids(search).sort(), ['JDP:000009', 'JDP:000010', 'JDP:000011']);
    const rows = createLastRows(search, { kind: 'search', key: search.key });
    const texts = rows.map((row) => (row.kind === 'message' ? row.text : row.kind));
    assert.deepEqual(texts, ['2 IDs found only without the spaces around them']);
    const again = stage.run('dataTransfer.refineSearch', { kind: 'search', key: search.key });
    (await stage.person.pick()).choose('Type or paste IDs');
    (await stage.person.textBox()).enter();
    await again;
    assert.deepEqual(found().query.ids, search.query.ids, 'unchanged ids keep their spaces');
  });

  it('reads a list without a header row', async () => {
    const { done, columns } = await beginCsv('JDP:000009\nJDP:000010\n');
    columns.choose('Column 1');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000009', 'JDP:000010']);
  });

  it('reports a file that contains no table', async () => {
    const file = join(folder, 'files.csv');
    await writeFile(file, '\n');
    const { done, sources } = await begin();
    sources.choose('Table column…');
    (await stage.person.pick()).choose('Another file…');
    (await stage.person.folderDialog()).choose(Uri.file(file));
    await stage.person.notice(/files\.csv doesn't contain a table\.$/);
    await done;
  });

  it('lists the open table first, reads its unsaved changes, and later lists the last used table first', async () => {
    const file = Uri.file(join(folder, 'open.csv'));
    await writeFile(file.fsPath, 'file_id,n\nJDP:000001,1\n');
    const editor = await window.showTextDocument(file);
    await editor.edit((edit) => edit.insert(new Position(2, 0), 'JDP:000002,2\n'));
    const { done, sources } = await begin();
    sources.choose('Table column…');
    const files = await stage.person.pick();
    assert.deepEqual([files.items[0]?.description, files.labels.at(-1)], ['open in the editor', 'Another file…']);
    files.choose(files.labels[0] ?? '');
    (await stage.person.pick()).choose('file_id');
    await done;
    assert.deepEqual(ids(found()), ['JDP:000001', 'JDP:000002']);
    await editor.document.save();
    await stage.closePages();
    const again = await begin();
    again.sources.choose('Table column…');
    const next = await stage.person.pick();
    assert.match(next.labels[0] ?? '', /open\.csv$/);
    assert.equal(next.items[0]?.description, 'last used');
    next.escape();
    await again.done;
  });

  it('lists the table of the active editor before those of other tabs', async () => {
    for (const name of ['other.csv', 'active.csv']) {
      await writeFile(join(folder, name), 'file_id\nJDP:000001\n');
      await window.showTextDocument(Uri.file(join(folder, name)), { preview: false });
    }
    const { done, sources } = await begin();
    sources.choose('Table column…');
    const files = await stage.person.pick();
    const open = files.items.filter(({ description }) => description === 'open in the editor');
    assert.deepEqual(
      open.map(({ label }) => basename(label)),
      ['active.csv', 'other.csv'],
    );
    files.escape();
    await done;
  });

  it('asks for confirmation before it fetches thousands of files', async () => {
    const many = Array.from({ length: 5001 }, (_, index) => `x${index}`);
    const { done, sources } = await begin();
    sources.choose('Type or paste IDs');
    (await stage.person.textBox()).enter(many.join(' '));
    (await stage.person.notice(/^Look up 5,001 files in JGI Data Portal\?$/)).dismiss();
    await done;
    assert.deepEqual(stage.parts.searchStore.getAll(), []);
  });

  it('lets the user edit the IDs', async () => {
    const first = await begin();
    first.sources.choose('Type or paste IDs');
    (await stage.person.textBox()).enter('JDP:000001 JDP:nobody');
    await first.done;
    const done = stage.run('dataTransfer.refineSearch', { kind: 'search', key: found().key });
    (await stage.person.pick()).choose('Type or paste IDs');
    const box = await stage.person.textBox();
    assert.equal(box.value, 'JDP:000001, JDP:nobody');
    box.enter('JDP:000002');
    await done;
    assert.deepEqual([ids(found()), stage.parts.searchStore.getAll().length], [['JDP:000002'], 1]);
  });

  it('lets the user edit hundreds of IDs, and loses none of them', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `JDP:${String(index).padStart(6, '0')}`);
    const first = await begin();
    first.sources.choose('Type or paste IDs');
    (await stage.person.textBox()).enter(many.join(' '));
    await first.done;
    const done = stage.run('dataTransfer.refineSearch', { kind: 'search', key: found().key });
    (await stage.person.pick()).choose('Type or paste IDs');
    (await stage.person.textBox()).enter();
    await done;
    assert.deepEqual(found().query.ids, many);
  });
});
