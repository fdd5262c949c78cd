import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import {
  doneCount,
  jobSign,
  raise,
  type FileToMove,
  type JobResult,
  type MoveJob,
} from '../../../src/service/transfers/fileJobs.ts';
import { discardLanding } from '../../../src/service/transfers/landing.ts';
import { moveFiles } from '../../../src/service/transfers/moveWork.ts';
import { stageFiles } from '../../../src/service/transfers/stageWork.ts';

const transferId = '01234567-89ab-4cde-8f01-23456789abcd';

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

  function jobOf(files: readonly FileToMove[]): MoveJob {
    return {
      transferId,
      sourceFolder: nodePath.join(root, 'source'),
      destinationFolder: nodePath.join(root, 'target'),
      files,
      isFlushed: true,
      sign: jobSign(),
    };
  }

  function move(...files: readonly FileToMove[]): JobResult {
    return moveFiles(jobOf(files));
  }

  function landed(): Record<string, string> {
    const landing = nodePath.join(root, 'target', `dts-${transferId}`);
    if (!fs.existsSync(landing)) return {};
    const entries = fs.readdirSync(landing, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => nodePath.join(parentPath, name));
    return Object.fromEntries(paths.map((path) => [nodePath.relative(landing, path), fs.readFileSync(path, 'utf8')]));
  }

  it('lands them below the folder of the transfer, and counts them one by one', () => {
    const job = jobOf([staged('a.txt', 'alpha'), staged('sub/b.txt', 'beta', 1)]);
    assert.deepEqual(
      moveFiles(job).done.map(({ position }) => position),
      [0, 1],
    );
    assert.equal(doneCount(job.sign), 2);
    assert.deepEqual(landed(), { 'a.txt': 'alpha', 'sub/b.txt': 'beta' });
  });

  const changes: [what: string, change: () => void, trouble: object][] = [
    [
      'has another content',
      () => write('source/a.txt', 'ALPHA'),
      { act: 'copy', text: 'it changed while it was being transferred' },
    ],
    [
      'has become shorter',
      () => write('source/a.txt', 'alp'),
      { act: 'copy', text: 'it changed while it was being transferred' },
    ],
    [
      'has become longer',
      () => write('source/a.txt', 'alpha and more'),
      { act: 'copy', text: 'it changed while it was being transferred' },
    ],
    ['is gone', () => fs.rmSync(nodePath.join(root, 'source/a.txt')), { act: 'read', code: 'ENOENT' }],
    [
      'was replaced by a link that leads out',
      () => {
        write('secret.txt', 'alpha');
        fs.rmSync(nodePath.join(root, 'source/a.txt'));
        fs.symlinkSync('../secret.txt', nodePath.join(root, 'source/a.txt'));
      },
      { act: 'read', text: "it leads out of the database's folder" },
    ],
  ];
  for (const [what, change, trouble] of changes) {
    it(`leaves nothing of a file that ${what} since it was staged, and what landed before it stays`, () => {
      change();
      const result = move(staged('sub/b.txt', 'beta'), staged('a.txt', 'alpha', 1));
      assert.deepEqual(result.trouble, { position: 1, ...trouble });
      assert.deepEqual(landed(), { 'sub/b.txt': 'beta' });
    });
  }

  it('takes no more of a file that grows without end than it had when it was staged', () => {
    // Has no size, and can be read on and on.
    const job = { ...jobOf([staged('pagemap', '')]), sourceFolder: '/proc/self' };
    const text = 'it changed while it was being transferred';
    assert.deepEqual(moveFiles(job).trouble, { position: 0, act: 'copy', text });
    assert.deepEqual(landed(), {});
  });

  it('lets a file stand that has landed before, and no other that stands in its place', () => {
    write(`target/dts-${transferId}/a.txt`, 'alpha');
    write(`target/dts-${transferId}/sub/b.txt`, 'something else');
    assert.equal(move(staged('a.txt', 'alpha')).done.length, 1);
    const { trouble } = move(staged('sub/b.txt', 'beta'));
    assert.deepEqual(trouble, { position: 0, act: 'write', text: 'something else is already there' });
    assert.deepEqual(landed(), { 'a.txt': 'alpha', 'sub/b.txt': 'something else' });
  });

  it('writes over what an attempt before it left unfinished', () => {
    write(`target/dts-${transferId}/a.txt.part-${transferId}`, 'half of something');
    assert.equal(move(staged('a.txt', 'alpha')).trouble, undefined);
    assert.deepEqual(landed(), { 'a.txt': 'alpha' });
  });

  it('writes nothing outside where a folder of the destination was replaced by a link', () => {
    fs.mkdirSync(nodePath.join(root, 'target', `dts-${transferId}`));
    fs.symlinkSync('../..', nodePath.join(root, 'target', `dts-${transferId}`, 'sub'));
    const { trouble } = move(staged('sub/b.txt', 'beta'));
    assert.deepEqual(trouble, { position: 0, act: 'write', text: 'a link leads out of the destination' });
    assert.deepEqual(fs.readdirSync(root).sort(), ['source', 'target']);
  });

  it('removes nothing outside where the folder of a transfer that ended was replaced by a link', async () => {
    write('outside/manifest.json', '{}');
    write(`outside/a.txt.part-${transferId}`, 'mine');
    fs.symlinkSync('../outside', nodePath.join(root, 'target', `dts-${transferId}`));
    await discardLanding(nodePath.join(root, 'target'), transferId, 'manifest.json');
    const kept = fs.readdirSync(nodePath.join(root, 'outside')).sort();
    assert.deepEqual(kept, [`a.txt.part-${transferId}`, 'manifest.json']);
  });

  it('tells of a name that the destination cannot hold', () => {
    const long = `${'x'.repeat(200)}/`.repeat(25);
    const { trouble } = move({ ...staged('a.txt', 'alpha'), path: `${long}a.txt` });
    assert.deepEqual(trouble, { position: 0, act: 'write', code: 'ENAMETOOLONG' });
  });

  it('never makes the destination itself', () => {
    fs.rmdirSync(nodePath.join(root, 'target'));
    assert.deepEqual(move(staged('a.txt', 'alpha')).trouble, { position: 0, act: 'write', code: 'ENOENT' });
    assert.ok(!fs.existsSync(nodePath.join(root, 'target')));
  });

  /** The calls that put a file in its place, in their order, where the file system can share its blocks. */
  function callsOfCloning(job: MoveJob): string[] {
    const calls: string[] = [];
    const { copyFileSync, fsyncSync, renameSync } = fs;
    mock.method(fs, 'copyFileSync', (from: string, to: string, mode: number) => {
      calls.push('clone');
      copyFileSync(from, to, mode & ~fs.constants.COPYFILE_FICLONE_FORCE);
    });
    mock.method(fs, 'fsyncSync', (file: number) => {
      calls.push('flush');
      fsyncSync(file);
    });
    mock.method(fs, 'renameSync', (from: string, to: string) => {
      calls.push('rename');
      renameSync(from, to);
    });
    syncBuiltinESMExports();
    try {
      assert.equal(moveFiles(job).trouble, undefined);
      return calls;
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  }

  it('flushes a clone before it gets its name, where each file is to be flushed, also that of a read-only file', () => {
    const content = 'large '.repeat(20_000);
    write('source/large.txt', content);
    fs.chmodSync(nodePath.join(root, 'source/large.txt'), 0o444);
    const job = jobOf([staged('large.txt', content)]);
    assert.deepEqual(callsOfCloning(job), ['clone', 'flush', 'rename']);
    assert.deepEqual(landed(), { 'large.txt': content });
    fs.rmSync(nodePath.join(root, 'target'), { recursive: true });
    fs.mkdirSync(nodePath.join(root, 'target'));
    assert.deepEqual(callsOfCloning({ ...job, isFlushed: false, sign: jobSign() }), ['clone', 'rename']);
  });

  it('stops between two files when it is told to', () => {
    const job = jobOf([staged('a.txt', 'alpha')]);
    raise(job.sign);
    assert.deepEqual(moveFiles(job), { done: [], isStopped: true });
    assert.deepEqual(landed(), {});
  });
});

describe('Staging a file that changes while it is read (D23)', () => {
  // Such a file has no size until it is read; the second can be read on and on.
  for (const path of ['status', 'pagemap']) {
    it(`tells so of ${path}`, () => {
      const { trouble } = stageFiles({ folder: '/proc/self', files: [{ position: 0, path }], sign: jobSign() });
      assert.deepEqual(trouble, { position: 0, act: 'read', text: 'it changed while it was being read' });
    });
  }
});
