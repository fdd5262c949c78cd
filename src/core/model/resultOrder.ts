import type { FoundFile } from './fileEntry.ts';

/** What the files of a search are ordered by; `relevance` is the order in which the service gave them. */
export type ResultOrder = 'relevance' | 'name' | 'size';

/**
 * The files in an order: names as people of that language count them, the largest size first; what is unknown or
 * unreadable comes last.
 */
export function inOrder(files: readonly FoundFile[], order: ResultOrder, language: string): readonly FoundFile[] {
  if (order === 'relevance') return files;
  if (order === 'size') return files.toSorted(bySize);
  const names = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  return files.toSorted((one, other) =>
    one.kind === 'file' && other.kind === 'file' ? names.compare(one.name, other.name) : rank(one) - rank(other),
  );
}

function bySize(one: FoundFile, other: FoundFile): number {
  return sizeOf(other) - sizeOf(one);
}

function rank(file: FoundFile): number {
  return file.kind === 'file' ? 0 : 1;
}

function sizeOf(file: FoundFile): number {
  return file.kind === 'file' ? (file.sizeBytes ?? -1) : -2;
}
