import { isJsonObject } from './json.ts';

/** The field of a submission's instructions with what to start after the transfer (D72: follow-ups). */
export const thenField = 'then';

/** Names, among the `features` of a root document, that the service knows {@link thenField}. */
export const thenFeature = 'instructions.then';

/** The kinds of follow-ups: a script that is submitted to Slurm, and a program that is started without arguments. */
const followUpKinds = ['sbatch', 'program'] as const;

/** A script or program that the local service starts once after a transfer has succeeded (D72: follow-ups). */
export interface FollowUp {
  readonly kind: (typeof followUpKinds)[number];
  /** The path of the script or program: absolute, except in a recipe. */
  readonly path: string;
}

/** Completes a sentence about a value of {@link thenField} that {@link readFollowUp} can't read. */
export const followUpRule = 'must be { "sbatch": path of a job script } or { "program": path of a program }';

/** Reads a value of {@link thenField}. Returns undefined if it is anything else than one kind with a path. */
export function readFollowUp(value: unknown): FollowUp | undefined {
  if (!isJsonObject(value)) return undefined;
  const [[kind, path] = ['', ''], ...others] = Object.entries(value);
  const known = followUpKinds.find((one) => one === kind);
  const isPath = typeof path === 'string' && path !== '' && !path.includes('\0');
  return known && isPath && others.length === 0 ? { kind: known, path } : undefined;
}

/** Returns the follow-up in a submission's instructions; undefined if they have none. */
export function findFollowUp(instructions: Readonly<Record<string, unknown>> | undefined): FollowUp | undefined {
  return readFollowUp(instructions?.[thenField]);
}

/** Returns a follow-up as a value of {@link thenField}. */
export function toThenValue({ kind, path }: FollowUp): Readonly<Record<string, string>> {
  return { [kind]: path };
}

/** The names of job scripts; any other file is a program. */
const scriptName = /\.(?:sbatch|slurm)$/i;

/** Returns a follow-up by its path: a job script if the name ends in `.sbatch` or `.slurm`, otherwise a program. */
export function toFollowUp(path: string): FollowUp {
  return { kind: scriptName.test(path) ? 'sbatch' : 'program', path };
}

/**
 * The states of a follow-up. `waiting`: for the end of the transfer, or for Slurm. `started`: it is a program, whose
 * end the service may not learn. `notStarted`: because of a problem. `unclear`: it may have been started before the
 * service was interrupted, and is not started again (D12: never resubmit).
 */
export const followUpStates = ['waiting', 'submitted', 'started', 'ended', 'notStarted', 'unclear'] as const;

/** A follow-up of a transfer, and what became of it. */
export interface FollowUpStatus extends FollowUp {
  readonly state: (typeof followUpStates)[number];
  /** The ID of the job. */
  readonly job?: string | undefined;
  /** The exit code of a program that has ended; absent if a signal ended it. */
  readonly exitCode?: number | undefined;
  /** The file with the output of a program. */
  readonly output?: string | undefined;
  /**
   * Why it waits for Slurm, wasn't started, or why the end of a started program isn't known, or how a signal ended it,
   * as a clause.
   */
  readonly problem?: string | undefined;
}
