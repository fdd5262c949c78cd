import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/**
 * Opens a file that other programs may have replaced with a folder, a device or a pipe. Rejects with the system's
 * error, or with an error whose code is `EISDIR` (a folder), `EINVAL` (a device or a pipe) or `EFBIG` (larger than
 * `maxBytes`). Doesn't block if a pipe has no writer.
 */
export async function openRegularFile(path: string, maxBytes: number): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw createError(stats.isDirectory() ? 'EISDIR' : 'EINVAL');
    if (stats.size > maxBytes) throw createError('EFBIG');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a regular text file of at most `maxBytes` bytes. Rejects with the same errors as {@link openRegularFile}. */
export async function readRegularFile(path: string, maxBytes: number): Promise<string> {
  return (await readRegularBytes(path, maxBytes)).toString('utf8');
}

/** Reads a regular file of at most `maxBytes` bytes. Rejects with the same errors as {@link openRegularFile}. */
export async function readRegularBytes(path: string, maxBytes: number): Promise<Buffer> {
  const handle = await openRegularFile(path, maxBytes);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function createError(code: string): Error {
  return Object.assign(new Error(`The file can't be read (${code})`), { code });
}
