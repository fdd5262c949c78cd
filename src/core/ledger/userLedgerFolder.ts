import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const folderNames = ['data-transfer-explorer', 'transfers'];

/** Returns the folder of transfer records that all windows and commands of a user share (D63: shared ledger folder). */
export function getUserLedgerFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  return join(getDataFolder(environment, platform), ...folderNames);
}

function getDataFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return environment['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local');
  const chosen = environment['XDG_DATA_HOME'];
  // The specification of the variable says that a relative path is to be ignored.
  if (chosen !== undefined && isAbsolute(chosen)) return chosen;
  return platform === 'darwin' ? join(homedir(), 'Library', 'Application Support') : join(homedir(), '.local', 'share');
}
