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
  try {
    await createOne(folder, mode);
  } catch (error) {
    if (!isWithoutParent(folder, error)) throw error;
    await createFolder(dirname(folder), mode);
    await createOne(folder, mode);
  }
}

/**
 * Creates a folder and its missing parents synchronously. Does nothing if the folder exists. Throws the file
 * system's error if the folder can't be created.
 */
export function createFolderSync(folder: string, mode?: number): void {
  try {
    createOneSync(folder, mode);
  } catch (error) {
    if (!isWithoutParent(folder, error)) throw error;
    createFolderSync(dirname(folder), mode);
    createOneSync(folder, mode);
  }
}

async function createOne(folder: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(folder, mode);
  } catch (error) {
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}

function createOneSync(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function isWithoutParent(folder: string, error: unknown): boolean {
  return getErrorCode(error) === 'ENOENT' && dirname(folder) !== folder;
}
