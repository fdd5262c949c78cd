/**
 * Matches an invisible character, except joiners and variation selectors, which are part of some names. Also matches
 * characters that Unicode doesn't classify as invisible although they are blank: the Braille pattern without dots, the
 * musical null notehead, two hieroglyphs, a joiner of Brahmi numbers and a Khitan filler.
 */
const invisibleCharacter = new RegExp(
  [
    String.raw`(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}`,
    String.raw`\u2800|\u{1107f}|\u{13441}|\u{13442}|\u{16fe4}|\u{1d159}`,
  ].join('|'),
  'u',
);

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

/**
 * Matches runs of blanks and line breaks that are shown as one space but can encode hidden text: different blanks in a
 * row, more than 16 of the same, more than two at the end of a line, and more than six line breaks.
 */
const blankRun = new RegExp(
  [
    String.raw`([\p{Zs}\t])(?!\1)[\p{Zs}\t]`,
    String.raw`([\p{Zs}\t])\2{16}`,
    String.raw`[\p{Zs}\t]{3}(?:[\n\r]|$)`,
    String.raw`(?:[\n\r][\p{Zs}\t]*){7}`,
  ].join('|'),
  'u',
);

/** Matches more combining marks than are shown (`limitMarks`). */
const excessMarks = /\p{M}{5}/u;

/**
 * Returns true if `text` may contain hidden text or be displayed in a different order: if it has invisible characters,
 * more than four combining marks in a row, or a run of blanks that could encode text.
 */
export function hasHiddenText(text: string): boolean {
  const patterns = [disruptive, invisibleCharacter, formatCharacter, meaningless, blankRun, excessMarks];
  return patterns.some((pattern) => pattern.test(text));
}
