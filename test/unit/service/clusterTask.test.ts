import assert from 'node:assert/strict';
import { execFile, type PromiseWithChild } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TaskArray, type TaskFiles, type TaskJob } from '../../../src/service/cluster/taskFiles.ts';
import { eventually } from '../../support/eventually.ts';
import { repositoryRoot } from '../../support/editor/places.ts';

const program = join(repositoryRoot, 'src', 'service', 'cluster', 'clusterTask.ts');
/** Programs that a task loads before its own. */
const preloads = {
  withoutThreads: `require('node:worker_threads').Worker = undefined;`,
  withSlowDisk: `const sleeper = new Int32Array(new SharedArrayBuffer(4));
    require('node:fs').fsyncSync = () => Atomics.wait(sleeper, 0, 0, Number(process.env.FLUSH_MS));`,
} as const;

describe('A task on a node of a cluster', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await fs.mkdtemp(join(tmpdir(), 'dts-task-'));
    for (const name of ['source', 'target']) await fs.mkdir(join(folder, name));
  });
  afterEach(async () => await fs.rm(folder, { recursive: true }));

  async function createTask(job: TaskJob): Promise<TaskFiles> {
    const { tasks } = await TaskArray.create(folder, 1, [job]);
    return tasks[0]?.files ?? assert.fail();
  }

  /** Runs the program of a task with these variables. The promise has the process. */
  function run(
    files: TaskFiles,
    variables: Readonly<Record<string, string>> = {},
    preload?: keyof typeof preloads,
  ): PromiseWithChild<unknown> {
    const file = join(folder, 'preload.cjs');
    writeFileSync(
      file,
      `${preload === undefined ? '' : preloads[preload]}\nrequire('node:module').syncBuiltinESMExports();`,
    );
    const env = { ...process.env, ...variables };
    return promisify(execFile)(process.execPath, ['--require', file, program, files.job], { env });
  }

  /** Writes files to the source, and returns a job that copies them. */
  async function describeMove(count: number, bytes: number): Promise<TaskJob> {
    const staging = Array.from({ length: count }, (_, position) => ({ position, path: `${position}.bin`, bytes }));
    for (const { path } of staging) await fs.writeFile(join(folder, 'source', path), Buffer.alloc(bytes));
    const task = await createTask({ kind: 'stage', job: { folder: join(folder, 'source'), files: staging } });
    await run(task);
    const { done = [] } = (await task.readResult()) ?? {};
    const files = staging.map((file, index) => ({ ...file, sha256: done[index]?.sha256 ?? '' }));
    const [source, destination] = ['source', 'target'].map((name) => ({ location: { folder: join(folder, name) } }));
    const sides = { source: source ?? assert.fail(), destination: destination ?? assert.fail() };
    return { kind: 'move', job: { transferId: 'a', ...sides, isFlushed: true, files } };
  }

  it('names the node and the folder if the node does not reach it', async () => {
    const missing = join(folder, 'missing');
    const file = { position: 3, path: 'a.txt', bytes: 1, declared: undefined, cachedHash: undefined };
    const files = await createTask({ kind: 'stage', job: { folder: missing, files: [file] } });
    await run(files, { SLURMD_NODENAME: 'dtn1' });
    const { failure } = (await files.readResult()) ?? {};
    assert.deepEqual([failure?.position, failure?.text], [3, `node dtn1 doesn't reach ${missing}`]);
  });

  for (const bytesPerSecond of [undefined, 50_000])
    it(`copies small files without starting a thread, at ${bytesPerSecond ?? 'any number of'} bytes per second`, async () => {
      const task = await describeMove(3, 1_000);
      if (task.kind === 'move') Object.assign(task.job, { bytesPerSecond });
      const files = await createTask(task);
      await run(files, {}, 'withoutThreads');
      assert.equal((await files.readResult())?.done.length, 3);
      assert.deepEqual((await fs.readdir(join(folder, 'target', 'dts-a'))).sort(), ['0.bin', '1.bin', '2.bin']);
    });

  // Large files are copied in a thread.
  const works = [
    { text: 'small', count: 300, bytes: 1_000, flushMs: 30 },
    { text: 'large', count: 15, bytes: 1_100_000, flushMs: 600 },
  ] as const;
  for (const { text, count, bytes, flushMs } of works) {
    /** Starts a task that takes nine seconds, and resolves when it works. */
    async function start(): Promise<{ files: TaskFiles; running: PromiseWithChild<unknown> }> {
      const files = await createTask(await describeMove(count, bytes));
      const running = run(files, { FLUSH_MS: String(flushMs) }, 'withSlowDisk');
      await eventually(async () => ((await files.readProgress())?.done ?? 0) > 0 || undefined);
      return { files, running };
    }

    it(`that copies ${text} files reports what it has done when its time is over`, async () => {
      const { files, running } = await start();
      running.child.kill('SIGTERM');
      await running;
      const { done = [], isStopped } = (await files.readResult()) ?? {};
      assert.ok(isStopped === true && done.length > 0 && done.length < count, String(done.length));
      const names = await fs.readdir(join(folder, 'target', 'dts-a'));
      assert.deepEqual(names.sort(), done.map(({ position }) => `${position}.bin`).sort());
    });

    it(`that copies ${text} files ends without a result when it may no longer work`, async () => {
      const { files, running } = await start();
      await fs.rm(files.job);
      await running;
      assert.equal(await files.readResult(), undefined);
      assert.ok((await fs.readdir(join(folder, 'target', 'dts-a'))).length < count);
    });

    it(`that copies ${text} files ends without a result when another node runs it`, async () => {
      const { files, running } = await start();
      await files.writeProgress({ restart: 1, done: 0, copied: 0, read: 0 });
      await running;
      assert.equal(await files.readResult(), undefined);
      assert.equal((await files.readProgress())?.restart, 1);
    });
  }
});
