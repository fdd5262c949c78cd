import type { Clock } from '../core/util/clock.ts';
import type { GlobalOptions } from './globalOptions.ts';
import type { Output } from './output.ts';

/** The options, output, environment and clock that a command uses. */
export interface CommandContext {
  readonly options: GlobalOptions;
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}
