import type { SearchReply } from '../client/reply.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { MatchIndex } from '../tables/matchIndex.ts';

/** The number of files per page when comparing all files of a database. */
const pageSize = 5_000;

/** The maximum number of individual files to skip because their metadata exceeds the size limit of a response. */
const maxSkippedFiles = 100;

/** A position in the list of files: `offset` files after the cursor, or after the start (D9: paging). */
interface ListPosition {
  readonly offset: number;
  readonly cursor?: string | undefined;
}

interface ComparisonOptions {
  /** Requests a page of the list of all files in the database. */
  requestPage(position: ListPosition, limit: number): Promise<Partial<SearchReply>>;
  /** Called with the number of files compared or skipped so far. */
  onProgress(done: number): void;
}

/**
 * Compares all files in a database with the values in an index. Requires a service that fills every page except the
 * last. Halves the page size if a response is too large, skips individual files that are too large, and stops at any
 * other failure. Records skipped files in the index.
 */
export async function compareAllFiles(
  index: MatchIndex,
  { requestPage, onProgress }: ComparisonOptions,
): Promise<void> {
  let position: ListPosition = { offset: 0 };
  for (let done = 0, limit = pageSize; ;) {
    onProgress(done);
    const { value = [], cursor, reason } = await requestPage(position, limit);
    if (reason?.kind === 'tooLarge' && limit > 1) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    addFiles(index, value);
    if (reason ? !skipFile(index, done, reason) : value.length < limit) return;
    const count = reason ? 1 : limit;
    done += count;
    position = advance(position, count, cursor);
    limit = Math.min(pageSize, 2 * limit);
  }
}

function advance(position: ListPosition, count: number, cursor: string | undefined): ListPosition {
  return cursor === undefined ? { ...position, offset: position.offset + count } : { offset: 0, cursor };
}

/**
 * Skips one file if it is too large, up to {@link maxSkippedFiles} times; otherwise, skips all remaining files. Returns
 * true if the comparison can continue.
 */
function skipFile(index: MatchIndex, start: number, reason: Reason): boolean {
  const isOne = reason.kind === 'tooLarge' && index.skippedFiles.length < maxSkippedFiles;
  index.addSkipped({ start, reason, ...(isOne && { count: 1 }) });
  return isOne;
}

/** Adds files to an index. Ignores resources that could not be parsed. */
export function addFiles(index: MatchIndex, files: readonly FoundFile[]): void {
  for (const file of files) if (file.kind === 'file') index.add(file);
}
