import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  createJobSignal,
  getByteCounts,
  getDoneCount,
  requestStop,
  type JobResult,
  type JobSignal,
} from '../transfers/fileJobs.ts';
import { stageFiles } from '../transfers/fileJobHandlers.ts';
import { moveFiles } from '../transfers/moveFiles.ts';
import { endedTaskCode, TaskFiles, type TaskJob } from './taskFiles.ts';

/** The program of a task on a node of the cluster: runs the job in a file, and writes its progress and its result. */

interface TaskWork {
  readonly task: TaskJob;
  readonly signal: JobSignal;
}

const reportEveryMs = 1_000;
const maxSmallBytes = 1024 * 1024;
/** Number of times that Slurm has restarted this task, because its node had failed or was needed. */
const restart = Number(process.env['SLURM_RESTART_COUNT'] ?? 0);

async function mayWork(files: TaskFiles): Promise<boolean> {
  // A node that was cut off for a while may still run a task that has been restarted elsewhere.
  const isLatest = ((await files.readProgress().catch(() => undefined))?.restart ?? 0) <= restart;
  return isLatest && (await files.isPermitted());
}

async function report(files: TaskFiles, signal: JobSignal): Promise<void> {
  if (await mayWork(files))
    await files.writeProgress({ restart, done: getDoneCount(signal), ...getByteCounts(signal) });
  else requestStop(signal);
}

async function findUnreachable({ kind, job }: TaskJob): Promise<JobResult | undefined> {
  const folders =
    kind === 'stage'
      ? [job.folder]
      : [job.source.location.folder, job.destination.location.folder].map((one) => one ?? '');
  for (const folder of folders) {
    if (await stat(folder).catch(() => undefined)) continue;
    const text = `node ${process.env['SLURMD_NODENAME'] ?? ''} doesn't reach ${folder}`;
    const [{ position } = { position: 0 }] = job.files;
    return { done: [], failure: { position, operation: 'read', code: endedTaskCode, text } };
  }
  return undefined;
}

async function runTask(files: TaskFiles): Promise<void> {
  const task = (await files.readResult()) === undefined ? await files.readJob() : undefined;
  if (task === undefined || !(await mayWork(files))) return;
  const missing = await findUnreachable(task);
  if (missing !== undefined) {
    await files.writeResult(missing);
    return;
  }
  const signal = createJobSignal();
  // Slurm takes a node away, or the task's time is over: what is done so far counts.
  process.on('SIGTERM', () => requestStop(signal));
  await report(files, signal);
  // A report that fails isn't missed: the next one follows.
  const timer = setInterval(() => void report(files, signal).catch(() => undefined), reportEveryMs);
  const result = await (hasOnlySmallFiles(task) ? runJob : runInThread)({ task, signal });
  clearInterval(timer);
  if (await mayWork(files)) await files.writeResult(result);
}

function hasOnlySmallFiles({ kind, job }: TaskJob): boolean {
  // The main thread notices signals and reports between two files. A thread costs as much as hundreds of small ones.
  const bytesPerSecond = kind === 'move' ? job.bytesPerSecond : undefined;
  const maxBytes = Math.min(maxSmallBytes, (bytesPerSecond ?? Infinity) / 4);
  return job.files.every(({ bytes = Infinity }) => bytes <= maxBytes);
}

async function runInThread(workerData: TaskWork): Promise<JobResult> {
  const [result] = (await once(new Worker(import.meta.filename, { workerData }), 'message')) as [JobResult];
  return result;
}

async function runJob({ task, signal }: TaskWork): Promise<JobResult> {
  return task.kind === 'stage' ? await stageFiles({ ...task.job, signal }) : await moveFiles({ ...task.job, signal });
}

if (isMainThread) {
  const files = TaskFiles.find(process.argv[2] ?? '');
  if (files === undefined) throw new Error('usage: task.mjs FOLDER/job.N.json');
  await runTask(files);
} else {
  parentPort?.postMessage(await runJob(workerData as TaskWork));
}
