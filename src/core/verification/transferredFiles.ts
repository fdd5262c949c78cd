import { realpath } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { getPastResult, type PastVerification } from './pastVerification.ts';
import { readManifest } from './transferManifest.ts';
import type { TransferredFolder } from './transferredFolder.ts';
import { findExtraFiles, findFile } from './verification.ts';

/** A file in a transfer's folder. */
export interface TransferredFile {
  /** The path as written in the manifest or, without one, as found in the folder. */
  readonly path: string;
  /** The file's possible paths relative to the folder, with `/` and without `..`. */
  readonly places: readonly string[];
  readonly sizeBytes?: number;
}

/**
 * Lists a transfer's files: those in the manifest or, without a readable manifest, those in the folder (at most
 * 10,000). Does not access the files. Rejects only with the signal's reason.
 */
export async function listTransferredFiles(
  { folder, manifest }: TransferredFolder,
  signal: AbortSignal,
): Promise<readonly TransferredFile[]> {
  const listed = manifest === undefined ? undefined : await readManifest(manifest, signal).catch(() => undefined);
  signal.throwIfAborted();
  if (listed) return listed.files;
  const own = manifest === undefined ? undefined : basename(manifest);
  const { paths } = await findExtraFiles(folder, (path) => path === own, signal);
  return paths.map((path) => ({ path, places: [path] }));
}

/** Returns the path of a transferred file; undefined if it is missing, inaccessible or behind a link outside. */
export async function findTransferredFile(
  { folder }: TransferredFolder,
  file: TransferredFile,
): Promise<string | undefined> {
  try {
    return await findFile(file, await realpath(folder));
  } catch {
    return undefined;
  }
}

/** The files of a transfer that exist in its folder and can be opened, up to a limit. */
interface OpenableFiles {
  /** The folder, with symbolic links resolved. */
  readonly folder: string;
  /** Paths relative to the folder, with `/` as the separator. */
  readonly paths: readonly string[];
  /** Number of files beyond the limit, whose existence wasn't checked. */
  readonly omittedCount: number;
}

const maxParallel = 16;

/**
 * Finds a transfer's existing files, except those that the last verification found damaged. Checks only the first
 * `limit` files. Rejects with the signal's reason if the signal is aborted, or with the file system's error if the
 * folder is missing.
 */
export async function findOpenableFiles(
  folder: TransferredFolder,
  past: PastVerification | undefined,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<OpenableFiles> {
  const listed = await listTransferredFiles(folder, signal);
  const usable = past ? listed.filter(({ path }) => getPastResult(past, path) !== 'damaged') : listed;
  const root = await realpath(folder.folder);
  const found = await mapConcurrently(usable.slice(0, limit), maxParallel, async (file) => {
    signal.throwIfAborted();
    return await findTransferredFile(folder, file);
  });
  const paths = found.filter((path) => path !== undefined).map((path) => relative(root, path).split(sep).join('/'));
  return { folder: root, paths, omittedCount: Math.max(0, usable.length - limit) };
}
