import type { TransferFile } from './transfer.ts';

const longestMessage = 20_000;

/**
 * The files of a transfer that a server's message names by id or name, for example as missing; in the order asked.
 * The message is data: only what is the whole of a known id or name counts, and the longest that fits a place.
 */
export function filesNamedIn(message: string, files: readonly TransferFile[]): readonly TransferFile[] {
  const words = new Map<string, TransferFile[]>();
  for (const file of files) for (const word of new Set([file.id, file.name])) addTo(words, word, file);
  const named = new Set<TransferFile>();
  let rest = message.slice(0, longestMessage);
  for (const word of [...words.keys()].sort((one, other) => other.length - one.length)) {
    const without = withoutWord(rest, word);
    if (without === rest) continue;
    rest = without;
    for (const file of words.get(word) ?? []) named.add(file);
  }
  return files.filter((file) => named.has(file));
}

function addTo(words: Map<string, TransferFile[]>, word: string, file: TransferFile): void {
  if (word.trim() === '') return;
  const same = words.get(word);
  if (same) same.push(file);
  else words.set(word, [file]);
}

/** The text with every place blanked where the word stands by itself. */
function withoutWord(text: string, word: string): string {
  let rest = text;
  for (let at = rest.indexOf(word); at >= 0; at = rest.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (beginsHere.test(rest.slice(Math.max(0, at - 1), at)) && endsHere.test(rest.slice(end, end + 2))) {
      rest = rest.slice(0, at) + '\0'.repeat(word.length) + rest.slice(end);
    }
  }
  return rest;
}

const beginsHere = /^$|[\s"'`([{<,;=]/;
/** A full stop or a colon ends a name only where the sentence goes on after it, or ends. */
const endsHere = /^$|^[\s"'`)\]}>,;]|^[.:!?]($|[\s"'`)\]}>,;])/;
