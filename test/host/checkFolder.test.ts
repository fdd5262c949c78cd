import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Uri } from 'vscode';
import type { FileNode } from '../../src/extension/editor/contributions.ts';
import { createSearchItem } from '../../src/extension/features/search/searchItems.ts';
import { Stage } from './stage.ts';

describe('Check Folder of This File', () => {
  let stage: Stage;
  let folder: string;

  beforeEach(async () => {
    stage = await Stage.openWithOrcid();
    folder = join(await mkdtemp(join(tmpdir(), 'folder-')), 'Whole Folders');
    await mkdir(join(folder, 'exp.zarr/temp'), { recursive: true });
    for (const path of ['exp.zarr/.zgroup', 'exp.zarr/temp/.zarray', 'exp.zarr/temp/0.0', 'other.txt'])
      await writeFile(join(folder, path), 'content');
    await symlink('nothing', join(folder, 'exp.zarr/dropped'));
  });
  afterEach(async () => {
    await stage.close();
    await rm(dirname(folder), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  const serve = async (): Promise<FileNode> => {
    const done = stage.run('dataTransfer.serveThisFolder', Uri.file(folder));
    (await stage.person.textBox()).enter();
    await done;
    const { key: searchKey, connectionId, files } = await stage.search('Whole Folders', 'path:0.0');
    const [file] = files;
    assert.ok(file?.kind === 'file');
    return { kind: 'file', searchKey, connectionId, file };
  };

  it('finds and checks all files of the chosen folder, and states what is left out, also before a transfer', async () => {
    const { person, parts } = stage;
    const node = await serve();
    await stage.settings.update('search.pageSize', 1, true);
    const done = stage.run('dataTransfer.checkFolder', node);
    const pick = await person.pick();
    assert.deepEqual(pick.labels, ['exp.zarr/temp', 'exp.zarr', 'Whole Folders']);
    pick.choose('exp.zarr');
    const notice = await person.notice(
      /^Checked exp\.zarr \(3 files, 21 bytes\)\. Left out: links without content \(1\)\.$/,
    );
    // The editor truncates a notification without buttons to one line.
    assert.deepEqual(notice.buttons, ['Transfer Checked Files…']);
    notice.dismiss();
    await done;
    const [search] = parts.searchStore.getAll();
    assert.ok(search);
    assert.deepEqual(search.query.specific, { folder: 'exp.zarr' });
    assert.equal(parts.searchStore.getCheckedCount(search.key), 3);
    const { tooltip } = createSearchItem(search, false);
    assert.ok(typeof tooltip === 'string' && tooltip.endsWith('\nLeft out: links without content (1)'));

    const sending = stage.run('dataTransfer.transferCheckedFiles');
    (await person.pick()).choose('Received Files');
    (await person.pick()).choose('Continue');
    const summary = await person.notice(/^Transfer 3 files to Received Files\?$/);
    const lines = 'Whole folder: exp.zarr (3 files, 21 bytes)\nLeft out: links without content (1)';
    assert.ok(summary.detail.split('\n\n')[0]?.endsWith(`\n${lines}`), summary.detail);
    summary.dismiss();
    await sending;
  });

  it('has a counterpart in recipes, whose dry run states what is left out', async () => {
    await serve();
    const recipe = join(folder, 'r.transfer.json');
    const from = { database: 'Whole Folders', folder: 'exp.zarr/' };
    await writeFile(recipe, JSON.stringify({ version: 1, from, to: { database: 'Received Files' } }));
    const done = stage.run('dataTransfer.dryRunRecipe', Uri.file(recipe));
    const notice = await stage.person.notice(/^Dry run of /);
    assert.match(notice.detail, /^Folder: exp\.zarr\nLeft out: links without content \(1\)$/m);
    notice.dismiss();
    await done;
  });

  it('takes the whole database of a file without a folder, and states that nothing is left out', async () => {
    await rm(join(folder, 'exp.zarr/dropped'));
    await serve();
    const { key: searchKey, connectionId, files } = await stage.search('Whole Folders', 'other');
    const [file] = files;
    assert.ok(file?.kind === 'file');
    await stage.run('dataTransfer.checkFolder', { kind: 'file', searchKey, connectionId, file });
    assert.equal(stage.person.statusMessages.at(-1), 'Checked Whole Folders (4 files, 28 bytes, nothing left out).');
    const sending = stage.run('dataTransfer.transferCheckedFiles');
    (await stage.person.pick()).choose('Received Files');
    (await stage.person.pick()).choose('Continue');
    const summary = await stage.person.notice(/^Transfer 4 files to Received Files\?$/);
    assert.match(summary.detail, /^Whole database: Whole Folders \(4 files, 28 bytes, nothing left out\)$/m);
    summary.dismiss();
    await sending;
  });

  it('shows the start and the end of long folder names', async () => {
    const name = 'x'.repeat(200);
    await mkdir(join(folder, name, 'data'), { recursive: true });
    await writeFile(join(folder, name, 'data', '0.0'), 'content');
    await rm(join(folder, 'exp.zarr'), { recursive: true });
    const done = stage.run('dataTransfer.checkFolder', await serve());
    const pick = await stage.person.pick();
    const [inner = '', outer = '', database] = pick.labels;
    assert.match(inner, /^x{35}…x+\/data$/);
    assert.match(outer, /^x{35}…x+$/);
    assert.ok(inner.length <= 72 && outer.length <= 72, 'no label is wider than the list');
    assert.equal(database, 'Whole Folders');
    pick.choose(outer);
    await done;
    const [search] = stage.parts.searchStore.getAll();
    assert.deepEqual(search?.query.specific, { folder: name });
  });

  it('is refused for services that cannot list a folder', async () => {
    await stage.connectToPublic();
    const { key: searchKey, connectionId, files } = await stage.search('JGI Data Portal', '');
    const [file] = files;
    assert.ok(file?.kind === 'file');
    const done = stage.run('dataTransfer.checkFolder', { kind: 'file', searchKey, connectionId, file });
    (await stage.person.notice(/^Only the local service can list the files of a folder\.$/)).dismiss();
    await done;
  });
});
