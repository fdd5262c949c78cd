import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { BadFile } from '../../../src/service/transfers/fileJobs.ts';
import { SourceFiles } from '../../../src/service/transfers/openFiles.ts';

describe('Opening source files (D42)', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-source-')));
    folder = nodePath.join(root, 'served');
    for (const [name, content] of [
      ['served/sub', 'inside'],
      ['private/sub', 'outside'],
    ] as const) {
      fs.mkdirSync(nodePath.join(root, name), { recursive: true });
      fs.writeFileSync(nodePath.join(root, name, 'a.txt'), content);
    }
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    fs.rmSync(root, { recursive: true });
  });

  /** Replaces a folder with a link to a private folder, but only while a file is being opened. */
  function linkWhileOpening(replaced: string, target: string): void {
    const sub = nodePath.join(root, replaced);
    const { openSync } = fs;
    mock.method(fs, 'openSync', (path: string, flags: number) => {
      fs.renameSync(sub, `${sub}-moved`);
      fs.symlinkSync(nodePath.join(root, target), sub);
      try {
        return openSync(path, flags);
      } finally {
        fs.unlinkSync(sub);
        fs.renameSync(`${sub}-moved`, sub);
      }
    });
    syncBuiltinESMExports();
  }

  const read = (files: SourceFiles): string => files.open('sub/a.txt', ({ file }) => fs.readFileSync(file, 'utf8'));

  it('returns the file in the folder', () => {
    assert.equal(read(new SourceFiles(folder)), 'inside');
  });

  if (process.platform === 'linux') {
    for (const [what, shared, replaced, target] of [
      ['the folder of the file', 'served', 'served/sub', 'private/sub'],
      ['the served folder', '', 'served', 'private'],
    ] as const) {
      it(`rejects a file to which a link led only while it was opened, in place of ${what}`, () => {
        // Others may replace the folder, but not change it.
        fs.chmodSync(nodePath.join(root, shared), 0o777);
        linkWhileOpening(replaced, target);
        assert.throws(() => read(new SourceFiles(folder)), BadFile);
      });
    }
  }
});
