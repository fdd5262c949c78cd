import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrorCode } from './errorFacts.ts';

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

/** Error codes that indicate that written data may be lost. */
const lossCodes: ReadonlySet<string> = new Set(['EDQUOT', 'EIO', 'ENOSPC']);

/**
 * Flushes a folder, so that the name of a file that was created or renamed survives a system crash. Does nothing on
 * Windows and on file systems that can't flush folders. Rejects only if the disk fails or is full.
 */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    await using opened = await open(folder);
    await opened.sync();
  } catch (error) {
    if (lossCodes.has(getErrorCode(error))) throw error;
  }
}

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
