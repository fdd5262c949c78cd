import * as fs from 'node:fs/promises';
import { settlesWithin } from '../../core/util/clock.ts';
import {
  setCounts,
  throwIfStopped,
  type DoneFile,
  type FileFailure,
  type JobResult,
  type JobSignal,
} from '../transfers/fileJobs.ts';
import type { Cluster } from './cluster.ts';
import { findLastLine, isAlive, isWaiting, type SlurmTask } from './slurm.ts';
import { endedTaskCode, TaskArray, type ArrayTask, type TaskJob } from './taskFiles.ts';
import { selectFiles, splitTask } from './taskSplit.ts';

interface TaskRunOptions {
  readonly cluster: Cluster;
  readonly transferId: string;
  /** All arrays of the transfer. The run adds those that it submits. */
  readonly arrays: TaskArray[];
  /** The job with all files. */
  readonly task: TaskJob;
  readonly signal: JobSignal;
}

/** A task whose result the run waits for. */
interface OpenTask {
  readonly array: TaskArray;
  readonly task: ArrayTask;
  /** When Slurm no longer ran the task, although there was no result. */
  endedAtMs?: number;
}

const stopCheckMs = 50;
/** Time after the end of a task for which a network file system may still hide its result. */
const resultDelayMs = 20_000;
const maxNamedNodes = 4;
const noProgress = { done: 0, copied: 0, read: 0 } as const;

/**
 * Has tasks of a cluster process files, and waits for their results. Takes over the tasks of earlier runs, and submits
 * only what none of them has (D12: never resubmit).
 */
export class TaskRun {
  /** The states of the tasks, as a clause; undefined until they are known. */
  activity: string | undefined;
  private readonly options: TaskRunOptions;
  private readonly wanted: ReadonlySet<number>;
  private readonly done = new Map<number, DoneFile>();
  private states: FileStates = new Map();
  private readonly open = new Set<OpenTask>();
  private failure: FileFailure | undefined;

  constructor(options: TaskRunOptions) {
    this.options = options;
    this.wanted = new Set(options.task.job.files.map(({ position }) => position));
  }

  /** Takes over what tasks of earlier runs have done or will do. Returns the positions of the completed files. */
  async adopt(): Promise<ReadonlySet<number>> {
    const { arrays, task } = this.options;
    const earlier = arrays.filter(({ kind }) => kind === task.kind);
    const known = earlier.length === 0 ? [] : await this.findTasks(earlier);
    for (const array of earlier) {
      const own = known.filter(({ name }) => name === array.name);
      await this.adoptArray(array, own);
    }
    // What failed then is tried again now.
    this.failure = undefined;
    return new Set(this.done.keys());
  }

  /** Forgets files that are no longer where their task has left them. */
  forget(positions: readonly number[]): void {
    for (const position of positions) this.done.delete(position);
  }

  /** Submits the remaining files, and waits for all results or the first failure. Throws `JobStopped`, as `adopt`. */
  async run(): Promise<JobResult> {
    await this.submitRest();
    do await this.collect(this.open.size === 0 ? [] : await this.findTasks([...this.open].map(({ array }) => array)));
    while (this.open.size > 0 && this.failure === undefined);
    return { done: this.listDone(), ...(this.failure && { failure: this.failure }) };
  }

  /** Returns the state of a file that is to be moved; undefined if no task is known to have begun it. */
  getState(position: number): 'transferring' | 'transferred' | undefined {
    return this.done.has(position) ? 'transferred' : this.states.get(position);
  }

  /** Returns the files that are completed so far. */
  listDone(): readonly DoneFile[] {
    return [...this.done.values()].sort((one, other) => one.position - other.position);
  }

  private async adoptArray(array: TaskArray, known: readonly SlurmTask[]): Promise<void> {
    const results = await array.listResults();
    // An unanswered submission may have been lost. Its name and files are used again, so that a second array with the
    // same name would find its work done.
    const isLost = array.id === undefined && known.length === 0 && results.size === 0;
    if (isLost) await this.submit(array);
    const own = known.find(isAlive) ?? known.at(-1);
    if (array.id === undefined && own !== undefined) await array.confirm(own.arrayId);
    const alive = new Set(known.filter(isAlive).map(({ index }) => index));
    for (const task of array.tasks) {
      if (results.has(task.index)) await this.takeResult({ array, task }, '');
      else if (isLost || alive.has(task.index)) this.open.add({ array, task });
    }
  }

  private async submitRest(): Promise<void> {
    const { cluster, transferId, arrays, task } = this.options;
    const rest = new Set(this.wanted);
    for (const position of this.done.keys()) rest.delete(position);
    for (const { task: open } of this.open) open.positions.forEach((position) => rest.delete(position));
    if (rest.size === 0) return;
    const limits = { parallel: cluster.parallelTasks, max: await cluster.slurm.getMaxTasks() };
    const folder = await cluster.createTransferFolder(transferId);
    const jobs = splitTask(selectFiles(task, rest), limits);
    const array = await TaskArray.create(folder, 1 + (arrays.at(-1)?.number ?? 0), jobs);
    arrays.push(array);
    await this.submit(array);
    for (const one of array.tasks) this.open.add({ array, task: one });
  }

