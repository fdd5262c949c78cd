import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Creates or replaces a file atomically and makes it readable only by its owner. With `isDurable`, flushes the content
 * first, so that the file isn't damaged by a system crash.
 */
export async function writeFileAtomically(file: string, text: string, isDurable = false): Promise<void> {
  const temporaryFile = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(temporaryFile, text, { flag: 'wx', mode: 0o600, flush: isDurable });
    await rename(temporaryFile, file);
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  }
}
