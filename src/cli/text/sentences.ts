/** Replaces `{0}`, `{1}` … in an English sentence with the arguments. */
export function fillIn(message: string, ...args: readonly (string | number)[]): string {
  return message.replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)] ?? ''));
}

/**
 * Converts sentences of the editor to a clause for a terminal: without a capital letter, a period and typographic
 * quotation marks. Must be called before values are filled in.
 */
export function toClause(sentences: string): string {
  return sentences
    .replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())
    .replace(/(?:\.|(?<=\}))\s(\p{Lu})/gu, (_, letter: string) => `; ${letter.toLowerCase()}`)
    .replace(/[“”]/g, '"')
    .replace(/\.$/, '');
}
