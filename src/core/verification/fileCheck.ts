import { createHash, type Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import type { ManifestFile } from './transferManifest.ts';

/**
 * The result of checking a file against the manifest. `changing`: the file was written, replaced or removed while it
 * was being read. `outsideFolder`: a link points outside the folder and was not opened. `notCompared`: the file exists
 * and has the declared size, if there is one, but the manifest has no usable hash.
 */
export type FileOutcome =
  | { readonly kind: 'intact' | 'missing' | 'changing' | 'outsideFolder' | 'notCompared' }
  | { readonly kind: 'size'; readonly stated: number; readonly found: number }
  | { readonly kind: 'hash'; readonly algorithm: string; readonly stated: string; readonly found: string }
  | { readonly kind: 'unreadable'; readonly code: string };

interface FileCheckOptions {
  /** The transferred folder, with symbolic links resolved. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called for each chunk that was read, with its size in bytes. */
  onRead(bytes: number): void;
}

/**
 * Checks a file's size and hash. Does not open a file outside the folder, even if a link points to it. Rejects only
 * with the signal's reason.
 */
export async function checkFile(file: ManifestFile, options: FileCheckOptions): Promise<FileOutcome> {
  try {
    const path = await resolvePath(file, options.folder);
    if (path === undefined) return { kind: 'missing' };
    if (!isWithin(options.folder, path)) return { kind: 'outsideFolder' };
    return await compare(path, file, options);
  } catch (error) {
    options.signal.throwIfAborted();
    return isMissing(error) ? { kind: 'missing' } : { kind: 'unreadable', code: getErrorCode(error) };
  }
}

/** Returns the real path of a file; undefined if it is missing, or if a link points outside the folder. */
export async function findFile(file: Pick<ManifestFile, 'places'>, folder: string): Promise<string | undefined> {
  const path = await resolvePath(file, folder);
  return path !== undefined && isWithin(folder, path) ? path : undefined;
}

async function resolvePath({ places }: Pick<ManifestFile, 'places'>, folder: string): Promise<string | undefined> {
  for (const place of places) {
    try {
      return await realpath(join(folder, place));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

async function compare(path: string, file: ManifestFile, options: FileCheckOptions): Promise<FileOutcome> {
  // Nonblocking, because the path may have become a pipe without a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const before = await handle.stat();
    if (!before.isFile()) return { kind: 'unreadable', code: before.isDirectory() ? 'EISDIR' : 'EINVAL' };
    if (file.sizeBytes !== undefined && file.sizeBytes !== before.size) {
      return { kind: 'size', stated: file.sizeBytes, found: before.size };
    }
    if (!file.hash) return { kind: 'notCompared' };
    const { algorithm, hex } = file.hash;
    const found = await digest(handle, before.size, createHash(algorithm), options);
    if (hasChanged(before, await handle.stat())) return { kind: 'changing' };
    return found === hex ? { kind: 'intact' } : { kind: 'hash', algorithm, stated: hex, found };
  } finally {
    await handle.close();
  }
}

const chunkBytes = 256 * 1024;

async function digest(handle: FileHandle, size: number, hash: Hash, options: FileCheckOptions): Promise<string> {
  const piece = Buffer.allocUnsafe(Math.min(size + 1, chunkBytes));
  for (;;) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(piece, 0, piece.length, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
    options.onRead(bytesRead);
  }
}

/** Returns true if a file was written, replaced or removed (its link count is 0) while it was open. */
function hasChanged(before: Stats, after: Stats): boolean {
  return before.size !== after.size || before.mtimeMs !== after.mtimeMs || after.nlink === 0;
}
