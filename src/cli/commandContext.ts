import { resolve } from 'node:path';
import { getUserLedgerFolder } from '../core/transfers/recordFolders.ts';
import type { Clock } from '../core/util/clock.ts';
import type { GlobalOptions } from './options.ts';
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

/**
 * Returns the folder with the transfer records. Uses `--ledger`, otherwise `DATA_TRANSFER_LEDGER`, otherwise the
 * default folder in the user's data directory.
 */
export function getLedgerFolder({ options, environment }: Pick<CommandContext, 'options' | 'environment'>): string {
  const chosen = options.ledger ?? environment['DATA_TRANSFER_LEDGER'];
  return chosen ? resolve(chosen) : getUserLedgerFolder(environment, process.platform);
}
