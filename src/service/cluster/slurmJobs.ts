import { execFile } from 'node:child_process';
import * as nodePath from 'node:path';
import { userInfo } from 'node:os';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { describeFailure, getKeptEnvironment } from './slurm.ts';

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

const commandLimitMs = 30_000;

/**
 * Submits a job script in its own folder, with the options that it contains, and returns the job ID. Throws
 * {@link SlurmJobError}.
 */
export async function submitJob({ name, script, variables }: JobSubmission): Promise<string> {
  const cwd = nodePath.dirname(script);
  const output = await runCommand('sbatch', ['--parsable', `--job-name=${name}`, script], variables, cwd);
  const id = /^(\d+)(?:;\S*)?$/m.exec(output.trim())?.[1];
  if (id === undefined) throw new SlurmJobError('unclear', 'sbatch printed something unexpected');
  return id;
}

/**
 * Returns the ID of this user's job with a name, as far as Slurm remembers it after its end; undefined if there is none.
 * Throws {@link SlurmJobError} if Slurm can't be asked.
 */
export async function findJob(name: string): Promise<string | undefined> {
  const filter = [`--user=${userInfo().uid}`, `--name=${name}`, '--states=all'];
  const output = await runCommand('squeue', ['--noheader', ...filter, '--format=%F']);
  return /^\d+$/m.exec(output)?.[0];
}

async function runCommand(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<string> {
  const env = Object.assign(getKeptEnvironment(), variables);
  return await new Promise((resolve, reject) => {
    const options = { env, cwd, timeout: commandLimitMs, killSignal: 'SIGKILL' } as const;
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(toJobError(command, error, stderr));
    });
    child.stdin?.end();
  });
}

const unreachable = /unable to contact|connect failure|connection refused/i;
const unclear = /timed? ?out|respon|communicat|connect/i;

function toJobError(command: string, cause: Error, stderr: string): SlurmJobError {
  const reason = describeFailure(command, cause, stderr, false);
  if (getErrorCode(cause) === 'ENOENT') return new SlurmJobError('refused', reason, { cause });
  const wasKilled = 'killed' in cause && cause.killed === true;
  const isUnsent = command === 'squeue' || (!wasKilled && unreachable.test(reason));
  if (isUnsent) return new SlurmJobError('unreachable', reason, { cause });
  return new SlurmJobError(wasKilled || unclear.test(reason) ? 'unclear' : 'refused', reason, { cause });
}
