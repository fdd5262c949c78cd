const marks = /\p{M}+/gu;
const separators = /[^\p{L}\p{N}]+/gu;
// These scripts do not part words by spaces: each sign is a word, so that any run of them can be found.
const signs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
// The small form of Σ at the end of a word: the beginning of a longer word would not be found by it.
const lastSigma = 'ς';
const beyondAscii = /[^\0-\x7F]/;

/** A word that no text holds; it stands after the last word of a folder, so that what ends there can be found. */
export const folderEnd = '\uE000';

/**
 * A text as the search sees it: small letters without accents, only letters and digits, one space between words.
 * The index and the query go through this one function, so every kind of index answers alike (D21).
 */
export function wordsOf(text: string): string {
  const plain = text.normalize('NFKD').replace(marks, '').toLowerCase().replaceAll(lastSigma, 'σ');
  return plain.replace(signs, ' $& ').replace(separators, ' ').trim();
}

/** A text for the full-text index, whose tokenizer parts and folds plain ASCII as {@link wordsOf} does. */
export function indexedWords(text: string): string {
  return beyondAscii.test(text) ? wordsOf(text) : text;
}
