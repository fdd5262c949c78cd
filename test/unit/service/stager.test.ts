import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import syncFs from 'node:fs';
import * as fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import {
  requestStop,
  createJobSignal,
  getByteCounts,
  type FileToStage,
  type JobResult,
} from '../../../src/service/transfers/fileJobs.ts';
import { stageFiles } from '../../../src/service/transfers/fileJobHandlers.ts';

const expectedHash = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';

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

  async function stage(path: string, more: Partial<FileToStage> = {}): Promise<JobResult> {
    return await stageFiles({ folder: source, files: [{ position: 3, path, ...more }], signal: createJobSignal() });
  }

  it('reads a file, and returns its properties at that time', async () => {
    const { mtimeMs } = await fs.stat(nodePath.join(source, 'a.txt'));
    assert.deepEqual((await stage('a.txt')).done, [
      { position: 3, bytes: 1, modifiedMs: mtimeMs, sha256: expectedHash },
    ]);
  });

  it('returns the same times as the listing of a folder, also before 1970', async () => {
    const file = nodePath.join(source, 'a.txt');
    for (const time of [new Date(1_796_012_277_109.4), new Date(-1), new Date(-315_619_200_250), new Date(0)]) {
      await fs.utimes(file, time, String(time.getTime() / 1_000));
      assert.equal((await stage('a.txt')).done[0]?.modifiedMs, (await fs.stat(file)).mtimeMs, time.toISOString());
    }
  });

  it('reads a file through a link to it or to its folder, if the target is within the database', async () => {
    await fs.symlink('a.txt', nodePath.join(source, 'link.txt'));
    await fs.symlink('.', nodePath.join(source, 'here'));
    for (const path of ['link.txt', 'here/a.txt'])
      assert.equal((await stage(path)).done[0]?.sha256, expectedHash, path);
  });

  it('uses a cached hash only for an unchanged file', async () => {
    const { mtimeMs: modifiedMs } = await fs.stat(nodePath.join(source, 'a.txt'));
    const cachedHash = { bytes: 1, modifiedMs, sha256: 'cached' };
    assert.equal((await stage('a.txt', { cachedHash })).done[0]?.sha256, 'cached');
    assert.equal((await stage('a.txt', { cachedHash: { ...cachedHash, bytes: 2 } })).done[0]?.sha256, expectedHash);
    assert.equal(
      (await stage('a.txt', { cachedHash: { ...cachedHash, modifiedMs: 1 } })).done[0]?.sha256,
      expectedHash,
    );
  });

  for (const size of [0, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 3_000_000]) {
    it(`computes the standard hashes of ${size} bytes, with both algorithms in one pass`, async () => {
      const file = nodePath.join(source, 'b.bin');
      await fs.writeFile(file, Buffer.alloc(size, 'odd'));
      const [sha256 = '', md5 = ''] = ['sha256sum', 'md5sum'].map(
        (command) => execFileSync(command, [file], { encoding: 'utf8' }).split(' ')[0],
      );
      const { done, failure } = await stage('b.bin', { declared: { algorithm: 'md5', hex: md5 } });
      assert.equal(failure, undefined);
      assert.deepEqual([done[0]?.sha256, done[0]?.bytes], [sha256, size]);
    });
  }

  const failures: [what: string, prepare: () => Promise<unknown>, path: string, failure: object][] = [
    ['does not exist', async () => await Promise.resolve(), 'gone.txt', { code: 'ENOENT' }],
    [
      'was replaced by a link that leads out',
      async () => await fs.symlink('../secret.txt', nodePath.join(source, 'swapped.txt')),
      'swapped.txt',
      { text: "it points outside the database's folder" },
    ],
    [
      'is in a folder that was replaced by a link that leads out',
      async () => {
        await fs.rmdir(nodePath.join(source, 'sub'));
        await fs.symlink('..', nodePath.join(source, 'sub'));
      },
      'sub/secret.txt',
      { text: "it points outside the database's folder" },
    ],
    [
      'is a pipe without a writer',
      async () => await Promise.resolve(execFileSync('mkfifo', [nodePath.join(source, 'pipe')])),
      'pipe',
      { text: 'it is not a regular file' },
    ],
    ['is a folder', async () => await Promise.resolve(), 'sub', { text: 'it is not a regular file' }],
  ];
  for (const [what, prepare, path, failure] of failures) {
    it(`reports a file that ${what}`, async () => {
      await prepare();
      assert.deepEqual(await stage(path), { done: [], failure: { position: 3, operation: 'read', ...failure } });
    });
  }

  it('reports a file that does not have the hash in its metadata', async () => {
    const { failure } = await stage('a.txt', { declared: { algorithm: 'sha1', hex: '00' } });
    assert.equal(failure?.text, 'it does not have the sha1 hash that its metadata states');
  });

  describe('of a file that changes while it is read', () => {
    const changed = 'it changed while it was being read';
    let file: string;
    let reads: number;

    beforeEach(async () => {
      file = nodePath.join(source, 'busy.bin');
      reads = 0;
      await fs.writeFile(file, Buffer.alloc(400_000));
    });

    afterEach(() => {
      mock.restoreAll();
      syncBuiltinESMExports();
    });

    /** Calls `change` with the number of reads so far, after each read. */
    function afterReads(change: (count: number) => void): void {
      const { readSync } = syncFs;
      mock.method(syncFs, 'readSync', (...args: Parameters<typeof readSync>) => {
        const count = readSync(...args);
        change(++reads);
        return count;
      });
      syncBuiltinESMExports();
    }

    it('reports one whose time changes again and again, even with the same size', async () => {
      afterReads((count) => syncFs.utimesSync(file, count, count));
      assert.equal((await stage('busy.bin')).failure?.text, changed);
    });

    it('reads one again whose time changes once, and counts that as progress', async () => {
      const signal = createJobSignal();
      const counts: number[] = [];
      afterReads((count) => {
        if (count === 1) syncFs.utimesSync(file, 1, 1);
        counts.push(getByteCounts(signal).read);
      });
      const { done } = await stageFiles({ folder: source, files: [{ position: 0, path: 'busy.bin' }], signal });
      assert.deepEqual(
        done.map(({ modifiedMs }) => modifiedMs),
        [1_000],
      );
      assert.deepEqual(counts, [0, 262_144, 0, 262_144]);
      assert.equal(getByteCounts(signal).read, 400_000);
    });

    it('reports one whose content changes once', async () => {
      afterReads((count) => {
        if (count > 1) return;
        const opened = syncFs.openSync(file, 'r+');
        syncFs.writeSync(opened, 'x', 0);
        syncFs.futimesSync(opened, 1, 1);
        syncFs.closeSync(opened);
      });
      assert.equal((await stage('busy.bin')).failure?.text, changed);
    });
  });

  it('starts nothing after a stop request', async () => {
    const signal = createJobSignal();
    requestStop(signal);
    assert.deepEqual(await stageFiles({ folder: source, files: [{ position: 0, path: 'a.txt' }], signal }), {
      done: [],
      isStopped: true,
    });
  });
});
