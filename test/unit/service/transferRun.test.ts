import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import type { FileToMove, JobResult } from '../../../src/service/transfers/fileJobs.ts';
import type { TransferRecord, TransferRecordFile } from '../../../src/service/transfers/journal.ts';
import { TransferRun, type TransferRunOptions } from '../../../src/service/transfers/transferRun.ts';
import { FakeRclone } from '../../support/fakeRclone.ts';

const record: TransferRecord = {
  status: 'active',
  id: '2c1d5e0a-0000-4000-8000-000000000008',
  orcid: '',
  sourceId: 'a',
  destinationId: 'b',
  fileCount: 1,
  sizeBytes: 1,
  createdAtMs: 1,
  message: '',
  movedCount: 0,
  isCancelRequested: false,
};
const progress = {
  getRecord: () => record,
  enterStatus: () => undefined,
  reportAdvanced: () => undefined,
  reportLost: () => undefined,
  reportProblem: () => undefined,
};

describe('A completed transfer to a store (D62)', () => {
  let rclone: FakeRclone;
  beforeEach(async () => {
    rclone = await FakeRclone.start();
  });
  afterEach(async () => await rclone.stop());

  /** Runs a transfer of one file whose job has the given result. Returns the name of the manifest to remove later. */
  async function run(result: Partial<JobResult>): Promise<string | undefined> {
    rclone.objects.set(`lab:b/dts-${record.id}/a`, Buffer.from('x'));
    const runJob = async (): Promise<JobResult> =>
      await Promise.resolve({ done: [{ position: 0, bytes: 1, sha256: '' }], ...result });
    const threads = { run: runJob };
    const daemon = { use: async (work: Parameters<RcloneDaemon['use']>[0]) => await work(rclone.address) };
    const tracking = {
      pauseTracking: async () => await Promise.resolve(),
      resumeTracking: async () => await Promise.resolve(),
    };
    const side = (remote: string): object => {
      return {
        document: { id: remote, name: remote, organization: '', url: '' },
        location: { remote },
        catalog: tracking,
      };
    };
    const sides = { source: side('far:a'), destination: side('lab:b'), clock: systemClock, isResumed: false };
    const options = { ...sides, threads, daemon } as unknown as TransferRunOptions;
    const file = { position: 0, path: 'a', resource: { id: 'a' }, bytes: 1, isTransferred: false };
    const transfer = new TransferRun(options, progress, [file]);
    await transfer.run(new AbortController().signal);
    assert.deepEqual(rclone.places, [`lab:b/dts-${record.id}/a`, `lab:b/dts-${record.id}/manifest.json`]);
    return transfer.leftoverManifest;
  }

  it('needs no later removal if all batches were complete', async () => {
    assert.equal(await run({}), undefined);
  });

  it('needs a later removal that keeps the manifest if files of a batch had to be sent again', async () => {
    assert.equal(await run({ isBatchIncomplete: true }), '');
  });
});

