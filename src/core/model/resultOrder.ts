import type { FoundFile } from './fileEntry.ts';

/** The order of the files in a search; `relevance` is the order in which the service returned them. */
export type ResultOrder = 'relevance' | 'name' | 'size';

/**
 * Returns the files sorted by name (in the collation order of `language`) or by descending size. For `relevance`,
 * returns them unsorted. Sorting puts unreadable files last; sorting by size puts files of unknown size right before
 * them.
 */
export function sortFiles(files: readonly FoundFile[], order: ResultOrder, language: string): readonly FoundFile[] {
  if (order === 'relevance') return files;
  if (order === 'size') return files.toSorted(compareBySize);
  const names = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  return files.toSorted((one, other) =>
    one.kind === 'file' && other.kind === 'file' ? names.compare(one.name, other.name) : getRank(one) - getRank(other),
  );
}

function compareBySize(one: FoundFile, other: FoundFile): number {
  return getSize(other) - getSize(one);
}

function getRank(file: FoundFile): number {
  return file.kind === 'file' ? 0 : 1;
}

function getSize(file: FoundFile): number {
  return file.kind === 'file' ? (file.sizeBytes ?? -1) : -2;
}
