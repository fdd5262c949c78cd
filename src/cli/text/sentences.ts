import { cannotBeRead } from '../../core/util/sharedTexts.ts';

/** Replaces `{0}`, `{1}` … in an English sentence with the arguments. */
function fillIn(message: string, ...args: readonly (string | number)[]): string {
  return message.replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)] ?? ''));
}

/** Fills in the editor's sentences, in English. */
export const english = { t: fillIn };

/**
 * Converts sentences of the editor to a clause for a terminal: without a capital letter, a period and typographic
 * quotation marks. Must be called before values are filled in.
 */
function toClause(sentences: string): string {
  return sentences
    .replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())
    .replace(/(?:\.|(?<=\}))\s(\p{Lu})/gu, (_, letter: string) => `; ${letter.toLowerCase()}`)
    .replace(/[“”]/g, '"')
    .replace(/\.$/, '');
}

/** Fills in the editor's sentences as clauses, in English. */
export const clauses = {
  t: (message: string, ...args: readonly (string | number)[]): string => fillIn(toClause(message), ...args),
};

/** Describes files that the command line can't use. */
export const unusableFile = {
  missing: "doesn't exist",
  unreadable: cannotBeRead,
  tooLarge: 'is too large',
} as const;

/** Suggests the name that is most similar to an unknown one. */
export function askAboutName(name: string): string {
  return `Did you mean ${name}?`;
}
