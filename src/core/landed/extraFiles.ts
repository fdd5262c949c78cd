import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './fileErrors.ts';

/** What lies in a landed folder besides what its manifest names. */
export interface ExtraFiles {
  /** Relative to the folder, in their order. */
  readonly paths: readonly string[];
  /** Whether there are more: after {@link mostExtra} the folder is not looked through any further. */
  readonly isCut: boolean;
  /** Folders that could not be looked into. */
  readonly closed: readonly { readonly path: string; readonly code: string }[];
}

/** How many extra files are told. */
const mostExtra = 10_000;

/**
 * Looks for files, and links, that `isNamed` does not know. Folders are gone through without following links; an empty one
 * is no file. Rejects only with the signal's reason.
 */
export async function findExtraFiles(
  folder: string,
  isNamed: (path: string) => boolean,
  signal: AbortSignal,
): Promise<ExtraFiles> {
  const paths: string[] = [];
  const closed: { path: string; code: string }[] = [];
  const left = [''];
  const take = (inFolder: string, entry: Dirent): void => {
    const path = inFolder === '' ? entry.name : `${inFolder}/${entry.name}`;
    if (entry.isDirectory()) left.push(path);
    else if (!isNamed(path)) paths.push(path);
  };
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    try {
      for await (const entry of await opendir(join(folder, next), { bufferSize: 256 })) {
        signal.throwIfAborted();
        take(next, entry);
        if (paths.length > mostExtra) return { paths: paths.slice(0, mostExtra).sort(), isCut: true, closed };
      }
    } catch (error) {
      signal.throwIfAborted();
      closed.push({ path: next, code: codeOf(error) });
    }
  }
  return { paths: paths.sort(), isCut: false, closed };
}
