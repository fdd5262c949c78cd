import { join } from 'node:path';
import { getUserLedgerFolder } from '../../src/core/transfers/recordFolders.ts';

/** Returns the environment variables that make a program use a folder as the data directory of its user. */
export function dataHomeVariables(folder: string): Readonly<Record<string, string>> {
  return { XDG_DATA_HOME: folder, LOCALAPPDATA: folder };
}

/** Returns the folder of transfer records in a user's data directory. */
export function getLedgerIn(folder: string): string {
  return getUserLedgerFolder(dataHomeVariables(folder), process.platform);
}

/** Returns the data directory that an editor under test uses, given its data folder. */
export function getEditorDataHome(dataFolder: string): string {
  return join(dataFolder, 'data-home');
}
