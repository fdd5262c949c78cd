const maxLength = 100;
/** Control, bidirectional and other invisible characters, and lone surrogates. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Makes untrusted text safe to quote in a sentence: truncates it and replaces invisible characters. */
export function toQuotable(text: string): string {
  const safe = text.slice(0, 2 * maxLength + 2).replaceAll(unsafe, '\uFFFD');
  const characters = Array.from(safe);
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : safe;
}
