import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { systemClock } from '../../../src/core/util/clock.ts';
import {
  createJobSignal,
  createSharedCopyMemory,
  getByteCounts,
  SharedCopy,
  type JobSignal,
  type MoveJob,
} from '../../../src/service/transfers/fileJobs.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';
import { stageFiles } from '../../../src/service/transfers/fileJobHandlers.ts';
import { folderName, largeBytes, MovementRig, transferId, withHash } from './movementRig.ts';

const large = 'x'.repeat(3_000_001);

describe('The bytes of files between folders', () => {
  let root: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-bytes-')));
    for (const folder of ['source', 'target']) fs.mkdirSync(nodePath.join(root, folder));
    fs.writeFileSync(nodePath.join(root, 'source/a.txt'), 'alpha');
    fs.writeFileSync(nodePath.join(root, 'source/large.bin'), large);
  });

  afterEach(() => fs.rmSync(root, { recursive: true }));

  function createJob(contents: Readonly<Record<string, string>>): MoveJob {
    const files = Object.entries(contents).map(([path, content], position) => {
      return { position, path, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    });
    const [source = '', target = ''] = ['source', 'target'].map((name) => nodePath.join(root, name));
    const sides = { source: { location: { folder: source } }, destination: { location: { folder: target } } };
    return { transferId, ...sides, files, isFlushed: false, signal: createJobSignal() };
  }

  it('are counted once as copied and once as read back', async () => {
    const job = createJob({ 'a.txt': 'alpha', 'large.bin': large });
    assert.equal((await moveFiles(job)).failure, undefined);
    assert.deepEqual(getByteCounts(job.signal), { copied: 3_000_006, read: 3_000_006 });
  });

  it('are counted once if the files are already there', async () => {
    await moveFiles(createJob({ 'a.txt': 'alpha' }));
    const job = createJob({ 'a.txt': 'alpha' });
    assert.equal((await moveFiles(job)).failure, undefined);
    assert.deepEqual(getByteCounts(job.signal), { copied: 5, read: 5 });
  });

  it('are never more than the size of a file that has grown', async () => {
    const job = createJob({ 'large.bin': large });
    fs.appendFileSync(nodePath.join(root, 'source/large.bin'), 'more');
    const add = Atomics.add as (...call: never[]) => number | bigint;
    const most = { copied: 0, read: 0 };
    mock.method(Atomics, 'add', (...call: never[]) => {
      const before = add(...call);
      const { copied, read } = getByteCounts(job.signal);
      Object.assign(most, { copied: Math.max(copied, most.copied), read: Math.max(read, most.read) });
      return before;
    });
    const { failure } = await moveFiles(job);
    mock.restoreAll();
    assert.equal(failure?.operation, 'copy');
    assert.deepEqual(most, { copied: 3_000_001, read: 3_000_001 });
    // Like those of a failed file to or from a store.
    assert.deepEqual(getByteCounts(job.signal), { copied: 0, read: 0 });
  });

  it('are counted once if a second thread reads the copy back, or tries to (D68)', async () => {
    const threads = new FileThreads(systemClock);
    const never = new AbortController().signal;
    const counts = [];
    for (const isRead of [true, false]) {
      const sharedCopy = createSharedCopyMemory();
      const job = { ...createJob({ 'large.bin': large }), sharedCopy };
      if (!isRead) assert.ok(new SharedCopy(sharedCopy).startReading());
      if (!isRead) new SharedCopy(sharedCopy).release();
      const reading = { sharedCopy, bytes: large.length, signal: job.signal };
      const read = isRead && threads.run('readBack', reading, never);
      while (isRead && sharedCopy[2] === 0) await new Promise(setImmediate);
      await threads.run('move', job, never);
      await read;
      counts.push(getByteCounts(job.signal));
      fs.rmSync(nodePath.join(root, 'target', folderName), { recursive: true });
    }
    await threads.end();
    assert.deepEqual(counts, [
      { copied: 3_000_001, read: 3_000_001 },
      { copied: 3_000_001, read: 3_000_001 },
    ]);
  });

  it('are counted as read while files are staged, also with a cached hash (D22)', async () => {
    const stage = async (signal: JobSignal, cached?: { modifiedMs: number; sha256: string }): Promise<void> => {
      const cachedHash = cached && { ...cached, bytes: large.length };
      const files = [{ position: 0, path: 'large.bin', cachedHash }];
      const { done } = await stageFiles({ folder: nodePath.join(root, 'source'), files, signal });
      assert.equal(done.length, 1);
    };
    const [hashed, known] = [createJobSignal(), createJobSignal()];
    await stage(hashed);
    await stage(known, { modifiedMs: fs.statSync(nodePath.join(root, 'source/large.bin')).mtimeMs, sha256: 'ab' });
    assert.deepEqual(
      [getByteCounts(hashed), getByteCounts(known)].map(({ read }) => read),
      [3_000_001, 3_000_001],
    );
  });
});

describe('The bytes of files from and to stores', () => {
  let rig: MovementRig;
  let signal: JobSignal;

  beforeEach(async () => {
    rig = await MovementRig.start();
    signal = createJobSignal();
  });
  afterEach(async () => await rig.stop());

  it('are counted once, also in a batch', async () => {
    const contents = { a: '1', b: '22', c: '333', 'large.bin': 'x'.repeat(largeBytes) };
    const bytes = largeBytes + 6;
    assert.equal((await rig.fetch(rig.put(contents), { signal })).done.length, 4);
    assert.deepEqual(getByteCounts(signal), { copied: bytes, read: bytes });
    const upload = createJobSignal();
    const files = await rig.write(contents);
    const sides = [rig.folder(rig.source), rig.store('lab:to')] as const;
    assert.equal((await rig.carry(...sides, files, { signal: upload })).done.length, 4);
    assert.deepEqual(getByteCounts(upload), { copied: bytes, read: bytes });
  });

  it('are counted once if a damaged partial file is read again from its start', async () => {
    const content = 'x'.repeat(largeBytes);
    const [file] = rig.put({ 'large.bin': content });
    assert.ok(file);
    fs.mkdirSync(nodePath.join(rig.target, folderName));
    fs.writeFileSync(nodePath.join(rig.target, folderName, `large.bin.part-${transferId}`), '\0'.repeat(4_096));
    assert.equal((await rig.fetch([withHash(file, content)], { signal })).done.length, 1);
    assert.deepEqual(getByteCounts(signal), { copied: largeBytes, read: largeBytes });
  });

  it('are not counted of a file that failed', async () => {
    const files = rig.put({ 'large.bin': 'x'.repeat(largeBytes) });
    rig.rclone.intervene = ({ method }) => (method === 'read' ? 'cut' : undefined);
    assert.equal((await rig.fetch(files, { signal })).done.length, 0);
    assert.deepEqual(getByteCounts(signal), { copied: 0, read: 0 });
  });
});
