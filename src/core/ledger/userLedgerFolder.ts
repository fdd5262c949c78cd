import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const folderNames = ['data-transfer-explorer', 'transfers'];

/**
 * Returns the folder for transfer records, shared by all of a user's windows and commands (D63: shared ledger folder).
 */
export function getUserLedgerFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  return join(getDataFolder(environment, platform), ...folderNames);
}

function getDataFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return environment['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local');
  const chosen = getChosenFolder(environment);
  // The XDG specification requires relative paths to be ignored.
  if (chosen !== undefined && isAbsolute(chosen)) return chosen;
  return platform === 'darwin' ? join(homedir(), 'Library', 'Application Support') : join(homedir(), '.local', 'share');
}

/**
 * Returns `XDG_DATA_HOME` as the user set it. If the editor is installed as a snap, the snap sets the variable to a
 * revision-specific folder, which programs outside the snap don't use.
 */
function getChosenFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const { XDG_DATA_HOME: chosen, SNAP_USER_DATA: ofSnap } = environment;
  const isOfSnap = ofSnap !== undefined && chosen !== undefined && `${chosen}/`.startsWith(`${ofSnap}/`);
  return isOfSnap ? environment['XDG_DATA_HOME_VSCODE_SNAP_ORIG'] : chosen;
}
