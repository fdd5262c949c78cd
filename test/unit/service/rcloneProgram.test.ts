import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { findRclonePath, readRcloneVersion } from '../../../src/core/util/remote.ts';
import { openRclone } from '../../../src/service/stores/rcloneProgram.ts';

describe('The rclone that the local service uses (D62)', () => {
  let folder: string;

  beforeEach(async () => (folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-rclone-'))));
  afterEach(async () => await fs.rm(folder, { recursive: true }));

  async function writeProgram(version: string): Promise<string> {
    const path = nodePath.join(folder, 'rclone');
    await fs.writeFile(path, `#!/bin/sh\necho 'rclone v${version}'\n`, { mode: 0o755 });
    return path;
  }

  it('is the configured one, or the first on the PATH that can be run', async () => {
    const path = await writeProgram('1.75.0');
    assert.equal(findRclonePath(path), path);
    assert.equal(findRclonePath(nodePath.join(folder, 'other')), undefined);
    assert.equal(findRclonePath(undefined, { PATH: `relative:${folder}` }), path);
    await fs.chmod(path, 0o644);
    assert.notEqual(findRclonePath(undefined, { PATH: folder }), path);
  });

  const versions: [version: string, result: RegExp | undefined][] = [
    ['1.53.3', /is too old: version 1\.60\.1 or later is needed/],
    ['1.60.0', /is too old/],
    ['0.99.9', /is too old/],
  ];
  for (const [version, reason] of versions) {
    it(`is refused below 1.60.1: ${version}`, async () => {
      const path = await writeProgram(version);
      await assert.rejects(openRclone(path), (error: Error) => reason?.test(error.message) === true);
    });
  }

  for (const [version, hasNote] of [
    ['1.60.1-DEV', true],
    ['1.74.3', true],
    ['1.75.0', false],
    ['1.76', false],
    ['2.0.0', false],
  ] as const) {
    it(`is used from 1.60.1, with a note below 1.75.0: ${version}`, async () => {
      const { note } = await openRclone(await writeProgram(version));
      assert.equal(note !== undefined, hasNote);
      if (hasNote) assert.match(note ?? '', /CVE-2026-49980 and CVE-2026-71313/);
    });
  }

  it('must be rclone', async () => {
    const path = nodePath.join(folder, 'rclone');
    await fs.writeFile(path, '#!/bin/sh\necho other 1.99\n', { mode: 0o755 });
    await assert.rejects(openRclone(path), { message: `${path} isn't rclone, or can't be run` });
    await assert.rejects(openRclone(nodePath.join(folder, 'none')), /rclone wasn't found at .*none: install it/);
  });

  const outputs: [output: string, version: string | undefined][] = [
    ['1.75.0', '1.75.0'],
    ['1.60.1-DEV', '1.60.1'],
    ['1.65', '1.65'],
    ['', undefined],
  ];
  for (const [output, version] of outputs) {
    it(`has the version ${version} if it prints "v${output}"`, async () => {
      assert.equal(await readRcloneVersion(await writeProgram(output)), version);
    });
  }
});
