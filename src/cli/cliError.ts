import type { Reason, ReasonKind } from '../core/model/reason.ts';
import { describeReason } from './text/sentences.ts';

/** The exit codes of the command line (docs/command-line.md). */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  connection: 3,
  notFound: 4,
  differs: 5,
  cancelIgnored: 6,
  interrupted: 130,
} as const;

/** One of the values of {@link exitCode}. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** An expected failure: its message is printed, and the process exits with its code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = exitCode.failed) {
    super(message);
    this.code = code;
  }
}

/** Creates an error with exit code 2, for misuse such as a wrong argument or an invalid recipe. */
export function createUsageError(message: string): CliError {
  return new CliError(message, exitCode.usage);
}

/** Creates the error for a request that failed. `what` begins the message, for example `Couldn't search Alpha`. */
export function createRequestError(what: string, reason: Reason): CliError {
  return new CliError(`${what}: ${describeReason(reason)}.`, getExitCode(reason));
}

/** Failures that concern the connection or the key rather than the request. */
const connectionKinds: ReadonlySet<ReasonKind> = new Set([
  ...(['badAddress', 'insecureAddress', 'notConnected', 'keyMissing', 'keyGone', 'keyElsewhere'] as const),
  ...(['variableEmpty', 'unreachable', 'certificate', 'proxy', 'timeout', 'dropped', 'unauthorized'] as const),
  ...(['redirect', 'noService', 'serviceStopped'] as const),
]);

/** Returns the exit code for a request that failed. */
export function getExitCode({ kind, signIn, cause, isIdAtFault }: Reason): ExitCode {
  if (isIdAtFault) return exitCode.notFound;
  if (kind === 'lookupFailed' && cause) return getExitCode(cause);
  if (kind === 'cancelled') return exitCode.interrupted;
  return connectionKinds.has(kind) || signIn !== undefined ? exitCode.connection : exitCode.failed;
}
