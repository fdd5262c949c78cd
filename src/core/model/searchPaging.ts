import type { FoundFile } from './fileEntry.ts';

/** The number of consecutive full pages without new files after which a search stops (D9: paging). */
export const maxPagesWithoutNew = 3;

/** Returns a key that identifies a file within a search. */
export function getFileIdentity(file: FoundFile): string {
  return file.kind === 'file' ? `file ${file.id}` : `text ${file.text}`;
}

/**
 * Returns true if a page without new files is the last one. Such a page is not full, or it repeats the previous page
 * because the database ignores `offset` (D9: paging). A page with only one file doesn't count as a repetition.
 */
export function isLastPage(page: readonly FoundFile[], pageSize: number, before: readonly FoundFile[] = []): boolean {
  return page.length < pageSize || (page.length > 1 && isSamePage(page, before));
}

function isSamePage(one: readonly FoundFile[], other: readonly FoundFile[]): boolean {
  if (one.length !== other.length) return false;
  const identities = other.map(getFileIdentity);
  return one.every((file, index) => getFileIdentity(file) === identities[index]);
}
