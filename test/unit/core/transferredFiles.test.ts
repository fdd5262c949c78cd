import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTransferredFile, listTransferredFiles } from '../../../src/core/verification/transferredFiles.ts';
import { ReceivedFolder } from '../../support/receivedFolder.ts';

describe('The list of transferred files', () => {
  const { signal } = new AbortController();
  let received: ReceivedFolder;
  beforeEach(async () => (received = await ReceivedFolder.create()));
  afterEach(() => received.remove());

  const list = async (manifest?: string): Promise<readonly (readonly [string, number | undefined])[]> => {
    const files = await listTransferredFiles({ folder: received.folder, ...(manifest && { manifest }) }, signal);
    return files.map(({ path, sizeBytes }) => [path, sizeBytes]);
  };

  it('has the paths and sizes of the manifest, also of files that are gone', async () => {
    await received.addTransferred({ 'a.txt': 'a', 'deep/b.txt': 'bb' });
    await rm(join(received.folder, 'a.txt'));
    await received.write({ 'extra.txt': '' });
    assert.deepEqual(await list(received.manifest), [
      ['a.txt', 1],
      ['deep/b.txt', 2],
    ]);
  });

  it('has the files of the folder while there is no readable manifest', async () => {
    await received.write({ 'b.txt': 'b', 'deep/a.txt': 'a' });
    const found = [
      ['b.txt', undefined],
      ['deep/a.txt', undefined],
    ];
    assert.deepEqual(await list(), found);
    await received.describe('{');
    assert.deepEqual(await list(received.manifest), found);
  });

  it('finds files, except for missing ones and links out of the folder', async () => {
    await received.write({ 'a.txt': 'a', 'deep/b.txt': 'b' });
    await writeFile(join(received.root, 'secret.txt'), 's');
    await symlink(join(received.root, 'secret.txt'), join(received.folder, 'link.txt'));
    const find = async (path: string): Promise<string | undefined> =>
      await findTransferredFile({ folder: received.folder }, { path, places: [path] });
    assert.ok((await find('deep/b.txt'))?.endsWith(join('deep', 'b.txt')));
    assert.deepEqual([await find('missing.txt'), await find('link.txt')], [undefined, undefined]);
    await rm(received.folder, { recursive: true });
    assert.equal(await find('a.txt'), undefined);
  });
});
