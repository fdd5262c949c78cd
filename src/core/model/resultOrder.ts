import type { FoundFile } from './fileEntry.ts';

/** What the files of a search are ordered by; `relevance` is the order in which the service gave them. */
export type ResultOrder = 'relevance' | 'name' | 'size';

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The files in an order: names as people count them, the largest size first; what is unknown or unreadable comes last. */
export function inOrder(files: readonly FoundFile[], order: ResultOrder): readonly FoundFile[] {
  if (order === 'relevance') return files;
  return [...files].sort(order === 'name' ? byName : bySize);
}

function byName(one: FoundFile, other: FoundFile): number {
  if (one.kind === 'file' && other.kind === 'file') return names.compare(one.name, other.name);
  return rank(one) - rank(other);
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
