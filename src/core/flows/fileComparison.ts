import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { MatchIndex } from '../tables/matchIndex.ts';

/** Number of files per page when all files of a database are compared. */
const pageSize = 5_000;

/** Number of files that are left out, one by one, because their description exceeds the size limit of a response. */
const maxSkippedFiles = 100;

interface FilePage {
  readonly value?: readonly FoundFile[];
  readonly reason?: Reason;
}

interface ComparisonOptions {
  /** Requests a page of the list of all files. */
  requestPage(offset: number, limit: number): Promise<FilePage>;
  /** Reports the number of files compared. */
  onProgress(done: number): void;
}

/**
 * Compares all files of a service that fills every page with the values of an index. Halves a page whose response is
 * too large, and leaves out a file that is too large by itself. The index stores which files were not compared.
 */
export async function compareAllFiles(
  index: MatchIndex,
  { requestPage, onProgress }: ComparisonOptions,
): Promise<void> {
  for (let offset = 0, limit = pageSize; ;) {
    onProgress(offset);
    const { value = [], reason } = await requestPage(offset, limit);
    if (reason?.kind === 'tooLarge' && limit > 1) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    addFiles(index, value);
    if (reason ? !skipFile(index, offset, reason) : value.length < limit) return;
    offset += reason ? 1 : limit;
    limit = Math.min(pageSize, 2 * limit);
  }
}

/** Skips one file that is too large, or all files from there. Returns true if the comparison continues. */
function skipFile(index: MatchIndex, start: number, reason: Reason): boolean {
  const isOne = reason.kind === 'tooLarge' && index.skippedFiles.length < maxSkippedFiles;
  index.addSkipped({ start, reason, ...(isOne && { count: 1 }) });
  return isOne;
}

/** Adds files to an index, without the resources that could not be parsed. */
export function addFiles(index: MatchIndex, files: readonly FoundFile[]): void {
  for (const file of files) if (file.kind === 'file') index.add(file);
}
