import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { raise, jobSign, type FileToStage, type JobResult } from '../../../src/service/transfers/fileJobs.ts';
import { stageFiles } from '../../../src/service/transfers/stageWork.ts';

const hashOfA = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';

describe('Staging files (D22, D23)', () => {
  let root: string;
  let source: string;

  beforeEach(async () => {
    root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-stage-')));
    source = nodePath.join(root, 'source');
    await fs.mkdir(nodePath.join(source, 'sub'), { recursive: true });
    await fs.writeFile(nodePath.join(source, 'a.txt'), 'a');
    await fs.writeFile(nodePath.join(root, 'secret.txt'), 'secret');
  });

  afterEach(async () => await fs.rm(root, { recursive: true }));

  function stage(path: string, more: Partial<FileToStage> = {}): JobResult {
    return stageFiles({ folder: source, files: [{ position: 3, path, ...more }], sign: jobSign() });
  }

  it('reads a file, and tells what it was then', async () => {
    const { mtimeMs } = await fs.stat(nodePath.join(source, 'a.txt'));
    assert.deepEqual(stage('a.txt').done, [{ position: 3, bytes: 1, modifiedMs: mtimeMs, sha256: hashOfA }]);
  });

  it('reads a file through a link, of its own or of its folder, that stays inside', async () => {
    await fs.symlink('a.txt', nodePath.join(source, 'link.txt'));
    await fs.symlink('.', nodePath.join(source, 'here'));
    for (const path of ['link.txt', 'here/a.txt']) assert.equal(stage(path).done[0]?.sha256, hashOfA, path);
  });

  it('takes the hash that is held of a file as it is now, and no other', async () => {
    const { mtimeMs: modifiedMs } = await fs.stat(nodePath.join(source, 'a.txt'));
    const held = { bytes: 1, modifiedMs, sha256: 'held' };
    assert.equal(stage('a.txt', { held }).done[0]?.sha256, 'held');
    assert.equal(stage('a.txt', { held: { ...held, bytes: 2 } }).done[0]?.sha256, hashOfA);
    assert.equal(stage('a.txt', { held: { ...held, modifiedMs: 1 } }).done[0]?.sha256, hashOfA);
  });

  for (const size of [0, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 3_000_000]) {
    it(`hashes ${size} bytes as others do, in both algorithms at once`, async () => {
      const file = nodePath.join(source, 'b.bin');
      await fs.writeFile(file, Buffer.alloc(size, 'odd'));
      const [sha256 = '', md5 = ''] = ['sha256sum', 'md5sum'].map(
        (command) => execFileSync(command, [file], { encoding: 'utf8' }).split(' ')[0],
      );
      const { done, trouble } = stage('b.bin', { declared: { algorithm: 'md5', hex: md5 } });
      assert.equal(trouble, undefined);
      assert.deepEqual([done[0]?.sha256, done[0]?.bytes], [sha256, size]);
    });
  }

  const troubles: [what: string, prepare: () => Promise<unknown>, path: string, trouble: object][] = [
    ['is not there', async () => await Promise.resolve(), 'gone.txt', { code: 'ENOENT' }],
    [
      'was swapped for a link that leads out',
      async () => await fs.symlink('../secret.txt', nodePath.join(source, 'swapped.txt')),
      'swapped.txt',
      { text: "it leads out of the database's folder" },
    ],
    [
      'lies in a folder that was swapped for a link that leads out',
      async () => {
        await fs.rmdir(nodePath.join(source, 'sub'));
        await fs.symlink('..', nodePath.join(source, 'sub'));
      },
      'sub/secret.txt',
      { text: "it leads out of the database's folder" },
    ],
    [
      'is a pipe that nobody writes to',
      async () => await Promise.resolve(execFileSync('mkfifo', [nodePath.join(source, 'pipe')])),
      'pipe',
      { text: 'it is not a regular file' },
    ],
    ['is a folder', async () => await Promise.resolve(), 'sub', { text: 'it is not a regular file' }],
  ];
  for (const [what, prepare, path, trouble] of troubles) {
    it(`tells of a file that ${what}`, async () => {
      await prepare();
      assert.deepEqual(stage(path), { done: [], trouble: { position: 3, act: 'read', ...trouble } });
    });
  }

  it('tells of a file that has not the hash that its metadata states', () => {
    const { trouble } = stage('a.txt', { declared: { algorithm: 'sha1', hex: '00' } });
    assert.equal(trouble?.text, 'it does not have the sha1 hash that its metadata states');
  });

  it('tells of a file that was written to while it was read, though it kept its size', async () => {
    const file = nodePath.join(source, 'busy.bin');
    await fs.writeFile(file, '');
    await fs.truncate(file, 300_000_000);
    const writer = spawn('sh', ['-c', 'echo; while :; do touch "$0"; done', file]);
    try {
      await once(writer.stdout, 'data');
      assert.equal(stage('busy.bin').trouble?.text, 'it changed while it was being read');
    } finally {
      writer.kill();
      await once(writer, 'close');
    }
  }).timeout(30_000);

  it('begins nothing after it was told to stop', () => {
    const sign = jobSign();
    raise(sign);
    assert.deepEqual(stageFiles({ folder: source, files: [{ position: 0, path: 'a.txt' }], sign }), {
      done: [],
      isStopped: true,
    });
  });
});