  private async submit(array: TaskArray): Promise<void> {
    const { cluster, signal } = this.options;
    throwIfStopped(signal);
    const { slurm, options } = cluster;
    const { name, folder, script, tasks } = array;
    const command = [script, ...(await cluster.copyProgram()), folder];
    const limits = this.getLimits();
    await array.confirm(await slurm.submit({ name, count: tasks.length, ...limits, options, folder, command }));
  }

  private getLimits(): { readonly parallel: number; readonly after?: readonly string[] } {
    // Tasks of earlier arrays may still wait or run.
    const { parallelTasks } = this.options.cluster;
    const free = parallelTasks - this.open.size;
    if (free > 0) return { parallel: free };
    return { parallel: parallelTasks, after: [...new Set([...this.open].flatMap(({ array }) => array.id ?? []))] };
  }

  private async findTasks(arrays: readonly TaskArray[]): Promise<readonly SlurmTask[]> {
    const { cluster, signal } = this.options;
    throwIfStopped(signal);
    const tasks = cluster.slurm.findTasks([...new Set(arrays.map(({ name }) => name))]);
    while (!(await settlesWithin(cluster.clock, stopCheckMs, tasks))) throwIfStopped(signal);
    // Before a pause, arrays had the same names, and Slurm still remembers them.
    const ids = new Map(arrays.map(({ name, id }) => [name, id]));
    return (await tasks).filter(({ name, arrayId }) => (ids.get(name) ?? arrayId) === arrayId);
  }

  private async collect(tasks: readonly SlurmTask[]): Promise<void> {
    const results = new Map<TaskArray, ReadonlySet<number>>();
    for (const { array } of this.open) if (!results.has(array)) results.set(array, await array.listResults());
    let counts: Counts = noProgress;
    const states: FileStates = new Map();
    for (const one of this.open) {
      const own = tasks.find(({ name, index }) => name === one.array.name && index === one.task.index);
      if (results.get(one.array)?.has(one.task.index) === true) await this.takeResult(one, own?.state ?? '');
      else if (own === undefined || !isAlive(own)) await this.noteEnd(one, own?.state ?? '');
      else counts = add(counts, await this.follow(one, own, states));
    }
    this.activity = describeTasks(tasks);
    this.states = states;
    let bytes = 0;
    for (const file of this.done.values()) bytes += file.bytes;
    setCounts(this.options.signal, add(counts, { done: this.done.size, copied: bytes, read: bytes }));
  }

  private async follow(one: OpenTask, own: SlurmTask, states: FileStates): Promise<Counts> {
    // A requeued task had ended before.
    delete one.endedAtMs;
    const { positions, files } = one.task;
    const progress = (await files.readProgress()) ?? noProgress;
    // A task moves its files one after another.
    for (const position of positions.slice(0, progress.done)) states.set(position, 'transferred');
    const next = positions[progress.done];
    if (next !== undefined && !isWaiting(own)) states.set(next, 'transferring');
    return progress;
  }

  private async takeResult(one: OpenTask, state: string): Promise<void> {
    const result = await one.task.files.readResult();
    if (result === undefined) {
      await this.noteEnd(one, state);
      return;
    }
    this.open.delete(one);
    for (const file of result.done) if (this.wanted.has(file.position)) this.done.set(file.position, file);
    this.failure ??= result.failure;
    if (result.isStopped === true) await this.fail(one, state);
  }

  private async noteEnd(one: OpenTask, state: string): Promise<void> {
    const now = this.options.cluster.clock.now();
    one.endedAtMs ??= now;
    if (now - one.endedAtMs < resultDelayMs) return;
    this.open.delete(one);
    await this.fail(one, state);
  }

  private async fail({ task }: OpenTask, state: string): Promise<void> {
    const position = task.positions.find((one) => this.wanted.has(one) && !this.done.has(one));
    if (position === undefined) return;
    const output = findLastLine(await fs.readFile(task.files.output, 'utf8').catch(() => ''));
    const reasons = [state, output].filter((reason) => reason !== '').join(': ');
    const text = `a task on the cluster ended early${reasons === '' ? '' : ` (${reasons})`}`;
    this.failure ??= { position, operation: 'write', code: endedTaskCode, text };
  }
}

type Counts = Parameters<typeof setCounts>[1];
type FileStates = Map<number, 'transferring' | 'transferred'>;

function add(one: Counts, other: Counts): Counts {
  return { done: one.done + other.done, copied: one.copied + other.copied, read: one.read + other.read };
}

function describeTasks(tasks: readonly SlurmTask[]): string {
  const pending = tasks.filter(isWaiting);
  const running = tasks.filter((task) => isAlive(task) && !isWaiting(task));
  const nodes = [...new Set(running.map(({ node }) => node))];
  const named = nodes.length > maxNamedNodes ? `${nodes.length} nodes` : nodes.join(', ');
  const reasons = [...new Set(pending.map(({ reason }) => reason))].join(', ');
  const where = nodes.length === 0 ? '' : ` on ${named}`;
  return `${running.length} of ${tasks.length} tasks${where}${pending.length === 0 ? '' : `; ${pending.length} pending (${reasons})`}`;
}
