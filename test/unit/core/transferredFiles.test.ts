import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTransferredFile, listTransferredFiles } from '../../../src/core/verification/transferredFiles.ts';
import { LandedFolder } from '../../support/landedFolder.ts';

describe('The list of transferred files', () => {
  const { signal } = new AbortController();
  let landed: LandedFolder;
  beforeEach(async () => (landed = await LandedFolder.make()));
  afterEach(() => landed.remove());

  const list = async (manifest?: string): Promise<readonly (readonly [string, number | undefined])[]> => {
    const files = await listTransferredFiles({ folder: landed.folder, ...(manifest && { manifest }) }, signal);
    return files.map(({ path, sizeBytes }) => [path, sizeBytes]);
  };

  it('has the paths and sizes of the manifest, also of files that are gone', async () => {
    await landed.land({ 'a.txt': 'a', 'deep/b.txt': 'bb' });
    await rm(join(landed.folder, 'a.txt'));
    await landed.write({ 'extra.txt': '' });
    assert.deepEqual(await list(landed.manifest), [
      ['a.txt', 1],
      ['deep/b.txt', 2],
    ]);
  });

  it('has the files of the folder while there is no readable manifest', async () => {
    await landed.write({ 'b.txt': 'b', 'deep/a.txt': 'a' });
    const found = [
      ['b.txt', undefined],
      ['deep/a.txt', undefined],
    ];
    assert.deepEqual(await list(), found);
    await landed.describe('{');
    assert.deepEqual(await list(landed.manifest), found);
  });

  it('finds files, except for missing ones and links out of the folder', async () => {
    await landed.write({ 'a.txt': 'a', 'deep/b.txt': 'b' });
    await writeFile(join(landed.root, 'secret.txt'), 's');
    await symlink(join(landed.root, 'secret.txt'), join(landed.folder, 'link.txt'));
    const find = async (path: string): Promise<string | undefined> =>
      await findTransferredFile({ folder: landed.folder }, { path, places: [path] });
    assert.ok((await find('deep/b.txt'))?.endsWith(join('deep', 'b.txt')));
    assert.deepEqual([await find('missing.txt'), await find('link.txt')], [undefined, undefined]);
    await rm(landed.folder, { recursive: true });
    assert.equal(await find('a.txt'), undefined);
  });
});
