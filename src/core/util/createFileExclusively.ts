import { randomUUID } from 'node:crypto';
import { link, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrorCode } from './errorCode.ts';
import { syncFolder } from './syncFolder.ts';

/**
 * Creates a file with its content, readable only by its owner. Resolves to false if the file exists, and rejects with
 * any other error. Other processes never see the file without its content, except on file systems without hard links.
 * With `isDurable`, flushes the content first and the folder afterwards, so that the file survives a system crash.
 */
export async function createFileExclusively(file: string, text: string, isDurable = false): Promise<boolean> {
  const temporaryFile = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(temporaryFile, text, { flag: 'wx', mode: 0o600, flush: isDurable });
    await link(temporaryFile, file).catch(async (error: unknown) => {
      if (getErrorCode(error) === 'EEXIST') throw error;
      await createDirectly(file, text, isDurable);
    });
    if (isDurable) await syncFolder(dirname(file)).catch((error: unknown) => removeAndThrow(file, error));
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporaryFile, { force: true }).catch(() => undefined);
  }
}

/** Removes a file that this process has created, and throws `error`. */
async function removeAndThrow(file: string, error: unknown): Promise<never> {
  await rm(file, { force: true });
  throw error;
}

/**
 * Creates a file on a file system without hard links. Other processes may see the file while it is still empty. Deletes
 * the file if writing fails, but never deletes a file that another program created.
 */
async function createDirectly(file: string, text: string, isDurable: boolean): Promise<void> {
  await using opened = await open(file, 'wx', 0o600);
  try {
    await opened.writeFile(text);
    if (isDurable) await opened.sync();
  } catch (error) {
    await removeAndThrow(file, error);
  }
}
