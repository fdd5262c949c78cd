import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CommandContext } from './commandContext.ts';

const folderNames = ['data-transfer-explorer', 'transfers'];

/** Returns the folder with the transfer records: the option, the variable, or a folder of the user's data directory. */
export function getLedgerFolder({ options, environment }: Pick<CommandContext, 'options' | 'environment'>): string {
  const chosen = options.ledger ?? environment['DATA_TRANSFER_LEDGER'];
  return chosen ? resolve(chosen) : join(getDataFolder(environment, process.platform), ...folderNames);
}

function getDataFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  if (platform === 'win32') return environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  return environment['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
}
