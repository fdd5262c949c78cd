import { resolve } from 'node:path';
import { getUserLedgerFolder } from '../core/ledger/recordFolders.ts';
import type { CommandContext } from './commandContext.ts';

/**
 * Returns the folder with the transfer records. Uses `--ledger`, otherwise `DATA_TRANSFER_LEDGER`, otherwise the
 * default folder in the user's data directory.
 */
export function getLedgerFolder({ options, environment }: Pick<CommandContext, 'options' | 'environment'>): string {
  const chosen = options.ledger ?? environment['DATA_TRANSFER_LEDGER'];
  return chosen ? resolve(chosen) : getUserLedgerFolder(environment, process.platform);
}
