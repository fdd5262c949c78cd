import { execFile, type ChildProcess } from 'node:child_process';
import { userInfo } from 'node:os';
import { wait, type Clock } from '../../core/util/clock.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';

/** Thrown if a command of Slurm fails. The message is a clause that gives the reason, and the setting that may help. */
export class SlurmError extends Error {
  override readonly name = 'SlurmError';
}

/** A task of a job array, as `squeue` reports it. */
export interface SlurmTask {
  readonly arrayId: string;
  readonly index: number;
  /** The array's job name. */
  readonly name: string;
  /** One word, such as `PENDING` or `TIMEOUT`. */
  readonly state: string;
  /** Why a pending task waits, such as `Priority`. */
  readonly reason: string;
  /** The node's name; empty before the task starts. */
  readonly node: string;
}

/** A job array to submit. */
interface ArraySubmission {
  readonly name: string;
  /** Number of tasks, whose indexes begin at 0. */
  readonly count: number;
  /** Maximum number of tasks that run at a time. */
  readonly parallel: number;
  /** Job IDs of arrays whose tasks must all have ended before. */
  readonly after?: readonly string[];
  /** Further options of `sbatch`, which can't replace those of the array. */
  readonly options: readonly string[];
  /** The working folder, which receives each task's output as `output.N.txt`. */
  readonly folder: string;
  /** The script to run, and its arguments. */
  readonly command: readonly string[];
}

const endedStates: ReadonlySet<string> = new Set([
  ...['BOOT_FAIL', 'CANCELLED', 'COMPLETED', 'DEADLINE', 'FAILED', 'LAUNCH_FAILED', 'NODE_FAIL', 'OUT_OF_MEMORY'],
  ...['PREEMPTED', 'RECONFIG_FAIL', 'REVOKED', 'TIMEOUT'],
]);

/** Returns true if a task waits, runs, or has ended only a moment ago. */
export function isAlive({ state }: SlurmTask): boolean {
  return !endedStates.has(state);
}

const waitingStates: ReadonlySet<string> = new Set([
  ...['PENDING', 'REQUEUED', 'REQUEUE_FED', 'REQUEUE_HOLD', 'RESV_DEL_HOLD', 'SPECIAL_EXIT'],
]);

/** Returns true if a task waits, for the first time or again. */
export function isWaiting({ state }: SlurmTask): boolean {
  return waitingStates.has(state);
}

/**
 * Variables that the commands see, and the tasks with them: no secrets of the service, and nothing of a job in which
 * the service itself may run.
 */
const keptVariables = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'SLURM_CONF', 'ELECTRON_RUN_AS_NODE'] as const;
const commandLimitMs = 30_000;
const maxOutputBytes = 64 * 1024 * 1024;
/** Minimum time between two queries of the queue, which all transfers share. */
const queryEveryMs = 2_000;
/** Time after which a command that hasn't returned shows that Slurm doesn't respond. */
const patienceMs = 3_000;
/** A job name that no job has. */
const noName = 'tasks-none';
const maxLineLength = 200;
const maxReasonLength = 300;
const maxReasonLines = 4;
const taskFormat = '%F|%K|%j|%T|%r|%N';
const taskPattern = /^(\d+)\|(\d+)\|([^|]*)\|([A-Z_]+)\|([^|]*)\|([^|]*)$/;

/** Runs the commands of Slurm (22.05 or later). Every method throws {@link SlurmError} if Slurm doesn't do it. */
export class Slurm {
  private readonly clock: Clock;
  private lastQueryMs = -Infinity;
  /** Job names of the next query. */
  private readonly names = new Set<string>();
  private nextQuery: Promise<readonly SlurmTask[]> | undefined;
  private maxTasks: number | undefined;
  /** The commands that run, and when they have started. */
  private readonly commands = new Map<ChildProcess, number>();
  private hasFailed = false;
  private readonly closing = new AbortController();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** False if the last command failed, or if one hasn't returned for seconds. */
  get isResponding(): boolean {
    const patientSinceMs = this.clock.now() - patienceMs;
    return !this.hasFailed && ![...this.commands.values()].some((startedMs) => startedMs < patientSinceMs);
  }

  /** Asks for the queue, and resolves to true if Slurm answers. Never rejects. */
  async responds(): Promise<boolean> {
    return await this.findTasks([noName]).then(
      () => true,
      () => false,
    );
  }

  /** Ends the commands that run. Those of later calls fail. */
  close(): void {
    this.closing.abort();
    for (const command of this.commands.keys()) {
      command.kill('SIGKILL');
      // A command that is a script leaves its own child, which keeps the output open.
      command.stdout?.destroy();
      command.stderr?.destroy();
    }
  }

  /** Submits an array and returns its job ID. After an error, Slurm may have accepted it all the same. */
  async submit(submission: ArraySubmission): Promise<string> {
    const { name, count, parallel, after = [], options, folder, command } = submission;
    const own = [`--job-name=${name}`, `--array=0-${count - 1}%${parallel}`, '--requeue', `--chdir=${folder}`];
    if (after.length > 0) own.push(`--dependency=afterany:${after.join(':')}`);
    // The working folder may contain `%`, which means something in the name of the output.
    const output = await this.run('sbatch', [
      '--nodes=1',
      '--ntasks=1',
      ...options,
      '--parsable',
      ...own,
      outputOption,
      ...command,
    ]);
    const id = /^(\d+)(?:;\S*)?$/.exec(output.trim())?.[1];
    if (id === undefined) throw createOutputError('sbatch');
    return id;
  }

