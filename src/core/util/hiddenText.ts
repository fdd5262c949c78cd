/**
 * Matches an invisible character, except joiners and variation selectors, which are part of some names. Also matches
 * characters that Unicode doesn't classify as invisible although they are blank: the Braille pattern without dots, the
 * musical null notehead and two hieroglyphs.
 */
export const invisibleCharacter =
  /(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|[\u2800\u{1d159}\u{13441}\u{13442}]/u;

/**
 * Matches characters that reorder or break text, noncharacters, and control characters except tabs, line feeds and
 * carriage returns.
 */
const disruptive = /[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}\p{Noncharacter_Code_Point}]|[^\P{Cc}\n\r\t]/u;

/** Matches format characters other than joiners. Such characters are removed when text is shown. */
const formatCharacter = /(?!\p{Join_Control})\p{Cf}/u;

/** Matches joiners and variation selectors where no script uses them, because such sequences can encode hidden text. */
const meaningless = new RegExp(
  [
    String.raw`[\p{Join_Control}\p{Variation_Selector}]{3}`,
    String.raw`\p{Join_Control}{2}`,
    String.raw`\p{Variation_Selector}{2}`,
    String.raw`(?<![\p{Ideographic}\p{Emoji}\p{S}])\p{Variation_Selector}`,
    String.raw`(?<!\p{Ideographic})[\u{e0100}-\u{e01ef}]`,
  ].join('|'),
  'u',
);

/** Returns true if `text` may contain hidden text or be displayed in a different order. */
export function hasHiddenText(text: string): boolean {
  return [disruptive, invisibleCharacter, formatCharacter, meaningless].some((pattern) => pattern.test(text));
}
