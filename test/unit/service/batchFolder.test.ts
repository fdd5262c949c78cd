import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { BatchFolder, hasPlainName, selectBatch } from '../../../src/service/stores/storeBatches.ts';
import type { FileToMove } from '../../../src/service/transfers/fileJobs.ts';

function toFile(path: string, bytes = 5): FileToMove {
  return { position: 0, path, bytes, sha256: '', isPresent: false };
}

describe('The files of a batch (D62)', () => {
  it('have names that mean the same everywhere', () => {
    for (const path of ['a b.txt', 'a.b/c d/é', '-x', '.hidden/f']) assert.ok(hasPlainName(path), path);
    for (const path of ['', 'a//b', '/a', 'a/', ' a/b', 'a /b', 'a./b', 'a/b ', 'a/b.', 'a/\u3000b', 'a\\b', 'a\tb'])
      assert.ok(!hasPlainName(path), JSON.stringify(path));
  });

  it('are only the first of those whose names could be the same', () => {
    const files = ['A', 'a', 'b', 'é', 'e\u0301'].map((path) => toFile(path));
    const selected = selectBatch(files, undefined);
    assert.deepEqual(
      selected.map(({ path }) => path),
      ['A', 'b', 'é'],
    );
  });

  describe('in their folder', () => {
    let parent: string;
    let folder: BatchFolder;
    beforeEach(async () => {
      parent = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-batch-'));
      folder = new BatchFolder(parent);
    });
    afterEach(() => fs.rm(parent, { recursive: true }));

    it('are each in one of at most four lists of similar length', async () => {
      for (const count of [0, 1, 4, 5, 11]) {
        const paths = Array.from({ length: count }, (_, index) => `${index}.txt`);
        const lists = folder.createLists(paths);
        const texts = await Promise.all(lists.map(({ file }) => fs.readFile(file, 'utf8')));
        assert.deepEqual(texts.join(''), paths.map((path) => `${path}\n`).join(''));
        assert.ok(lists.length <= 4 && lists.every((list) => list.count <= Math.ceil(count / 4)), String(count));
      }
    });

    it('never replace each other', () => {
      folder.write('a/b.txt', Buffer.from('alpha'));
      folder.write('a/c.txt', Buffer.from('gamma'));
      assert.throws(() => folder.write('a/b.txt', Buffer.from('other')), { code: 'EEXIST' });
      assert.equal(String(folder.read(toFile('a/b.txt'))), 'alpha');
    });

    it('are moved only if they are regular files of the expected size', async () => {
      const target = nodePath.join(parent, 'target');
      await fs.symlink('12345', nodePath.join(folder.files, 'link'));
      folder.write('short', Buffer.from('1234'));
      for (const path of ['link', 'short', 'missing'])
        assert.equal(folder.moveTo(toFile(path), target, 1), false, path);
      folder.write('whole', Buffer.from('12345'));
      assert.equal(folder.moveTo(toFile('whole'), target, 1), true);
      assert.equal(await fs.readFile(target, 'utf8'), '12345');
    });

    it('are removed with their lists and the files of its subfolders', async () => {
      folder.createSubfolder().write('a.txt', Buffer.from('alpha'));
      folder.createList(['a.txt']);
      folder.remove();
      assert.deepEqual(await fs.readdir(parent), []);
      new BatchFolder(parent).remove();
    });
  });
});
