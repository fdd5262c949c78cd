import type { TaskJob } from './taskFiles.ts';

/** Bytes that a task can process in about the time in which it opens, checks and names a file. */
const fileCost = 1024 * 1024;
/** Work of a task, as bytes: minutes, so that starting it doesn't count, and so that repeating it is bearable. */
const taskCost = 16 * 1024 ** 3;

interface SplitLimits {
  /** Number of tasks that can run at a time. */
  readonly parallel: number;
  /** Maximum number of tasks. */
  readonly max: number;
}

/** Returns the same job for the files at these positions only. */
export function selectFiles(task: TaskJob, positions: ReadonlySet<number>): TaskJob {
  return withFiles(task, (files) => files.filter(({ position }) => positions.has(position)));
}

/**
 * Divides a job among tasks of consecutive files with about the same work, at least one for each that can run. A large
 * array has larger tasks rather than more than `max`.
 */
export function splitTask(task: TaskJob, { parallel, max }: SplitLimits): readonly TaskJob[] {
  const { files } = task.job;
  const total = files.reduce((sum, { bytes = 0 }) => sum + bytes + fileCost, 0);
  const count = Math.min(files.length, max, Math.max(parallel, Math.ceil(total / taskCost)));
  const ends: number[] = Array.from({ length: count }, () => 0);
  let before = 0;
  for (const [index, { bytes = 0 }] of files.entries()) {
    const middle = before + (bytes + fileCost) / 2;
    ends[Math.min(count - 1, Math.floor((middle / total) * count))] = index + 1;
    before += bytes + fileCost;
  }
  let start = 0;
  return ends.flatMap((end) => {
    const part = end > start ? [withFiles(task, (all) => all.slice(start, end))] : [];
    start = Math.max(start, end);
    return part;
  });
}

function withFiles(
  { kind, job }: TaskJob,
  choose: <T extends { readonly position: number }>(files: readonly T[]) => readonly T[],
): TaskJob {
  return kind === 'stage'
    ? { kind, job: { ...job, files: choose(job.files) } }
    : { kind, job: { ...job, files: choose(job.files) } };
}
