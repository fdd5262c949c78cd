import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { BadFile } from '../../../src/service/transfers/fileProcessing.ts';
import { SourceFiles } from '../../../src/service/transfers/sourceFiles.ts';

describe('Opening source files (D42)', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-source-')));
    folder = nodePath.join(root, 'served');
    for (const [name, content] of [
      ['served/sub', 'inside'],
      ['private', 'outside'],
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

  /** Replaces the folder of the file with a link to a private folder only while a file is opened. */
  function linkWhileOpening(): void {
    const sub = nodePath.join(folder, 'sub');
    const { openSync } = fs;
    mock.method(fs, 'openSync', (path: string, flags: number) => {
      fs.renameSync(sub, `${sub}-moved`);
      fs.symlinkSync(nodePath.join(root, 'private'), sub);
      try {
        return openSync(path, flags);
      } finally {
        fs.unlinkSync(sub);
        fs.renameSync(`${sub}-moved`, sub);
      }
    });
    syncBuiltinESMExports();
  }

  const read = (files: SourceFiles): string => files.open('sub/a.txt', (opened) => fs.readFileSync(opened, 'utf8'));

  it('returns the file in the folder', () => {
    assert.equal(read(new SourceFiles(folder)), 'inside');
  });

  if (process.platform === 'linux') {
    it('rejects a file outside of the folder, even if a link led there only while it was opened', () => {
      // Others may write to the folder.
      fs.chmodSync(folder, 0o777);
      linkWhileOpening();
      assert.throws(() => read(new SourceFiles(folder)), BadFile);
    });
  }
});
