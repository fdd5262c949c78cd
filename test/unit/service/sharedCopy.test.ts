import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { systemClock } from '../../../src/core/util/clock.ts';
import {
  createJobSignal,
  createSharedCopyMemory,
  requestStop,
  SharedCopy,
  type JobResult,
  type MoveJob,
  type ReadBackJob,
} from '../../../src/service/transfers/fileJobs.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';

type SharedJob = MoveJob & Pick<ReadBackJob, 'sharedCopy'>;

const transferId = '01234567-89ab-4cde-8f01-23456789abcd';

describe('A copy that a second thread reads back while it is written (D68)', () => {
  const content = randomBytes(5_000_001);
  const never = new AbortController().signal;
  let root: string;
  let threads: FileThreads;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-shared-')));
    for (const folder of ['source', 'target']) fs.mkdirSync(nodePath.join(root, folder));
    fs.writeFileSync(nodePath.join(root, 'source/large.bin'), content);
    threads = new FileThreads(systemClock);
  });

  afterEach(async () => {
    await threads.end();
    fs.rmSync(root, { recursive: true });
  });

  function createJob(change: Partial<Pick<MoveJob, 'bytesPerSecond' | 'source'>> = {}): SharedJob {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return {
      transferId,
      source: { location: { folder: nodePath.join(root, 'source') } },
      destination: { location: { folder: nodePath.join(root, 'target') } },
      files: [{ position: 0, path: 'large.bin', bytes: content.length, sha256 }],
      isFlushed: true,
      signal: createJobSignal(),
      sharedCopy: createSharedCopyMemory(),
      ...change,
    };
  }

  async function startReading({ sharedCopy, signal }: SharedJob): Promise<JobResult> {
    const job = { sharedCopy, signal, bytes: content.length };
    return await threads.run('readBack', job, never);
  }

  async function move(job: MoveJob): Promise<JobResult> {
    return await threads.run('move', job, never);
  }

  function listTarget(): string[] {
    return fs.readdirSync(nodePath.join(root, 'target', `dts-${transferId}`));
  }

  it('is complete when the second thread has computed its hash', async () => {
    const job = createJob();
    const reading = startReading(job);
    // The second thread waits for the first one.
    while (job.sharedCopy[2] === 0) await new Promise(setImmediate);
    assert.deepEqual((await move(job)).failure, undefined);
    assert.deepEqual(await reading, { done: [] });
    assert.equal(job.sharedCopy[3], 1, 'the second thread computed no digest');
    const copy = nodePath.join(root, 'target', `dts-${transferId}`, 'large.bin');
    assert.ok(fs.readFileSync(copy).equals(content));
  });

  it('is read back by the first thread if no second one has started', async () => {
    const job = createJob();
    assert.deepEqual((await moveFiles(job)).failure, undefined);
    assert.deepEqual(listTarget(), ['large.bin']);
    assert.deepEqual(await startReading(job), { done: [] });
  });

  it('is read back by the first thread if the second one fails', async () => {
    const job = createJob();
    assert.ok(new SharedCopy(job.sharedCopy).startReading());
    new SharedCopy(job.sharedCopy).release();
    assert.deepEqual((await move(job)).failure, undefined);
    assert.deepEqual(listTarget(), ['large.bin']);
  });

  for (const { change, length } of [
    { change: 'longer', length: content.length + 70_000 },
    { change: 'shorter', length: content.length - 70_000 },
    { change: 'empty', length: 0 },
  ])
    it(`is removed if the file became ${change} since it was staged`, async () => {
      fs.truncateSync(nodePath.join(root, 'source/large.bin'), length);
      const job = createJob();
      const reading = startReading(job);
      while (job.sharedCopy[2] === 0) await new Promise(setImmediate);
      assert.deepEqual((await move(job)).failure, {
        position: 0,
        operation: 'copy',
        text: 'it changed after it was hashed, or its copy is damaged',
      });
      await reading;
      assert.deepEqual(listTarget(), []);
    });

  it('is announced to the second thread before the first byte is written', async () => {
    fs.truncateSync(nodePath.join(root, 'source/large.bin'), 0);
    const job = createJob();
    const reader = new SharedCopy(job.sharedCopy);
    assert.ok(reader.startReading());
    // The first thread waits for the second one.
    mock.method(Atomics, 'wait', () => {
      const [part = ''] = listTarget();
      const { ino } = fs.statSync(nodePath.join(root, 'target', `dts-${transferId}`, part));
      assert.equal(fs.fstatSync(reader.file).ino, ino);
      reader.finishReading(undefined);
      return 'not-equal';
    });
    try {
      assert.equal((await moveFiles(job)).failure?.text, 'it changed after it was hashed, or its copy is damaged');
    } finally {
      mock.restoreAll();
    }
  });

  it('ends for both threads when the job is stopped', async () => {
    const job = createJob({ bytesPerSecond: 1_000 });
    const both = Promise.all([move(job), startReading(job)]);
    while (job.sharedCopy[0] === 0) await new Promise(setImmediate);
    requestStop(job.signal);
    assert.deepEqual(await both, [{ done: [], isStopped: true }, { done: [] }]);
    assert.deepEqual(listTarget(), []);
  });

  it('has the right content if reading moves the position of the file, as on Windows', async () => {
    const { writeSync } = fs;
    type Write = (file: number, piece: Buffer, offset: number, length?: number, position?: number) => number;
    const write: Write = (file, piece, offset, length = piece.length - offset, position = 0) =>
      writeSync(file, piece, offset, length, position);
    assert.equal((await moveWith('writeSync', write, createJob())).failure, undefined);
  });

  it('is not flushed if the job is stopped while it is read back', async () => {
    const job = createJob();
    const reader = new SharedCopy(job.sharedCopy);
    assert.ok(reader.startReading());
    reader.finishReading(undefined);
    const { wait } = Atomics;
    // The first thread waits for the second one.
    mock.method(Atomics, 'wait', (...args: Parameters<typeof wait>) => {
      requestStop(job.signal);
      return wait(...args);
    });
    const flush = (): void => assert.fail('flushed');
    assert.deepEqual(await moveWith('fsyncSync', flush, job), { done: [], isStopped: true });
    assert.deepEqual(listTarget(), []);
  });

  /** Moves files on this thread with a replaced file system function. */
  async function moveWith(
    name: 'writeSync' | 'fsyncSync',
    replacement: (...args: never[]) => unknown,
    job: MoveJob,
  ): Promise<JobResult> {
    mock.method(fs, name, replacement);
    syncBuiltinESMExports();
    try {
      return await moveFiles(job);
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  }

  it('does not occupy threads that files of other transfers need', async () => {
    const waiting = Array.from({ length: 6 }, () => createJob());
    const readings = waiting.map(startReading);
    assert.deepEqual((await move(createJob())).failure, undefined);
    for (const { sharedCopy } of waiting) new SharedCopy(sharedCopy).release();
    await Promise.all(readings);
  });

  it('ends for the second thread when the file cannot be opened', async () => {
    const job = createJob({ source: { location: { folder: nodePath.join(root, 'gone') } } });
    const reading = startReading(job);
    assert.equal((await move(job)).failure?.code, 'ENOENT');
    new SharedCopy(job.sharedCopy).release();
    assert.deepEqual(await reading, { done: [] });
  });
});
