import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import {
  createJobSignal,
  getByteCounts,
  type FileToMove,
  type JobResult,
  type JobSignal,
} from '../../../src/service/transfers/fileJobs.ts';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';

const transferId = '01234567-89ab-4cde-8f01-23456789abcd';

describe('Moving files that were not staged (D23, D24)', () => {
  let root: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-unstaged-')));
    for (const folder of ['source', 'target']) fs.mkdirSync(nodePath.join(root, folder));
    write('source/a.txt', 'alpha');
  });

  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    fs.rmSync(root, { recursive: true });
  });

  function write(path: string, content: string | Buffer): void {
    const file = nodePath.join(root, path);
    fs.mkdirSync(nodePath.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }

  function listed(path: string, bytes: number, position = 0): FileToMove {
    return { position, path, bytes, sha256: '' };
  }

  async function move(files: readonly FileToMove[], signal: JobSignal = createJobSignal()): Promise<JobResult> {
    const [source, destination] = ['source', 'target'].map((name) => {
      return { location: { folder: nodePath.join(root, name) } };
    });
    assert.ok(source && destination);
    return await moveFiles({ transferId, source, destination, files, isFlushed: false, signal });
  }

  function listTarget(): readonly string[] {
    const folder = nodePath.join(root, 'target', `dts-${transferId}`);
    const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  function readTarget(path: string): Buffer {
    return fs.readFileSync(nodePath.join(root, 'target', `dts-${transferId}`, path));
  }

  /** Returns the paths of the files that are opened from now on. */
  function watchOpened(): readonly string[] {
    const { openSync } = fs;
    const opened: string[] = [];
    mock.method(fs, 'openSync', (path: string, ...rest: [fs.OpenMode, fs.Mode?]) => {
      opened.push(path);
      return openSync(path, ...rest);
    });
    syncBuiltinESMExports();
    return opened;
  }

  /** Runs `change` after the first read of a file. */
  function changeAfterReading(change: () => void): void {
    const readSync = fs.readSync as (...args: readonly unknown[]) => number;
    let isChanged = false;
    mock.method(fs, 'readSync', (...args: readonly unknown[]) => {
      const count = readSync(...args);
      if (!isChanged) change();
      isChanged = true;
      return count;
    });
    syncBuiltinESMExports();
  }

  for (const size of [0, 5, 70_000, 256 * 1024 - 1, 256 * 1024, 1_500_000])
    it(`returns the hash, the size and the time of a file of ${size} bytes, and opens it once`, async () => {
      const content = Buffer.alloc(size, 'some content, ');
      write('source/sub/b.bin', content);
      const source = nodePath.join(root, 'source/sub/b.bin');
      fs.utimesSync(source, 1_000_000_000.25, 1_000_000_000.25);
      const opened = watchOpened();
      const signal = createJobSignal();
      const { done, failure } = await move([listed('sub/b.bin', size)], signal);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const expected = { position: 0, bytes: size, sha256, modifiedMs: 1_000_000_000_250 };
      assert.deepEqual([failure, done], [undefined, [expected]]);
      assert.ok(content.equals(readTarget('sub/b.bin')));
      assert.equal(fs.statSync(nodePath.join(root, 'target', `dts-${transferId}`, 'sub/b.bin')).mtimeMs, 1e12 + 250);
      assert.equal(opened.filter((path) => path === source).length, 1);
      assert.deepEqual(getByteCounts(signal), { copied: size, read: size });
    });

  it('takes a file with its size of now, also if it has become large since it was listed', async () => {
    for (const size of [3, 600_000]) {
      write(`source/${size}.bin`, Buffer.alloc(size, 'x'));
      const { done } = await move([listed(`${size}.bin`, 5)]);
      assert.deepEqual([done[0]?.bytes, readTarget(`${size}.bin`).length], [size, size]);
    }
  });

  it('gives no damaged copy its final name', async () => {
    const writeSync = fs.writeSync as (...args: readonly unknown[]) => number;
    mock.method(fs, 'writeSync', (file: number, piece: Buffer, ...rest: readonly unknown[]) =>
      writeSync(file, Buffer.alloc(piece.length, '?'), ...rest),
    );
    syncBuiltinESMExports();
    const { done, failure } = await move([listed('a.txt', 5)]);
    const text = 'its copy is damaged';
    assert.deepEqual([done, failure, listTarget()], [[], { position: 0, operation: 'copy', text }, []]);
  });

  for (const [what, content] of [
    ['longer', 'alpha and more'],
    ['shorter', 'alp'],
    ['other content', 'ALPHA'],
  ] as const)
    it(`transfers nothing of a file that changes while it is read (${what})`, async () => {
      fs.utimesSync(nodePath.join(root, 'source/a.txt'), 1, 1);
      changeAfterReading(() => write('source/a.txt', content));
      const { done, failure } = await move([listed('a.txt', 5)]);
      const text = 'it changed while it was being read';
      assert.deepEqual([done, failure, listTarget()], [[], { position: 0, operation: 'read', text }, []]);
    });

  it('copies a file whose time alone changes while it is read, and gives the copy the new time', async () => {
    changeAfterReading(() => fs.utimesSync(nodePath.join(root, 'source/a.txt'), 2_000_000_000, 2_000_000_000));
    const { done, failure } = await move([listed('a.txt', 5)]);
    assert.deepEqual([failure, done[0]?.modifiedMs], [undefined, 2e12]);
    const copy = nodePath.join(root, 'target', `dts-${transferId}`, 'a.txt');
    assert.deepEqual([fs.readFileSync(copy, 'utf8'), fs.statSync(copy).mtimeMs], ['alpha', 2e12]);
  });

  it('counts an identical file at the destination as done, as after a kill, and never replaces another one', async () => {
    write(`target/dts-${transferId}/a.txt`, 'alpha');
    const signal = createJobSignal();
    const { done } = await move([listed('a.txt', 5)], signal);
    assert.equal(done[0]?.sha256, createHash('sha256').update('alpha').digest('hex'));
    assert.deepEqual(getByteCounts(signal), { copied: 5, read: 5 });
    write('source/b.txt', 'beta');
    write(`target/dts-${transferId}/b.txt`, 'theirs');
    const { failure } = await move([listed('b.txt', 4)]);
    assert.deepEqual(failure, { position: 0, operation: 'write', text: 'a different file already exists' });
    assert.equal(readTarget('b.txt').toString(), 'theirs');
  });

  it('compares the content with the hash that the metadata states', async () => {
    const declared = { algorithm: 'md5', hex: createHash('md5').update('other').digest('hex') };
    const { failure } = await move([{ ...listed('a.txt', 5), declared }]);
    const text = 'it does not have the md5 hash that its metadata states';
    assert.deepEqual([failure, listTarget()], [{ position: 0, operation: 'read', text }, []]);
  });

  it('reads nothing outside through a link, and says which file is missing', async () => {
    write('secret.txt', 'secret');
    fs.symlinkSync('../secret.txt', nodePath.join(root, 'source/link.txt'));
    const outside = await move([listed('a.txt', 5), listed('link.txt', 6, 1)]);
    const text = "it points outside the database's folder";
    assert.deepEqual([outside.done.length, outside.failure], [1, { position: 1, operation: 'read', text }]);
    const missing = await move([listed('missing.txt', 6)]);
    assert.deepEqual(missing.failure, { position: 0, operation: 'read', code: 'ENOENT' });
    assert.deepEqual(listTarget(), ['a.txt']);
  });
});
