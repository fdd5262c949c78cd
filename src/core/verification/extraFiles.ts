import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorCode } from '../util/errorFacts.ts';

/** The files in a transferred folder that its manifest does not list. */
export interface ExtraFiles {
  /** Paths relative to the folder, sorted. */
  readonly paths: readonly string[];
  /** True if the scan stopped because it found more than {@link maxExtraFiles} files. */
  readonly isTruncated: boolean;
  readonly unreadableFolders: readonly { readonly path: string; readonly code: string }[];
}

const maxExtraFiles = 10_000;

/**
 * Finds files and links that the manifest does not list. Does not follow links. Rejects only with the signal's reason.
 */
export async function findExtraFiles(
  folder: string,
  isListed: (path: string) => boolean,
  signal: AbortSignal,
): Promise<ExtraFiles> {
  const paths: string[] = [];
  const unreadableFolders: { path: string; code: string }[] = [];
  const pending = [''];
  const addEntry = (inFolder: string, entry: Dirent): void => {
    const path = inFolder === '' ? entry.name : `${inFolder}/${entry.name}`;
    if (entry.isDirectory()) pending.push(path);
    else if (!isListed(path)) paths.push(path);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      for await (const entry of await opendir(join(folder, next), { bufferSize: 256 })) {
        signal.throwIfAborted();
        addEntry(next, entry);
        if (paths.length > maxExtraFiles)
          return { paths: paths.slice(0, maxExtraFiles).sort(), isTruncated: true, unreadableFolders };
      }
    } catch (error) {
      signal.throwIfAborted();
      unreadableFolders.push({ path: next, code: getErrorCode(error) });
    }
  }
  return { paths: paths.sort(), isTruncated: false, unreadableFolders };
}
