import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { getPastResult, type PastVerification } from './pastVerification.ts';
import { findTransferredFile, listTransferredFiles } from './transferredFiles.ts';
import type { TransferredFolder } from './transferredFolderSearch.ts';

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
