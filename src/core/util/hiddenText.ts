/**
 * Matches an invisible character, except joiners and variation selectors, which are part of some names. Also matches
 * the empty Braille pattern and the musical null notehead, which Unicode doesn't classify as invisible.
 */
export const invisibleCharacter =
  /(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|[\u2800\u{1d159}]/u;

/** Matches control characters, except those that separate lines and cells, and characters that reorder other text. */
const disruptive = /[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]|[^\P{Cc}\n\r\t]/u;

/** Matches format characters other than joiners. They are removed when text is shown. */
const formatCharacter = /(?!\p{Join_Control})\p{Cf}/u;

/** Matches joiners and variation selectors where no script uses them. They can encode a text there. */
const meaningless = new RegExp(
  [
    String.raw`[\p{Join_Control}\p{Variation_Selector}]{3}`,
    String.raw`\p{Variation_Selector}{2}`,
    String.raw`(?<![\p{Ideographic}\p{Emoji}\p{S}])\p{Variation_Selector}`,
    String.raw`(?<!\p{Ideographic})[\u{e0100}-\u{e01ef}]`,
  ].join('|'),
  'u',
);

/** Returns true if a text could contain other text that isn't visible, or is displayed in another order. */
export function hasHiddenText(text: string): boolean {
  return [disruptive, invisibleCharacter, formatCharacter, meaningless].some((pattern) => pattern.test(text));
}
