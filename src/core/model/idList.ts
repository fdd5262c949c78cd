import type { Reason } from './reason.ts';
import type { TransferFile } from './transferModel.ts';

/** Parses IDs separated by commas or whitespace, including line breaks. Preserves the order and removes duplicates. */
export function parseIds(text: string): readonly string[] {
  return dedupeIds(text.split(/[\s,]+/));
}

/**
 * Parses pasted IDs, which can be separated as in {@link parseIds}. If a line contains a single ID, preserves the
 * spaces around it, because they can belong to the ID.
 */
export function parsePastedIds(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/[\r\n]+/);
  return dedupeIds(lines.flatMap((line) => (/^\s*[^\s,]+\s*$/.test(line) ? [line] : parseIds(line))));
}

/** Parses IDs, one a line, which keep spaces (also outer ones) and commas. Keeps the order, removes duplicates. */
export function parseIdLines(text: string): readonly string[] {
  return dedupeIds(text.replace(/^\uFEFF/, '').split(/[\r\n]+/));
}

/** Removes duplicates, and IDs that consist of white space. Preserves the order. */
export function dedupeIds(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.filter((id) => id.trim() !== ''))];
}

/** A requested ID for which no file was returned, with the reason if it is known (D8: metadata by ids). */
export interface MissingId {
  readonly id: string;
  readonly reason?: Reason;
  /** True if a file has this ID without the spaces around it. */
  readonly isFoundTrimmed?: boolean;
}

/** Returns the IDs of a search for which it found files whose IDs lack the outer spaces. */
export function filterTrimmedIds({ missing }: { readonly missing: readonly MissingId[] }): readonly string[] {
  return missing.filter(({ isFoundTrimmed }) => isFoundTrimmed).map(({ id }) => id);
}

/** Returns the IDs that the service doesn't know or, if not `isUnknown`, whose lookup failed (D8: metadata by ids). */
export function filterMissingIds(
  { missing }: { readonly missing: readonly MissingId[] },
  isUnknown: boolean,
): readonly MissingId[] {
  const isOfUnknown = (reason?: Reason): boolean => reason === undefined || reason.kind === 'notFound';
  return missing.filter(({ reason, isFoundTrimmed }) => !isFoundTrimmed && isOfUnknown(reason) === isUnknown);
}

const maxMessageLength = 20_000;

/**
 * Returns the files that a server's message mentions by ID or name, for example because they are missing. The message
 * is untrusted: only complete IDs and names match, and the longest match wins.
 */
export function findNamedFiles(message: string, files: readonly TransferFile[]): readonly TransferFile[] {
  const words = new Map<string, TransferFile[]>();
  for (const file of files) for (const word of new Set([file.id, file.name])) addWord(words, word, file);
  const named = new Set<TransferFile>();
  let rest = message.slice(0, maxMessageLength);
  for (const word of [...words.keys()].sort((one, other) => other.length - one.length)) {
    const without = removeWord(rest, word);
    if (without === rest) continue;
    rest = without;
    for (const file of words.get(word) ?? []) named.add(file);
  }
  return files.filter((file) => named.has(file));
}

function addWord(words: Map<string, TransferFile[]>, word: string, file: TransferFile): void {
  if (word.trim() === '') return;
  const same = words.get(word);
  if (same) same.push(file);
  else words.set(word, [file]);
}

/** Returns `text` with null characters in place of `word`, except where `word` is part of a longer word. */
function removeWord(text: string, word: string): string {
  let rest = text;
  for (let at = rest.indexOf(word); at >= 0; at = rest.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (wordStart.test(rest.slice(Math.max(0, at - 1), at)) && wordEnd.test(rest.slice(end, end + 2))) {
      rest = rest.slice(0, at) + '\0'.repeat(word.length) + rest.slice(end);
    }
  }
  return rest;
}

const wordStart = /^$|[\s"'`([{<,;=]/;
/** Matches text that can follow a complete name. A period, colon, `!` or `?` counts only at the end of a clause. */
const wordEnd = /^$|^[\s"'`)\]}>,;]|^[.:!?]($|[\s"'`)\]}>,;])/;