  /** Returns the tasks of the arrays with these job names, as far as Slurm remembers them after their end. */
  async findTasks(names: readonly string[]): Promise<readonly SlurmTask[]> {
    for (const name of names) this.names.add(name);
    this.nextQuery ??= this.query();
    const tasks = await this.nextQuery;
    return tasks.filter(({ name }) => names.includes(name));
  }

  /** Ends the tasks of arrays. Doesn't wait until they have ended. */
  async cancel(arrayIds: readonly string[]): Promise<void> {
    if (arrayIds.length > 0) await this.run('scancel', ['--quiet', ...arrayIds]);
  }

  /** Returns the maximum number of tasks in an array. */
  async getMaxTasks(): Promise<number> {
    this.maxTasks ??= parseMaxTasks(await this.run('scontrol', ['show', 'config']));
    return this.maxTasks;
  }

  private async query(): Promise<readonly SlurmTask[]> {
    const dueMs = this.lastQueryMs + queryEveryMs - this.clock.now();
    await wait(this.clock, Math.min(queryEveryMs, Math.max(0, dueMs)), this.closing.signal);
    const names = [...this.names].join(',');
    this.names.clear();
    this.nextQuery = undefined;
    this.lastQueryMs = this.clock.now();
    const filter = [`--user=${userInfo().uid}`, `--name=${names}`, '--states=all'];
    const output = await this.run('squeue', ['--noheader', '--array', ...filter, `--format=${taskFormat}`]);
    return output.split('\n').filter(Boolean).map(parseTask);
  }

  private async run(command: string, args: readonly string[]): Promise<string> {
    if (this.closing.signal.aborted) throw new SlurmError('the service stops');
    const limits = { timeout: commandLimitMs, killSignal: 'SIGKILL', maxBuffer: maxOutputBytes } as const;
    return await new Promise((resolve, reject) => {
      const child = execFile(command, args, { env: getKeptEnvironment(), ...limits }, (error, stdout, stderr) => {
        this.commands.delete(child);
        // `sbatch` also fails because of its options.
        if (error === null || command !== 'sbatch') this.hasFailed = error !== null;
        if (error === null) resolve(stdout);
        else reject(new SlurmError(describeFailure(command, error, stderr), { cause: error }));
      });
      this.commands.set(child, this.clock.now());
      child.stdin?.end();
    });
  }
}

const outputOption = '--output=output.%a.txt';

function parseTask(line: string): SlurmTask {
  const [, arrayId, index, name, state, reason, node] = taskPattern.exec(line.trim()) ?? [];
  if (arrayId === undefined || name === undefined || state === undefined) throw createOutputError('squeue');
  return { arrayId, index: Number(index), name, state, reason: reason ?? '', node: node ?? '' };
}

function parseMaxTasks(config: string): number {
  const size = /^MaxArraySize\s*=\s*(\d+)\s*$/m.exec(config)?.[1];
  if (size === undefined) throw createOutputError('scontrol');
  return Number(size);
}

function createOutputError(command: string): SlurmError {
  return new SlurmError(`${command} printed something unexpected`);
}

/** Returns the variables that commands of Slurm, tasks and follow-ups see. */
export function getKeptEnvironment(): NodeJS.ProcessEnv {
  const kept = keptVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return Object.fromEntries(kept) as NodeJS.ProcessEnv;
}

/** Returns why a command failed, as a clause that also names the setting that may help, unless there is none. */
export function describeFailure(command: string, error: Error, stderr: string, hasSetting = true): string {
  if (getErrorCode(error) === 'ENOENT') return `its command ${command} isn't on the PATH of the service`;
  const lines = listReasons(command, stderr);
  const last = lines.at(-1);
  if (last === undefined) return `${command} did not respond`;
  const reason = joinLines(lines);
  return command === 'sbatch' && hasSetting ? `${reason} (see ${findSetting(last)} in the configuration)` : reason;
}

/**
 * Returns the last different lines that a command of Slurm printed about its failure, without its name and control
 * characters.
 */
export function listReasons(command: string, stderr: string): readonly string[] {
  // A hint follows the reason why an option is refused.
  const text = stderr.replace(/^Try ".*" for more information$/m, '');
  const prefix = new RegExp(`^(?:\\S*/)?${command}: (?:(?:fatal|error): )?`);
  const lines = toPlainLines(text).map((line) => line.replace(prefix, '').replace(/\s+/g, ' '));
  return [...new Set(lines.reverse())].slice(0, maxReasonLines).reverse();
}

function joinLines(lines: readonly string[]): string {
  // Slurm breaks the sentence about a script without an interpreter.
  const text = lines.join('\n').replace(/\.\n|\n(?=(?:line must|the path)\b)/g, (end) => end.replace('\n', ' '));
  const line = text.replaceAll('\n', '; ');
  return line.length > maxReasonLength ? `…${line.slice(1 - maxReasonLength)}` : line;
}

function toPlainLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/\p{Cc}/gu, ' ').trim())
    .filter((line) => line !== '');
}

/** Returns the last line of a program's output that isn't empty, without control characters; empty if there is none. */
export function findLastLine(text: string): string {
  return (toPlainLines(text).at(-1) ?? '').slice(0, maxLineLength);
}

function findSetting(reason: string): string {
  return `cluster.slurm.${/partition/i.test(reason) && !/account/i.test(reason) ? 'partition' : 'options'}`;
}
