const accents = /\p{M}+/gu;
const separators = /[^\p{L}\p{N}]+/gu;
// These scripts don't separate words with spaces: each character becomes a word, so that any sequence can be found.
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
// The final form of σ; a prefix that ends with it would not match a longer word.
const finalSigma = 'ς';
const beyondAscii = /[^\0-\x7F]/;

/** Marks the end of a folder's words. Never occurs in normalized text. */
export const folderEndMarker = '\uE000';

/**
 * Normalizes text for search to lowercase letters and digits without accents, with one space between words. The index
 * and queries use the same function, so that both text modes return the same results (D21: search syntax).
 */
export function normalizeText(text: string): string {
  const plain = text.normalize('NFKD').replace(accents, '').toLowerCase().replaceAll(finalSigma, 'σ');
  return plain.replace(ideographs, ' $& ').replace(separators, ' ').trim();
}

/**
 * Returns text for the full-text index. Normalizes the text unless it is plain ASCII, which the index's tokenizer
 * splits and folds in the same way as {@link normalizeText}.
 */
export function toIndexText(text: string): string {
  return beyondAscii.test(text) ? normalizeText(text) : text;
}
