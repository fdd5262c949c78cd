import type { Clock } from '../core/util/clock.ts';
import type { GlobalOptions } from './globalOptions.ts';
import type { Output } from './output.ts';

/** A command's options, output, environment, clock and interruption signal. */
export interface CommandContext {
  readonly options: GlobalOptions;
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Aborted when SIGINT or SIGTERM interrupts the command. */
  readonly signal: AbortSignal;
}
