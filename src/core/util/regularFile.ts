import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/**
 * Opens a file that other programs may have replaced with a folder, a device, a pipe or a link. Rejects with the
 * system's error, or with an error whose code is `EISDIR` (a folder), `EINVAL` (a device, a pipe, or a system file that
 * has content although its size is 0) or `EFBIG` (larger than `maxBytes`). Doesn't block if a pipe has no writer. The
 * file can still grow, so the caller must limit what it reads.
 */
export async function openRegularFile(path: string, maxBytes: number): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw createError(stats.isDirectory() ? 'EISDIR' : 'EINVAL');
    if (stats.size > maxBytes) throw createError('EFBIG');
    if (stats.size === 0 && (await isEndless(handle))) throw createError('EINVAL');
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
    const bytes = await handle.readFile();
    if (bytes.length > maxBytes) throw createError('EFBIG');
    return bytes;
  } finally {
    await handle.close();
  }
}

/** Returns true if a file has content but no size, like those of `/proc`, some of which are endless. */
async function isEndless(handle: FileHandle): Promise<boolean> {
  const { bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, 0);
  return bytesRead > 0 && (await handle.stat()).size === 0;
}

function createError(code: string): Error {
  return Object.assign(new Error(`The file can't be read (${code})`), { code });
}
