import { execFile, type ExecFileOptions } from 'node:child_process';
import * as nodePath from 'node:path';
import { userInfo } from 'node:os';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { describeFailure, getKeptEnvironment, listReasons } from './slurm.ts';

/**
 * The kinds of failures of a command of Slurm. `unreachable`: Slurm didn't receive it. `refused`: Slurm won't do it. `unclear`: Slurm
 * may have done it.
 */
type JobErrorKind = 'unreachable' | 'refused' | 'unclear';

/** Thrown if a command of Slurm fails. The message is a clause that gives the reason. */
export class SlurmJobError extends Error {
  override readonly name = 'SlurmJobError';
  readonly kind: JobErrorKind;

  constructor(kind: JobErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A job script to submit. */
interface JobSubmission {
  readonly name: string;
  readonly script: string;
  /** Variables that the job sees besides those that every job sees. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Limits in milliseconds. `sbatch` retries for two minutes by itself while Slurm has too many jobs. */
const limitMs = { squeue: 30_000, sbatch: 150_000 } as const;

/**
 * Submits a job script in its own folder, with the options that it contains, and returns the job ID. Throws
 * {@link SlurmJobError}, of the kind `unclear` if the signal is aborted.
 */
export async function submitJob({ name, script, variables }: JobSubmission, signal?: AbortSignal): Promise<string> {
  const cwd = nodePath.dirname(script);
  const args = ['--parsable', `--job-name=${name}`, script];
  const env = Object.assign(getKeptEnvironment(), variables);
  const output = await runCommand('sbatch', args, { env, cwd, signal });
  const id = /^(\d+)(?:;\S*)?$/m.exec(output.trim())?.[1];
  if (id === undefined) throw new SlurmJobError('unclear', 'sbatch printed something unexpected');
  return id;
}

/**
 * Returns the ID of this user's job with a name, as far as Slurm remembers it after its end; undefined if there is none.
 * Throws {@link SlurmJobError} if Slurm can't be asked, or if the signal is aborted.
 */
export async function findJob(name: string, signal?: AbortSignal): Promise<string | undefined> {
  const filter = [`--user=${userInfo().uid}`, `--name=${name}`, '--states=all'];
  const output = await runCommand('squeue', ['--noheader', ...filter, '--format=%F'], {
    env: getKeptEnvironment(),
    signal,
  });
  return /^\d+$/m.exec(output)?.[0];
}

async function runCommand(
  command: keyof typeof limitMs,
  args: readonly string[],
  context: ExecFileOptions,
): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { ...context, encoding: 'utf8', timeout: limitMs[command], killSignal: 'SIGKILL' } as const;
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(toJobError(command, error, stderr));
    });
    child.stdin?.end();
  });
}

/** Slurm has no process that could have read the request. */
const unreachable = /\(connect failure\)|connection refused/i;
/** Slurm, or `sbatch` itself, has read the request and says no. Whatever else it says, the job may exist. */
const refused =
  /invalid|denied|not (?:permitted|allowed|available|specified|supported)|violates|exceeds|too (?:long|large|many)|more processors|unrecognized|ambiguous|no partition|unable to open|batch script|for instance: #!|dependency problem/i;
const unclear = /timed? ?out|respon|communicat|connect|contact|zero bytes|broken pipe|receive|send|message/i;

function toJobError(command: string, cause: Error, stderr: string): SlurmJobError {
  const reason = describeFailure(command, cause, stderr, false);
  if (getErrorCode(cause) === 'ENOENT') return new SlurmJobError('refused', reason, { cause });
  // What came before, such as a warning, doesn't say whether the job exists.
  const last = listReasons(command, stderr).at(-1) ?? '';
  const wasKilled = cause.name === 'AbortError' || ('killed' in cause && cause.killed === true);
  const isUnsent = command === 'squeue' || (!wasKilled && unreachable.test(last));
  if (isUnsent) return new SlurmJobError('unreachable', reason, { cause });
  const isRefused = !wasKilled && refused.test(last) && !unclear.test(last);
  return new SlurmJobError(isRefused ? 'refused' : 'unclear', reason, { cause });
}
