import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import {
  createConflict,
  FixedFolder,
  hasOpenFiles,
  publishPart,
} from '../../../src/service/transfers/destinationFiles.ts';

describe('The publication of a complete part file (D24)', () => {
  let root: string;

  beforeEach(() => (root = fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-part-'))));
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    fs.rmSync(root, { recursive: true });
  });

  for (const code of ['EEXIST', 'EIO'])
    it(`recognizes its own link if the file system responded with ${code}, without comparing the content`, () => {
      const [part, finalPath] = [nodePath.join(root, 'part'), nodePath.join(root, 'final')];
      fs.writeFileSync(part, 'complete');
      const { linkSync } = fs;
      mock.method(fs, 'linkSync', (from: string, to: string) => {
        linkSync(from, to);
        throw Object.assign(new Error(code), { code });
      });
      syncBuiltinESMExports();
      publishPart(part, finalPath, () => assert.fail('the file counts as that of another program'));
      assert.deepEqual(fs.readdirSync(root), ['final']);
      assert.equal(fs.readFileSync(finalPath, 'utf8'), 'complete');
    });

  if (hasOpenFiles)
    it('compares the file in the folder in which it links, even if another folder has the path by now', () => {
      const [folder, moved] = [nodePath.join(root, 'folder'), nodePath.join(root, 'moved')];
      const [part, finalPath] = [nodePath.join(folder, 'part'), nodePath.join(folder, 'final')];
      const fixed = new FixedFolder();
      const isIdentical = (path: string, own: string): boolean => {
        if (fs.readFileSync(path, 'utf8') === fs.readFileSync(own, 'utf8')) return true;
        throw createConflict();
      };
      try {
        fs.mkdirSync(folder);
        fs.writeFileSync(part, 'complete');
        fs.writeFileSync(finalPath, 'different');
        fixed.getPath(folder);
        fs.renameSync(folder, moved);
        fs.mkdirSync(folder);
        fs.writeFileSync(finalPath, 'complete');
        fs.writeFileSync(part, 'complete');
        assert.throws(() => publishPart(part, finalPath, isIdentical, fixed), createConflict());
        assert.deepEqual(fs.readdirSync(moved), ['final', 'part']);
      } finally {
        fixed.close();
      }
    });
});
