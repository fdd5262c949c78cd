import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { publishPart } from '../../../src/service/transfers/destinationFiles.ts';

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
});
