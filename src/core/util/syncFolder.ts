import { open } from 'node:fs/promises';
import { getErrorCode } from './errorCode.ts';

/** Codes of errors which mean that a file system can't flush folders, or that the folder can't be read. */
const unsupportedCodes: ReadonlySet<string> = new Set([
  'EACCES',
  'EBADF',
  'EINVAL',
  'EISDIR',
  'ENOSYS',
  'ENOTSUP',
  'EPERM',
]);

/**
 * Flushes a folder, so that the name of a file that was created or renamed survives a system crash. Does nothing on
 * Windows and on file systems that can't flush folders.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    await using opened = await open(folder);
    await opened.sync();
  } catch (error) {
    if (!unsupportedCodes.has(getErrorCode(error))) throw error;
  }
}
