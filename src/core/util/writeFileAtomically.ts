import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './syncFolder.ts';

/**
 * Creates or replaces a file atomically and makes it readable only by its owner. With `isDurable`, flushes the content
 * first and the folder afterwards, so that the file survives a system crash.
 */
export async function writeFileAtomically(file: string, text: string, isDurable = false): Promise<void> {
  const temporaryFile = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(temporaryFile, text, { flag: 'wx', mode: 0o600, flush: isDurable });
    await rename(temporaryFile, file);
    if (isDurable) await syncFolder(dirname(file));
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  }
}
