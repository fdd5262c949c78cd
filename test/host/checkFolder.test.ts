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
    (
      await person.notice(/^Checked exp\.zarr \(3 files, 21 bytes, left out: links without content \(1\)\)\.$/)
    ).dismiss();
    await done;
    const [search] = parts.searchStore.getAll();
    assert.ok(search);
    assert.deepEqual(search.query.specific, { folder: 'exp.zarr' });
    assert.equal(parts.searchStore.getCheckedCount(search.key), 3);
    const { tooltip } = createSearchItem(search);
    assert.ok(typeof tooltip === 'string' && tooltip.endsWith('\nleft out: links without content (1)'));

    const sending = stage.run('dataTransfer.transferCheckedFiles');
    (await person.pick()).choose('Received Files');
    (await person.pick()).choose('Continue');
    const summary = await person.notice(/^Transfer 3 files to Received Files\?$/);
    const line = 'Whole folder: exp.zarr (3 files, 21 bytes, left out: links without content (1))';
    assert.ok(summary.detail.split('\n').includes(line), summary.detail);
    summary.dismiss();
    await sending;
  });

  it('takes the whole database of a file without a folder, and states that nothing is left out', async () => {
    await rm(join(folder, 'exp.zarr/dropped'));
    await serve();
    const { key: searchKey, connectionId, files } = await stage.search('Whole Folders', 'other');
    const [file] = files;
    assert.ok(file?.kind === 'file');
    await stage.run('dataTransfer.checkFolder', { kind: 'file', searchKey, connectionId, file });
    assert.equal(stage.person.statusMessages.at(-1), 'Checked Whole Folders (4 files, 28 bytes, nothing left out).');
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
