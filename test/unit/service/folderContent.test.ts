import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { readFolderContent } from '../../../src/service/content/folderContent.ts';

describe('Reading a part of a file in a folder', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-content-')));
    folder = nodePath.join(root, 'served');
    fs.mkdirSync(folder);
    fs.mkdirSync(nodePath.join(root, 'private'));
    fs.writeFileSync(nodePath.join(root, 'private', 'a.txt'), 'outside');
    fs.writeFileSync(nodePath.join(folder, 'a.txt'), 'inside');
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    fs.rmSync(root, { recursive: true });
  });

  const read = (path: string) => readFolderContent({ folder, path, range: { from: 0 } });

  it('returns it', () => {
    const result = read('a.txt');
    assert.ok('content' in result);
    assert.equal(Buffer.from(result.content ?? []).toString(), 'inside');
  });

  if (process.platform !== 'win32') {
    it('refuses a link that leads outside, and a file in a folder that is one', () => {
      fs.symlinkSync('../private/a.txt', nodePath.join(folder, 'link.txt'));
      fs.symlinkSync('../private', nodePath.join(folder, 'sub'));
      for (const path of ['link.txt', 'sub/a.txt'])
        assert.deepEqual(read(path), { cause: "it points outside the database's folder" });
    });

    it('refuses a pipe without waiting, and a folder', () => {
      execFileSync('mkfifo', [nodePath.join(folder, 'pipe')]);
      fs.mkdirSync(nodePath.join(folder, 'sub'));
      for (const path of ['pipe', 'sub']) assert.deepEqual(read(path), { cause: 'it is not a regular file' });
    });
  }

  for (const [what, change] of [
    ['grows', () => fs.appendFileSync(nodePath.join(folder, 'a.txt'), '!')],
    ['is emptied', () => fs.truncateSync(nodePath.join(folder, 'a.txt'))],
  ] as const) {
    it(`refuses a file that ${what} while it is read`, () => {
      const { readSync } = fs;
      mock.method(fs, 'readSync', (...args: Parameters<typeof readSync>) => {
        change();
        return readSync(...args);
      });
      syncBuiltinESMExports();
      assert.deepEqual(read('a.txt'), { cause: 'it changed while it was being read' });
    });
  }
});
