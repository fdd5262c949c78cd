import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';
import { isMissing } from '../../core/util/errorFacts.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import type { JobResult, MoveWork, StageWork } from '../transfers/fileJobs.ts';

/** The content of a job file: the files of one task. */
export type TaskJob =
  { readonly kind: 'stage'; readonly job: StageWork } | { readonly kind: 'move'; readonly job: MoveWork };

/** The code of a failure that means that a task could not do its job; the text says why. */
export const endedTaskCode = 'TASK_ENDED';

/** The amount of a task's work so far. */
interface TaskProgress {
  /** Number of times that Slurm had restarted the task. */
  readonly restart: number;
  /** Number of completed files. */
  readonly done: number;
  /** Bytes copied, and bytes read to hash files or to verify copies. */
  readonly copied: number;
  readonly read: number;
}

const jobPattern = /^job\.(\d+)\.json$/;
const resultPattern = /^result\.(\d+)\.json$/;

/**
 * The files of one task, in the folder of its array. The job file permits the task to work: a task without one ends.
 * Only its result says that a task has done its job.
 */
export class TaskFiles {
  readonly job: string;
  readonly progress: string;
  readonly result: string;
  /** The text that the task printed, such as the reason why it couldn't start. */
  readonly output: string;

  constructor(folder: string, index: number) {
    this.job = nodePath.join(folder, `job.${index}.json`);
    this.progress = nodePath.join(folder, `progress.${index}.json`);
    this.result = nodePath.join(folder, `result.${index}.json`);
    this.output = nodePath.join(folder, `output.${index}.txt`);
  }

  /** Returns the files of the task with a job file; undefined for another file. */
  static find(jobFile: string): TaskFiles | undefined {
    const index = jobPattern.exec(nodePath.basename(jobFile))?.[1];
    return index === undefined ? undefined : new TaskFiles(nodePath.dirname(jobFile), Number(index));
  }

  /** Returns the job; undefined if the task must not work. */
  async readJob(): Promise<TaskJob | undefined> {
    return await readJson<TaskJob>(this.job);
  }

  /** Returns true if the task may work. */
  async isPermitted(): Promise<boolean> {
    return await fs.stat(this.job).then(
      () => true,
      (error: unknown) => !isMissing(error),
    );
  }

  async readProgress(): Promise<TaskProgress | undefined> {
    return await readJson<TaskProgress>(this.progress);
  }

  async writeProgress(progress: TaskProgress): Promise<void> {
    await writeFileAtomically(this.progress, JSON.stringify(progress));
  }

  async readResult(): Promise<JobResult | undefined> {
    return await readJson<JobResult>(this.result);
  }

  async writeResult(result: JobResult): Promise<void> {
    await writeFileAtomically(this.result, JSON.stringify(result), true);
  }
}

/** One task of an array, as the service follows it. */
export interface ArrayTask {
  readonly index: number;
  readonly files: TaskFiles;
  /** The positions of its files in the transfer. */
  readonly positions: readonly number[];
}

const arrayPattern = /^(stage|move)-(\d+)$/;
const idFile = 'id';
const script = 'task.sh';
/** Slurm has its own copy of the script; the arguments contain everything that isn't known here. */
const scriptText = `#!/bin/sh
if ! command -v "$1" >/dev/null; then
  echo "Node.js isn't at $1 on $SLURMD_NODENAME (see cluster.slurm.node in the configuration)"
  exit 127
fi
exec "$1" "$2" "$3/job.$SLURM_ARRAY_TASK_ID.json"
`;

/** An array of tasks, which is found again by its folder and its job name after a crash (D12: never resubmit). */
export class TaskArray {
  readonly folder: string;
  readonly kind: TaskJob['kind'];
  readonly tasks: readonly ArrayTask[];
  /** The job ID; undefined if it isn't known whether Slurm has the array. */
  id: string | undefined;

  private constructor(folder: string, kind: TaskJob['kind'], tasks: readonly ArrayTask[], id?: string) {
    this.folder = folder;
    this.kind = kind;
    this.tasks = tasks;
    this.id = id;
  }

  /** The array's job name: the names of the transfer's folder and of its own. */
  get name(): string {
    return `${nodePath.basename(nodePath.dirname(this.folder))}-${nodePath.basename(this.folder)}`;
  }

  /** The array's number in its transfer. */
  get number(): number {
    return Number(arrayPattern.exec(nodePath.basename(this.folder))?.[2]);
  }

  /** The path of the script, with which `sbatch` starts each task. */
  get script(): string {
    return nodePath.join(this.folder, script);
  }

  /** Writes the files of a new array, which appears at once and as a whole. */
  static async create(transferFolder: string, number: number, jobs: readonly TaskJob[]): Promise<TaskArray> {
    const [{ kind } = { kind: 'stage' as const }] = jobs;
    const folder = nodePath.join(transferFolder, `${kind}-${number}`);
    const unfinished = `${folder}.part`;
    await fs.rm(unfinished, { recursive: true, force: true });
    await fs.mkdir(unfinished, 0o700);
    await fs.writeFile(nodePath.join(unfinished, script), scriptText);
    for (const [index, job] of jobs.entries())
      await fs.writeFile(new TaskFiles(unfinished, index).job, JSON.stringify(job), { flush: true });
    await fs.rename(unfinished, folder);
    return new TaskArray(
      folder,
      kind,
      jobs.map((job, index) => toTask(folder, index, job)),
    );
  }

  /** Returns the arrays of a transfer in the order of their numbers; none if it has no folder. */
  static async list(transferFolder: string): Promise<TaskArray[]> {
    const names = (await listFolder(transferFolder)).filter((name) => arrayPattern.test(name));
    const arrays = await Promise.all(
      names.map(async (name) => await TaskArray.open(nodePath.join(transferFolder, name))),
    );
    return arrays.sort((one, other) => one.number - other.number);
  }

  private static async open(folder: string): Promise<TaskArray> {
    const kind = nodePath.basename(folder).startsWith('move') ? 'move' : 'stage';
    const tasks: ArrayTask[] = [];
    for (const name of (await listFolder(folder)).filter((one) => jobPattern.test(one))) {
      const job = await readJson<TaskJob>(nodePath.join(folder, name));
      if (job !== undefined) tasks.push(toTask(folder, Number(jobPattern.exec(name)?.[1]), job));
    }
    const id = await fs.readFile(nodePath.join(folder, idFile), 'utf8').catch(() => undefined);
    return new TaskArray(folder, kind, tasks, id);
  }

  /** Records the job ID. */
  async confirm(id: string): Promise<void> {
    await writeFileAtomically(nodePath.join(this.folder, idFile), id, true);
    this.id = id;
  }

  /** Returns the indexes of the tasks that have a result. */
  async listResults(): Promise<ReadonlySet<number>> {
    const names = await listFolder(this.folder);
    return new Set(names.flatMap((name) => resultPattern.exec(name)?.[1] ?? []).map(Number));
  }

  /** Takes away the permission to work from all tasks. */
  async forbid(): Promise<void> {
    await Promise.all(this.tasks.map(async ({ files }) => await fs.rm(files.job, { force: true })));
  }
}

function toTask(folder: string, index: number, { job }: TaskJob): ArrayTask {
  return { index, files: new TaskFiles(folder, index), positions: job.files.map(({ position }) => position) };
}

/** Returns the names in a folder; none if it doesn't exist. */
export async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await fs.readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return parseJsonObject(await fs.readFile(file, 'utf8')) as T | undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
