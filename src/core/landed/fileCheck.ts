import { createHash, type Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { codeOf, isNotThere } from './fileErrors.ts';
import type { LandedFile } from './landedManifest.ts';

/**
 * How a file is, against what the manifest says of it. `changing`: it was written, replaced or removed while it was being
 * read; `leadsOut`: a link on the way leads out of the folder, and nothing there was opened; `notCompared`: it is there,
 * with the size that is stated if one is, but the manifest has no hash that can be checked.
 */
export type FileOutcome =
  | { readonly kind: 'asSent' | 'missing' | 'changing' | 'leadsOut' | 'notCompared' }
  | { readonly kind: 'size'; readonly stated: number; readonly found: number }
  | { readonly kind: 'hash'; readonly algorithm: string; readonly stated: string; readonly found: string }
  | { readonly kind: 'unreadable'; readonly code: string };

/** What a {@link checkFile} is told besides the file. */
interface CheckOptions {
  /** The landed folder, links resolved. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Told of every piece that was read, in bytes. */
  onRead(bytes: number): void;
}

/**
 * Checks one file: is it there, of the size and with the hash stated? It is read in pieces, and never where a link leads
 * out of the folder. Rejects only with the signal's reason.
 */
export async function checkFile(file: LandedFile, options: CheckOptions): Promise<FileOutcome> {
  try {
    const path = await pathOf(file, options.folder);
    if (path === undefined) return { kind: 'missing' };
    if (!isWithin(options.folder, path)) return { kind: 'leadsOut' };
    return await compare(path, file, options);
  } catch (error) {
    options.signal.throwIfAborted();
    return isNotThere(error) ? { kind: 'missing' } : { kind: 'unreadable', code: codeOf(error) };
  }
}

/** Where a file really lies; undefined where it does not. */
async function pathOf({ places }: LandedFile, folder: string): Promise<string | undefined> {
  for (const place of places) {
    try {
      return await realpath(join(folder, place));
    } catch (error) {
      if (!isNotThere(error)) throw error;
    }
  }
  return undefined;
}

/** Whether a path lies in a folder; both without links. */
function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function compare(path: string, file: LandedFile, options: CheckOptions): Promise<FileOutcome> {
  // Not blocking, because what was a file may be a pipe by now, and nobody may ever write to that.
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
    return found === hex ? { kind: 'asSent' } : { kind: 'hash', algorithm, stated: hex, found };
  } finally {
    await handle.close();
  }
}

const pieceBytes = 256 * 1024;

async function digest(handle: FileHandle, size: number, hash: Hash, options: CheckOptions): Promise<string> {
  const piece = Buffer.allocUnsafe(Math.min(size + 1, pieceBytes));
  for (;;) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(piece, 0, piece.length, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
    options.onRead(bytesRead);
  }
}

/** A file that was replaced or removed while it was open has no name left. */
function hasChanged(before: Stats, after: Stats): boolean {
  return before.size !== after.size || before.mtimeMs !== after.mtimeMs || after.nlink === 0;
}
