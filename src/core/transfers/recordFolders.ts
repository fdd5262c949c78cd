import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Clock } from '../util/clock.ts';

/**
 * The folders in the ledger that contain records. `removed` contains the records of removed transfers while they can be
 * restored.
 */
export const recordFolders = ['running', 'ended', 'removed'] as const;

/** One of {@link recordFolders}. */
export type RecordFolder = (typeof recordFolders)[number];

const suffix = '.json';

/** Returns the file name of a transfer's record. */
export function toRecordName(key: string): string {
  return `${key}${suffix}`;
}

/** Returns the transfer key in a record's file name; undefined for any other file name. */
export function parseRecordKey(name: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

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

/** The precision of modification times on the least precise file system, FAT. */
const precisionMs = 2_000;

/** Returns the time at which a folder was last modified, in milliseconds since 1970; undefined if it can't be read. */
export async function readModificationTime(folder: string): Promise<number | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  return stats?.mtimeMs;
}

/**
 * Returns true if any later change will give the folder a different modification time; false if the time is unknown.
 */
export function isDistinctTime(modifiedAt: number | undefined, clock: Clock): modifiedAt is number {
  return modifiedAt !== undefined && modifiedAt < clock.now() - precisionMs;
}
