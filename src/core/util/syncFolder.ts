import { open } from 'node:fs/promises';
import { getErrorCode } from './errorCode.ts';

/** Error codes that indicate that written data may be lost. */
const lossCodes: ReadonlySet<string> = new Set(['EDQUOT', 'EIO', 'ENOSPC']);

/**
 * Flushes a folder, so that the name of a file that was created or renamed survives a system crash. Does nothing on
 * Windows and on file systems that can't flush folders. Rejects only if the disk fails or is full.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    await using opened = await open(folder);
    await opened.sync();
  } catch (error) {
    if (lossCodes.has(getErrorCode(error))) throw error;
  }
}
