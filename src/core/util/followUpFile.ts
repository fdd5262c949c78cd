import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { getErrorCode } from './errorFacts.ts';
import type { FollowUp } from './followUp.ts';

/**
 * Returns why this process couldn't start a follow-up, as a clause: the script can't be read, or the program can't be
 * executed. Returns undefined if it could, as far as the file system says.
 */
export async function findStartProblem({ kind, path }: FollowUp): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return 'it is not a file';
    await access(path, kind === 'program' ? constants.X_OK : constants.R_OK);
    return undefined;
  } catch (error) {
    const isDenied = getErrorCode(error) === 'EACCES' && kind === 'program';
    return isDenied ? 'it is not executable' : `it can't be read (${getErrorCode(error)})`;
  }
}

/** Returns true if this process finds an executable file with this name on its `PATH`. */
export async function isOnPath(command: string): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = folders.map(async (folder) => await access(join(folder, command), constants.X_OK));
  return await Promise.any(found).then(
    () => true,
    () => false,
  );
}
