import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrorCode } from './errorFacts.ts';

/**
 * Creates a folder and its missing parents. Does nothing if the folder exists. `mode` applies to all created folders.
 * Rejects with the system's error. Doesn't use the `recursive` option of Node.js, with which the call never ends if an
 * existing parent can't contain new folders, as in `/proc`.
 */
export async function createFolder(folder: string, mode?: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await mkdir(folder, mode);
      return;
    } catch (error) {
      const found = await stat(folder).catch(() => undefined);
      if (found?.isDirectory()) return;
      if (tries > 1 || !isWithoutParent(folder, error)) throw error;
      await createFolder(dirname(folder), mode);
    }
  }
}

/**
 * Creates a folder and its missing parents synchronously. Does nothing if the folder exists. Throws the file
 * system's error if the folder can't be created.
 */
export function createFolderSync(folder: string, mode?: number): void {
  for (let tries = 1; ; tries++) {
    try {
      mkdirSync(folder, mode);
      return;
    } catch (error) {
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
      if (tries > 1 || !isWithoutParent(folder, error)) throw error;
      createFolderSync(dirname(folder), mode);
    }
  }
}

function isWithoutParent(folder: string, error: unknown): boolean {
  return getErrorCode(error) === 'ENOENT' && dirname(folder) !== folder;
}
