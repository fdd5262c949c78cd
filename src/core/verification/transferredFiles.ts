import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { findExtraFiles } from './extraFiles.ts';
import { findFile } from './fileCheck.ts';
import type { TransferredFolder } from './transferredFolderSearch.ts';
import { readManifest } from './transferManifest.ts';

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

/**
 * Returns the path of a transferred file; undefined if it is missing or inaccessible, or if a link points outside the
 * folder.
 */
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