describe('A transfer of small files between folders (D22, D23)', () => {
  const stagedHash = '5'.repeat(64);
  const movedHash = 'a'.repeat(64);
  let root: string;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-run-'));
  });
  afterEach(async () => await fs.rm(root, { recursive: true }));

  interface Outcome {
    readonly statuses: string[];
    readonly staged: number[];
    /** Positions of the files that were hashed while they were moved. */
    readonly hashedLater: number[];
    /** Paths whose hashes were cached. */
    readonly cached: string[];
    readonly stagedBytes: (number | undefined)[];
  }

  function createFile(position: number): TransferRecordFile {
    const path = `${position}.txt`;
    return { position, path, resource: { id: path, name: path, path }, bytes: 1, isTransferred: false };
  }

  /** Runs a transfer whose file `0.txt` has a cached hash. The file system is simulated. */
  async function run(files: readonly TransferRecordFile[], more: Partial<TransferRunOptions> = {}): Promise<Outcome> {
    const outcome: Outcome = { statuses: [], staged: [], hashedLater: [], cached: [], stagedBytes: [] };
    const runJob = async (name: string, job: { readonly files?: readonly FileToMove[] }): Promise<JobResult> => {
      const positions = (job.files ?? []).map(({ position }) => position);
      const unstaged = (job.files ?? []).flatMap(({ position, sha256 }) => (sha256 === '' ? position : []));
      if (name === 'stage') outcome.staged.push(...positions);
      if (name === 'move') outcome.hashedLater.push(...unstaged);
      if (name === 'move') outcome.stagedBytes.push(transfer.bytes?.staged);
      const done = (job.files ?? []).map(({ position, sha256 }) => {
        return { position, bytes: 2, sha256: name === 'stage' ? stagedHash : sha256 || movedHash, modifiedMs: 1 };
      });
      return await Promise.resolve({ done, lost: [] });
    };
    const catalog = {
      pauseTracking: async () => await Promise.resolve(),
      resumeTracking: async () => await Promise.resolve(),
      getCachedHashes: async (paths: readonly string[]) =>
        await Promise.resolve(
          paths.map((path) => (path === '0.txt' ? { path, bytes: 1, modifiedMs: 1, sha256: stagedHash } : undefined)),
        ),
      cacheHashes: async (hashed: readonly { path: string }[]) =>
        await Promise.resolve(void outcome.cached.push(...hashed.map(({ path }) => path))),
    };
    const side = { document: { id: 'x', name: 'x', organization: '', url: '' }, location: { folder: root }, catalog };
    const threads = { run: runJob, ensureThreads: () => undefined };
    const options = { source: side, destination: side, threads, clock: systemClock, isResumed: false, ...more };
    const enterStatus = (status: string): void => void outcome.statuses.push(status);
    const transfer = new TransferRun(options as unknown as TransferRunOptions, { ...progress, enterStatus }, files);
    await transfer.run(new AbortController().signal);
    return outcome;
  }

  it('stages those of more than 100 files that are large, or have a hash to compare with, and reads others once', async () => {
    const files = Array.from({ length: 103 }, (_, position) => createFile(position));
    files[1] = { ...createFile(1), resource: { id: '1.txt', name: '1.txt', path: '1.txt', hash: '1'.repeat(32) } };
    files[2] = { ...createFile(2), bytes: 256 * 1024 };
    const { statuses, staged, hashedLater, cached, stagedBytes } = await run(files);
    assert.deepEqual(statuses, ['staging', 'active', 'finalizing']);
    assert.deepEqual(staged, [0, 1, 2]);
    assert.deepEqual(
      hashedLater,
      files.slice(3).map(({ position }) => position),
    );
    assert.deepEqual(
      cached.sort(),
      files
        .slice(1)
        .map(({ path }) => path)
        .sort(),
    );
    assert.deepEqual(stagedBytes, [6]);
  });

  it('caches no hash of a file that is read once and was modified in the last two seconds, because it may change again', async () => {
    const files = Array.from({ length: 102 }, (_, position) => createFile(position));
    const cachedAt = async (ms: number): Promise<number> =>
      (await run(files, { clock: { now: () => ms, after: systemClock.after } })).cached.length;
    assert.deepEqual([await cachedAt(2_000), await cachedAt(2_001)], [0, 101]);
  });

  it('has nothing to stage of more than 100 files without any hash, and states their hashes in the manifest', async () => {
    const files = Array.from({ length: 101 }, (_, index) => createFile(index)).map((file) => {
      return { ...file, path: `new-${file.path}` };
    });
    const { statuses, staged, hashedLater } = await run(files);
    assert.deepEqual([statuses, staged, hashedLater.length], [['active', 'finalizing'], [], 101]);
    const manifest = await fs.readFile(nodePath.join(root, `dts-${record.id}`, 'manifest.json'), 'utf8');
    assert.equal(manifest.split(`"bytes":2,"hash":"sha256:${movedHash}"`).length, 102);
  });

  it('stages up to 100 files, and all files if the speed is limited', async () => {
    for (const [count, more] of [
      [100, {}],
      [101, { throttleBytesPerSecond: 1_000_000 }],
    ] as const) {
      const files = Array.from({ length: count }, (_, position) => createFile(position));
      const { staged, hashedLater, stagedBytes } = await run(files, more);
      assert.deepEqual([staged.length, hashedLater, stagedBytes], [count, [], [2 * count]]);
      await fs.rm(nodePath.join(root, `dts-${record.id}`), { recursive: true });
    }
  });
});
