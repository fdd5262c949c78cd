import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolder, createFolderSync } from '../../../src/core/util/createFolder.ts';

for (const [title, create] of [
  ['createFolder', createFolder],
  ['createFolderSync', async (folder: string, mode?: number) => createFolderSync(folder, mode)],
] as const)
  describe(title, () => {
    let root: string;
    beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'create-folder-'))));
    afterEach(() => rm(root, { recursive: true }));

    it('creates a folder and its parents with the mode, and leaves existing ones unchanged', async () => {
      const before = statSync(root).mode;
      for (let run = 0; run < 2; run += 1) await create(join(root, 'a', 'b', 'c'), 0o700);
      const modes = ['a', 'a/b', 'a/b/c'].map((path) => statSync(join(root, path)).mode & 0o777);
      if (process.platform !== 'win32') assert.deepEqual(modes, [0o700, 0o700, 0o700]);
      assert.equal(statSync(root).mode, before);
      await create(join(root, 'd'));
      assert.equal(statSync(join(root, 'd')).isDirectory(), true);
    });

    it('accepts a link to a folder, and rejects a file, a dangling link, and a file as the parent', async () => {
      await symlink(tmpdir(), join(root, 'link'), 'junction');
      await create(join(root, 'link'));
      await writeFile(join(root, 'file'), '');
      await symlink(join(root, 'nothing'), join(root, 'broken'), 'junction');
      await assert.rejects(create(join(root, 'file')), { code: 'EEXIST' });
      await assert.rejects(create(join(root, 'broken')), { code: 'EEXIST' });
      await assert.rejects(create(join(root, 'file', 'a')));
      assert.equal(existsSync(join(root, 'nothing')), false);
    });

    it('fails if the parent cannot contain folders, although the system reports a missing path', async () => {
      const parent = process.platform === 'linux' ? '/proc/self' : join(root, 'a', '\0');
      await assert.rejects(create(join(parent, 'nope')));
      await assert.rejects(create(join(parent, 'nope', 'nope')));
    });
  });
