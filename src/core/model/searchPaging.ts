import type { FoundFile } from './fileEntry.ts';

/** The most full pages in a row without a new file that a search asks for before it stops (D9). */
export const mostPagesWithoutNew = 3;

/** Returns what tells one file of a search from another. */
export function fileIdentity(file: FoundFile): string {
  return file.kind === 'file' ? `file ${file.id}` : `text ${file.text}`;
}

/**
 * Returns true when a page without a new file was the last one (D9): it isn't full, or it repeats several files of the
 * page before, because the database ignores `offset`. A repeated single file proves nothing.
 */
export function isLastPage(page: readonly FoundFile[], pageSize: number, before: readonly FoundFile[] = []): boolean {
  return page.length < pageSize || (page.length > 1 && isSamePage(page, before));
}

function isSamePage(one: readonly FoundFile[], other: readonly FoundFile[]): boolean {
  if (one.length !== other.length) return false;
  const identities = other.map(fileIdentity);
  return one.every((file, place) => fileIdentity(file) === identities[place]);
}
