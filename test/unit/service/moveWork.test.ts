import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import {
  getDoneCount,
  createJobSignal,
  requestStop,
  type FileToMove,
  type JobResult,
  type MoveJob,
} from '../../../src/service/transfers/fileJobs.ts';
import { discardTransfer, removeParts } from '../../../src/service/transfers/manifest.ts';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';
import { hasOpenFiles } from '../../../src/service/transfers/destinationFiles.ts';
import { stageFiles } from '../../../src/service/transfers/fileJobHandlers.ts';

const umask = Number.parseInt(String(execFileSync('sh', ['-c', 'umask'])), 8);
const transferId = '01234567-89ab-4cde-8f01-23456789abcd';
const changed = 'it changed after it was hashed, or its copy is damaged';
const leadsElsewhere = 'its path in the destination leads to a different folder';

describe('Moving staged files (D23, D24)', () => {
  let root: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-move-')));
    for (const folder of ['source', 'target']) fs.mkdirSync(nodePath.join(root, folder));
    write('source/a.txt', 'alpha');
    write('source/sub/b.txt', 'beta');
  });

  afterEach(() => fs.rmSync(root, { recursive: true }));

  function write(path: string, content: string): void {
    const file = nodePath.join(root, path);
    fs.mkdirSync(nodePath.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }

  function staged(path: string, content: string, position = 0): FileToMove {
    return { position, path, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  }

  function createJob(files: readonly FileToMove[]): MoveJob {
    return {
      transferId,
      source: { location: { folder: nodePath.join(root, 'source') } },
      destination: { location: { folder: nodePath.join(root, 'target') } },
      files,
      isFlushed: true,
      signal: createJobSignal(),
    };
  }

  async function move(...files: readonly FileToMove[]): Promise<JobResult> {
    return await moveFiles(createJob(files));
  }

  function readTarget(): Record<string, string> {
    const transferFolder = nodePath.join(root, 'target', `dts-${transferId}`);
    if (!fs.existsSync(transferFolder)) return {};
    const entries = fs.readdirSync(transferFolder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => nodePath.join(parentPath, name));
    return Object.fromEntries(
      paths.map((path) => [nodePath.relative(transferFolder, path), fs.readFileSync(path, 'utf8')]),
    );
  }

  it('writes them below the folder of the transfer, and counts them one by one', async () => {
    const job = createJob([staged('a.txt', 'alpha'), staged('sub/b.txt', 'beta', 1)]);
    assert.deepEqual(
      (await moveFiles(job)).done.map(({ position }) => position),
      [0, 1],
    );
    assert.equal(getDoneCount(job.signal), 2);
    assert.deepEqual(readTarget(), { 'a.txt': 'alpha', 'sub/b.txt': 'beta' });
  });

  const changes: [what: string, change: () => void, failure: object][] = [
    ['has other content', () => write('source/a.txt', 'ALPHA'), { operation: 'copy', text: changed }],
    ['has become shorter', () => write('source/a.txt', 'alp'), { operation: 'copy', text: changed }],
    ['has become longer', () => write('source/a.txt', 'alpha and more'), { operation: 'copy', text: changed }],
    ['was removed', () => fs.rmSync(nodePath.join(root, 'source/a.txt')), { operation: 'read', code: 'ENOENT' }],
    [
      'was replaced by a link that leads out',
      () => {
        write('secret.txt', 'alpha');
        fs.rmSync(nodePath.join(root, 'source/a.txt'));
        fs.symlinkSync('../secret.txt', nodePath.join(root, 'source/a.txt'));
      },
      { operation: 'read', text: "it points outside the database's folder" },
    ],
  ];
  for (const [what, change, failure] of changes) {
    it(`leaves nothing of a file that ${what} since it was staged, and retains earlier files`, async () => {
      change();
      const result = await move(staged('sub/b.txt', 'beta'), staged('a.txt', 'alpha', 1));
      assert.deepEqual(result.failure, { position: 1, ...failure });
      assert.deepEqual(readTarget(), { 'sub/b.txt': 'beta' });
    });
  }

  it('copies at most the staged size of a file that grows endlessly', async () => {
    // `pagemap` reports a size of 0, and can be read endlessly.
    const job = { ...createJob([staged('pagemap', '')]), source: { location: { folder: '/proc/self' } } };
    assert.deepEqual((await moveFiles(job)).failure, { position: 0, operation: 'copy', text: changed });
    assert.deepEqual(readTarget(), {});
  });

  it('retains a file that was transferred before, and fails on a different one', async () => {
    write(`target/dts-${transferId}/a.txt`, 'alpha');
    write(`target/dts-${transferId}/sub/b.txt`, 'something else');
    assert.equal((await move(staged('a.txt', 'alpha'))).done.length, 1);
    const { failure } = await move(staged('sub/b.txt', 'beta'));
    assert.deepEqual(failure, { position: 0, operation: 'write', text: 'a different file already exists' });
    assert.deepEqual(readTarget(), { 'a.txt': 'alpha', 'sub/b.txt': 'something else' });
  });

  it('leaves the unfinished copies of other attempts, also of version 0.2, until they are removed together', async () => {
    const [unnamed, named] = ['', '.0123abcd'].map((attempt) => `sub/b.txt${attempt}.part-${transferId}`);
    for (const path of [unnamed, named]) write(`target/dts-${transferId}/${path}`, 'half of something');
    assert.equal((await move(staged('sub/b.txt', 'beta'))).failure, undefined);
    assert.deepEqual(Object.keys(readTarget()).sort(), ['sub/b.txt', named, unnamed].sort());
    fs.mkdirSync(nodePath.join(root, 'target', `dts-${transferId}`, 'empty'));
    await removeParts({ transferId, destinationFolder: nodePath.join(root, 'target') });
    assert.deepEqual(readTarget(), { 'sub/b.txt': 'beta' });
    assert.ok(fs.existsSync(nodePath.join(root, 'target', `dts-${transferId}`, 'empty')));
  });

  /** Moves a file and runs `change` with the path of the complete copy, right before it gets its final name. */
  async function changeBeforePublication(
    change: (part: string, finalPath: string) => void,
    code?: string,
    failures = Number.POSITIVE_INFINITY,
  ): Promise<JobResult> {
    const { linkSync } = fs;
    let count = 0;
    mock.method(fs, 'linkSync', (from: string, to: string) => {
      count += 1;
      if (count <= failures) change(from, to);
      if (code !== undefined && count <= failures) throw Object.assign(new Error(code), { code });
      linkSync(from, to);
    });
    syncBuiltinESMExports();
    try {
      return await move(staged('a.txt', 'alpha'));
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  }

  for (const code of [undefined, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EISDIR']) {
    const where = code === undefined ? '' : ` where a link fails with ${code}`;

    it(`never replaces a file that another program writes under the final name meanwhile${where} (D24)`, async () => {
      const { failure } = await changeBeforePublication((_, path) => fs.writeFileSync(path, 'theirs'), code);
      assert.deepEqual(failure, { position: 0, operation: 'write', text: 'a different file already exists' });
      assert.deepEqual(readTarget(), { 'a.txt': 'theirs' });
    });

    it(`accepts an identical file that appears under the final name meanwhile${where} (D24)`, async () => {
      const { failure } = await changeBeforePublication((_, path) => fs.writeFileSync(path, 'alpha'), code);
      assert.deepEqual([failure, readTarget()], [undefined, { 'a.txt': 'alpha' }]);
    });

    it(`publishes a file${where}`, async () => {
      assert.equal((await changeBeforePublication(() => undefined, code)).failure, undefined);
      assert.deepEqual(readTarget(), { 'a.txt': 'alpha' });
    });
  }

  for (const code of hasOpenFiles ? [undefined, 'EPERM'] : [])
    it(`publishes nothing outside if a link replaces the folder while the system ${code === undefined ? 'links' : 'renames'} (D24)`, async () => {
      fs.mkdirSync(nodePath.join(root, 'outside'));
      const { linkSync, renameSync } = fs;
      const folder = nodePath.join(root, 'target', `dts-${transferId}`);
      /** Finds the first path, then replaces the folder, then finds the second path. */
      const callBetweenLookups = (call: typeof linkSync, from: string, to: string): void => {
        renameSync(folder, nodePath.join(root, 'moved'));
        fs.symlinkSync(nodePath.join(root, 'outside'), folder);
        call(nodePath.join(root, 'moved', nodePath.basename(from)), to);
      };
      mock.method(fs, 'linkSync', (from: string, to: string) => {
        if (code !== undefined) throw Object.assign(new Error(code), { code });
        callBetweenLookups(linkSync, from, to);
      });
      mock.method(fs, 'renameSync', (from: string, to: string) => callBetweenLookups(renameSync, from, to));
      syncBuiltinESMExports();
      const { failure } = await move(staged('a.txt', 'alpha'));
      mock.restoreAll();
      syncBuiltinESMExports();
      assert.deepEqual([failure, fs.readdirSync(nodePath.join(root, 'outside'))], [undefined, []]);
      assert.equal(fs.readFileSync(nodePath.join(root, 'moved', 'a.txt'), 'utf8'), 'alpha');
    });

  it('publishes a file if another one under the final name disappears before it is looked at', async () => {
    assert.equal((await changeBeforePublication(() => undefined, 'EEXIST', 1)).failure, undefined);
    assert.deepEqual(readTarget(), { 'a.txt': 'alpha' });
  });

  it('publishes a file if another one under the final name disappears while it is looked at', async () => {
    const { openSync } = fs;
    mock.method(fs, 'openSync', (path: string, ...rest: [fs.OpenMode, fs.Mode?]) => {
      // On Linux, the file is opened through the open folder.
      if (/\/(?:fd\/\d+|target\/dts-[-\w]+)\/a\.txt$/.test(path)) fs.rmSync(path);
      return openSync(path, ...rest);
    });
    const { failure } = await changeBeforePublication((_, path) => fs.writeFileSync(path, 'theirs'), 'EEXIST', 1);
    assert.equal(failure, undefined);
    assert.deepEqual(readTarget(), { 'a.txt': 'alpha' });
  });

  it('fails if other files under the final name come and go all the time', async () => {
    const { failure } = await changeBeforePublication(() => undefined, 'EEXIST');
    assert.equal(failure?.text, 'a different file already exists');
    assert.deepEqual(readTarget(), {});
  });

  it('continues after it was killed between the link and the removal of the unfinished copy', async () => {
    write(`target/dts-${transferId}/a.txt`, 'alpha');
    const folder = nodePath.join(root, 'target', `dts-${transferId}`);
    fs.linkSync(nodePath.join(folder, 'a.txt'), nodePath.join(folder, `a.txt.0123abcd.part-${transferId}`));
    assert.equal((await move(staged('a.txt', 'alpha'))).done.length, 1);
    await removeParts({ transferId, destinationFolder: nodePath.join(root, 'target') });
    assert.deepEqual(readTarget(), { 'a.txt': 'alpha' });
  });

  it('does not publish a file that replaced its unfinished copy, and retains that file', async () => {
    const { fsyncSync } = fs;
    const folder = nodePath.join(root, 'target', `dts-${transferId}`);
    mock.method(fs, 'fsyncSync', (file: number) => {
      fsyncSync(file);
      write('theirs.txt', 'theirs');
      const part = fs.readdirSync(folder).find((name) => name.includes('.part-'));
      assert.ok(part);
      fs.renameSync(nodePath.join(root, 'theirs.txt'), nodePath.join(folder, part));
    });
    syncBuiltinESMExports();
    const { failure } = await move(staged('a.txt', 'alpha'));
    mock.restoreAll();
    syncBuiltinESMExports();
    assert.equal(failure?.text, 'another program replaced its unfinished copy');
    assert.deepEqual(Object.values(readTarget()), ['theirs']);
    assert.ok(!('a.txt' in readTarget()));
  });

  it('writes nothing outside when a link has replaced a folder of the destination', async () => {
    fs.mkdirSync(nodePath.join(root, 'target', `dts-${transferId}`));
    fs.symlinkSync('../..', nodePath.join(root, 'target', `dts-${transferId}`, 'sub'));
    const { failure } = await move(staged('sub/b.txt', 'beta'));
    assert.deepEqual(failure, { position: 0, operation: 'write', text: leadsElsewhere });
    assert.deepEqual(fs.readdirSync(root).sort(), ['source', 'target']);
  });

  /** Moves two files and runs `change` after the first one has been given its final name. */
  async function moveBoth(one: FileToMove, other: FileToMove, change: () => void): Promise<JobResult> {
    const { linkSync } = fs;
    mock.method(fs, 'linkSync', (from: string, to: string) => {
      linkSync(from, to);
      mock.restoreAll();
      syncBuiltinESMExports();
      change();
    });
    syncBuiltinESMExports();
    return await move(one, other);
  }

  /** Moves a folder away and replaces it with a link to its new location. */
  function moveAway(folder: string): void {
    fs.renameSync(folder, nodePath.join(root, 'moved'));
    fs.symlinkSync(nodePath.join(root, 'moved'), folder);
  }

  for (const [what, moved, same] of [
    ['folder of the transfer', `dts-${transferId}`, []],
    ['folder above that of the file', `dts-${transferId}/sub`, []],
    ['folder of the file, now with an identical file,', `dts-${transferId}/sub/deep`, ['moved/d.txt']],
  ] as const)
    it(`writes nothing outside when the ${what} was moved and a link leads to it`, async () => {
      write('source/sub/deep/c.txt', 'gamma');
      write('source/sub/deep/d.txt', 'delta');
      const files = [staged('sub/deep/c.txt', 'gamma'), staged('sub/deep/d.txt', 'delta', 1)] as const;
      const { failure } = await moveBoth(...files, () => {
        moveAway(nodePath.join(root, 'target', moved));
        for (const path of same) write(path, 'delta');
      });
      assert.deepEqual(failure, { position: 1, operation: 'write', text: leadsElsewhere });
      const names = fs.readdirSync(nodePath.join(root, 'moved'), { recursive: true }).map(String);
      assert.equal(names.filter((name) => name.includes('.')).length, 1 + same.length);
    });

  it('reads nothing outside when a link has replaced a folder that was read before', async () => {
    for (const folder of ['source/sub', 'outside']) write(`${folder}/c.txt`, 'gamma');
    const { failure } = await moveBoth(staged('sub/b.txt', 'beta'), staged('sub/c.txt', 'gamma', 1), () => {
      fs.rmSync(nodePath.join(root, 'source/sub'), { recursive: true });
      fs.symlinkSync('../outside', nodePath.join(root, 'source/sub'));
    });
    assert.deepEqual(failure, { position: 1, operation: 'read', text: "it points outside the database's folder" });
    assert.deepEqual(readTarget(), { 'sub/b.txt': 'beta' });
  });

  it('reads a folder that was replaced by another one, or by a link within the database', async () => {
    for (const replace of [
      () => write('source/sub/c.txt', 'gamma'),
      () => {
        write('source/other/c.txt', 'gamma');
        fs.symlinkSync('other', nodePath.join(root, 'source/sub'));
      },
    ]) {
      write('source/sub/b.txt', 'beta');
      const { failure } = await moveBoth(staged('sub/b.txt', 'beta'), staged('sub/c.txt', 'gamma', 1), () => {
        fs.renameSync(nodePath.join(root, 'source/sub'), nodePath.join(root, 'source/earlier'));
        replace();
      });
      assert.equal(failure, undefined);
      assert.deepEqual(readTarget(), { 'sub/b.txt': 'beta', 'sub/c.txt': 'gamma' });
      for (const path of ['target', 'source'].map((name) => nodePath.join(root, name))) {
        fs.rmSync(path, { recursive: true });
        fs.mkdirSync(path);
      }
    }
  });

  it('removes nothing outside when a link has replaced the folder of an ended transfer', async () => {
    write('outside/manifest.json', '{}');
    write(`outside/a.txt.part-${transferId}`, 'mine');
    fs.symlinkSync('../outside', nodePath.join(root, 'target', `dts-${transferId}`));
    await discardTransfer(nodePath.join(root, 'target'), transferId, 'manifest.json');
    const remaining = fs.readdirSync(nodePath.join(root, 'outside')).sort();
    assert.deepEqual(remaining, [`a.txt.part-${transferId}`, 'manifest.json']);
  });

  it('reports a name that the destination does not support', async () => {
    const long = `${'x'.repeat(200)}/`.repeat(25);
    const { failure } = await move({ ...staged('a.txt', 'alpha'), path: `${long}a.txt` });
    assert.deepEqual(failure, { position: 0, operation: 'write', code: 'ENAMETOOLONG' });
  });

  it('never creates the destination itself', async () => {
    fs.rmdirSync(nodePath.join(root, 'target'));
    assert.deepEqual((await move(staged('a.txt', 'alpha'))).failure, {
      position: 0,
      operation: 'write',
      code: 'ENOENT',
    });
    assert.ok(!fs.existsSync(nodePath.join(root, 'target')));
  });

  /** Runs a job that clones its file, and returns the file system calls in order. */
  async function recordCloneCalls(job: MoveJob): Promise<string[]> {
    const calls: string[] = [];
    const { copyFileSync, fsyncSync, linkSync } = fs;
    mock.method(fs, 'copyFileSync', (from: string, to: string, mode: number) => {
      calls.push('clone');
      copyFileSync(from, to, mode & ~fs.constants.COPYFILE_FICLONE_FORCE);
    });
    mock.method(fs, 'fsyncSync', (file: number) => {
      calls.push('flush');
      fsyncSync(file);
    });
    mock.method(fs, 'linkSync', (from: string, to: string) => {
      calls.push('link');
      linkSync(from, to);
    });
    syncBuiltinESMExports();
    try {
      assert.equal((await moveFiles(job)).failure, undefined);
      return calls;
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  }

  it('flushes a clone before publishing it when each file is flushed, also of a read-only file', async () => {
    const content = 'large '.repeat(20_000);
    write('source/large.txt', content);
    fs.chmodSync(nodePath.join(root, 'source/large.txt'), 0o444);
    const job = createJob([staged('large.txt', content)]);
    assert.deepEqual(await recordCloneCalls(job), ['clone', 'flush', 'link']);
    assert.deepEqual(readTarget(), { 'large.txt': content });
    fs.rmSync(nodePath.join(root, 'target'), { recursive: true });
    fs.mkdirSync(nodePath.join(root, 'target'));
    assert.deepEqual(await recordCloneCalls({ ...job, isFlushed: false, signal: createJobSignal() }), [
      'clone',
      'link',
    ]);
  });

  it('clones nothing to a FUSE file system, where a mount by rclone may keep what a failed attempt created', async () => {
    const content = 'large '.repeat(20_000);
    write('source/large.txt', content);
    const { statfsSync } = fs;
    mock.method(fs, 'statfsSync', (path: string) => Object.assign(statfsSync(path), { type: 0x65735546 }));
    assert.deepEqual(await recordCloneCalls(createJob([staged('large.txt', content)])), ['flush', 'link']);
    assert.deepEqual(readTarget(), { 'large.txt': content });
  });

  it('gives a clone the time of its source, and the mode that any copy has', async () => {
    const content = 'large '.repeat(20_000);
    write('source/large.txt', content);
    const source = nodePath.join(root, 'source/large.txt');
    fs.chmodSync(source, 0o577);
    fs.utimesSync(source, 0, '-300000000.25');
    await recordCloneCalls(createJob([staged('large.txt', content)]));
    const { mode, mtimeMs } = fs.statSync(nodePath.join(root, 'target', `dts-${transferId}`, 'large.txt'));
    assert.deepEqual([mode & 0o7777, mtimeMs], [0o777 & ~umask, -300_000_000_250]);
  });

  it('lets no more people use copies and their folders than the sources, within the umask', async () => {
    const modes = { 'private.txt': 0o600, 'group.txt': 0o640, 'read-only.txt': 0o444, 'sub/open.sh': 0o777 };
    const files = Object.keys(modes).map((path, position) => {
      write(`source/${path}`, 'alpha');
      return staged(path, 'alpha', position);
    });
    const all = { ...modes, sub: 0o711, '.': 0o750 };
    for (const [path, mode] of Object.entries(all)) fs.chmodSync(nodePath.join(root, 'source', path), mode);
    assert.equal((await move(...files)).failure, undefined);
    const target = nodePath.join(root, 'target', `dts-${transferId}`);
    const actual = Object.keys(all).map((path) => [path, fs.statSync(nodePath.join(target, path)).mode & 0o777]);
    const expected = Object.entries({ ...all, 'read-only.txt': 0o644 }).map(([path, mode]) => [path, mode & ~umask]);
    // Windows has no such bits.
    if (process.platform !== 'win32') assert.deepEqual(actual, expected);
  });

  it('makes a folder for its owner only while its source is away', async () => {
    const file = staged('private/x.txt', 'alpha');
    const { failure } = await move(file);
    assert.deepEqual([failure?.operation, failure?.code], ['read', 'ENOENT']);
    write('source/private/x.txt', 'alpha');
    fs.chmodSync(nodePath.join(root, 'source/private'), 0o700);
    assert.equal((await move(file)).failure, undefined);
    const copy = nodePath.join(root, 'target', `dts-${transferId}`, 'private');
    if (process.platform !== 'win32') assert.equal(fs.statSync(copy).mode & 0o777, 0o700);
  });

  it('fails to read, not to write, if the folder of a source cannot be reached', async () => {
    const file = staged('loop/inner/x.txt', 'alpha');
    fs.mkdirSync(nodePath.join(root, 'source'), { recursive: true });
    fs.symlinkSync('loop', nodePath.join(root, 'source/loop'), 'junction');
    const { failure } = await move(file);
    assert.deepEqual([failure?.operation, failure?.code], ['read', 'ELOOP']);
  });

  it('never clones a file with special bits, which its clone would have for a moment', async () => {
    const content = 'large '.repeat(20_000);
    write('source/large.txt', content);
    fs.chmodSync(nodePath.join(root, 'source/large.txt'), 0o4755);
    assert.ok(!(await recordCloneCalls(createJob([staged('large.txt', content)]))).includes('clone'));
  });

  it('keeps the time of a file as exactly as Node.js can set it, also before 1970 and after 2106', async () => {
    const times = ['1700000000.123456789', '1700000000.123456999', '-315619200.500000001', '0', '7258118400.75'];
    const files = times.map((time, position) => {
      write(`source/${position}`, 'alpha');
      fs.utimesSync(nodePath.join(root, `source/${position}`), 0, time);
      return staged(String(position), 'alpha', position);
    });
    assert.equal((await move(...files)).failure, undefined);
    for (const { path } of files) {
      const [from, to] = ['source', `target/dts-${transferId}`].map((folder) =>
        fs.statSync(nodePath.join(root, folder, path), { bigint: true }),
      );
      assert.equal(to?.mtimeNs, from?.mtimeNs, path);
    }
  });

  it('stops between two files on request', async () => {
    const job = createJob([staged('a.txt', 'alpha')]);
    requestStop(job.signal);
    assert.deepEqual(await moveFiles(job), { done: [], isStopped: true });
    assert.deepEqual(readTarget(), {});
  });
});

describe('Staging a file that changes while it is read (D23)', () => {
  // These files report a size of 0 although they have content; the second can be read endlessly.
  for (const path of ['status', 'pagemap']) {
    it(`reports the change of ${path}`, async () => {
      const { failure } = await stageFiles({
        folder: '/proc/self',
        files: [{ position: 0, path }],
        signal: createJobSignal(),
      });
      assert.deepEqual(failure, { position: 0, operation: 'read', text: 'it changed while it was being read' });
    });
  }
});
