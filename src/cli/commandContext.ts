import { resolve } from 'node:path';
import type { Command } from 'commander';
import { getUserLedgerFolder } from '../core/transfers/recordFolders.ts';
import { systemClock, type Clock } from '../core/util/clock.ts';
import { formatErrorStack } from '../core/util/errorFacts.ts';
import { redact } from '../core/util/redact.ts';
import { CliError, exitCode, type ExitCode } from './cliError.ts';
import type { GlobalOptions } from './options.ts';
import { Output } from './output.ts';

/** A command's options, output, environment, clock and interruption signal. */
export interface CommandContext {
  readonly options: GlobalOptions;
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Aborted when SIGINT or SIGTERM interrupts the command. */
  readonly signal: AbortSignal;
}

/**
 * Returns the folder with the transfer records. Uses `--ledger`, otherwise `DATA_TRANSFER_LEDGER`, otherwise the
 * default folder in the user's data directory.
 */
export function getLedgerFolder({ options, environment }: Pick<CommandContext, 'options' | 'environment'>): string {
  const chosen = options.ledger ?? environment['DATA_TRANSFER_LEDGER'];
  return chosen ? resolve(chosen) : getUserLedgerFolder(environment, process.platform);
}

/** A function that carries out a command. Resolves to the process's exit code. */
type CommandAction = (context: CommandContext) => Promise<ExitCode>;

/**
 * Runs a command and sets the process's exit code. Prints the message of an expected failure, and the stack trace of an
 * unexpected one unless the command was interrupted.
 */
export async function runAction(command: Command, action: CommandAction): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const output = new Output({ stdout: process.stdout, stderr: process.stderr }, options.json === true);
  const interruption = watchInterruption();
  const context = { options, output, environment: process.env, clock: systemClock, signal: interruption.signal };
  try {
    process.exitCode = await action(context);
  } catch (error) {
    process.exitCode = reportError(output, error, interruption.signal);
  } finally {
    interruption.dispose();
  }
}

function reportError(output: Output, error: unknown, signal: AbortSignal): ExitCode {
  if (error instanceof CliError) {
    output.note(error.message);
    return error.code;
  }
  if (signal.aborted) return exitCode.interrupted;
  output.note(redact(formatErrorStack(error)));
  return exitCode.failed;
}

/** Returns a signal that is aborted on the first SIGINT or SIGTERM. A second signal exits the process immediately. */
function watchInterruption(): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(exitCode.interrupted);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, interrupt);
  const dispose = (): void => signals.forEach((name) => process.off(name, interrupt));
  return { signal: controller.signal, dispose };
}
