const longest = 100;
/** Controls, marks that turn the direction of writing, other invisible signs, and halves of signs. */
const harmful = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A text that somebody sent, fit to stand in a sentence: cut, and without signs that would change how it is read. */
export function quotable(text: string): string {
  const signs = text.slice(0, 2 * longest + 2).replaceAll(harmful, '\uFFFD');
  const parts = Array.from(signs);
  return parts.length > longest ? `${parts.slice(0, longest).join('')}…` : signs;
}
