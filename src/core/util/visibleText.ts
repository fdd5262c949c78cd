import { limitMarks, shortenText } from './displayLimits.ts';

const blankCharacter = String.raw`\u2800|\ufffc|\u{1107f}|\u{13441}|\u{13442}|\u{16fe4}|\u{1bc9d}|\u{1d159}|[\u{1da9b}-\u{1daaf}]`;

/**
 * Matches an invisible character, except joiners and variation selectors, which are part of some names. Also matches
 * characters that Unicode doesn't classify as invisible although they are blank: the Braille pattern without dots, the
 * object replacement character, the musical null notehead, two hieroglyphs, and marks that only modify others: a joiner
 * of Brahmi numbers, a Khitan filler, a Duployan selector and the modifiers of SignWriting.
 */
const invisibleCharacter = new RegExp(
  [String.raw`(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}`, blankCharacter].join('|'),
  'u',
);

/** Matches a character that a person can see. */
const visibleCharacter = new RegExp(String.raw`(?!${blankCharacter})[^\p{Default_Ignorable_Code_Point}\p{Cc}\s]`, 'u');

/** Matches what reorders or breaks text, noncharacters, and control characters except tabs, line feeds and CRs. */
const disruptive = /[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}\p{Noncharacter_Code_Point}]|[^\P{Cc}\n\r\t]/u;

/** Matches format characters other than joiners. Such characters are removed when text is shown. */
const formatCharacter = /(?!\p{Join_Control})\p{Cf}/u;

/** Ideographs, emoji and symbols, and the letters of scripts in which Unicode has standardized variants. */
const hasVariants = [
  String.raw`\p{Ideographic}\p{Emoji}\p{S}`,
  ...['Mongolian', 'Phags_Pa', 'Myanmar', 'Manichaean'].map((script) => String.raw`\p{Script=${script}}`),
].join('');

/** Matches joiners and variation selectors where no script uses them, because such sequences can encode hidden text. */
const meaningless = new RegExp(
  [
    String.raw`[\p{Join_Control}\p{Variation_Selector}]{3}`,
    String.raw`\p{Join_Control}{2}`,
    String.raw`\p{Variation_Selector}{2}`,
    String.raw`(?<![${hasVariants}])\p{Variation_Selector}`,
    String.raw`(?<!\p{Ideographic})[\u{e0100}-\u{e01ef}]`,
  ].join('|'),
  'u',
);

/**
 * Matches runs of blanks and line breaks that are shown as one space but can encode hidden text: more than 64 of the
 * same blank, three or more that differ, two that differ and aren't spaces, and more than six line breaks. Indentation
 * with tabs and then spaces is accepted.
 */
const blankRun = new RegExp(
  [
    String.raw`([\p{Zs}\t])\1{64}`,
    String.raw`(?! )([\p{Zs}\t])(?! |\2)[\p{Zs}\t]`,
    String.raw`(?<![\p{Zs}\t])(?!([\p{Zs}\t])\3*(?![\p{Zs}\t]))(?!(?<=^|[\n\r])\t* *(?![\p{Zs}\t]))[\p{Zs}\t]{3}`,
    String.raw`(?:(?:\r?\n|\r(?!\n))[\p{Zs}\t]*){7}`,
  ].join('|'),
  'u',
);

/** Matches more combining marks than are shown (`limitMarks`). */
const excessMarks = /\p{M}{7}/u;

/**
 * Returns true if `text` may contain hidden text or be displayed in a different order: if it has invisible characters,
 * more than six combining marks in a row, or a run of blanks that could encode text.
 */
export function hasHiddenText(text: string): boolean {
  if ([disruptive, invisibleCharacter, formatCharacter, meaningless].some((pattern) => pattern.test(text))) return true;
  // Joiners aren't shown, so they don't interrupt a run.
  const shown = text.replace(/\p{Join_Control}/gu, '');
  return [blankRun, excessMarks].some((pattern) => pattern.test(shown));
}

/** Matches bidirectional controls, line separators, and control characters except line feed and tab. */
const invisible = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]/gu;

/** Escapes characters that affect adjacent text, as in `\u202e`. Preserves line feeds and tabs. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Replaces control characters and line separators with spaces, so that text from elsewhere stays on one line. */
export function joinLines(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/**
 * Converts text from a server or a file to a single line without control or format characters, which could change how
 * other text is displayed. Returns an empty string for text without visible characters.
 */
export function toSafeLine(text: string): string {
  const line = joinLines(text)
    .replace(/\p{Cf}/gu, '')
    .trim();
  return visibleCharacter.test(line) ? line : '';
}

/**
 * Converts text from a server or a file to one line of at most `maxLength` UTF-16 code units, without control or format
 * characters, and with at most six combining marks on a character.
 */
export function toShortLine(text: string, maxLength: number): string {
  return shortenText(limitMarks(toSafeLine(text.slice(0, 4 * maxLength))), maxLength);
}

/** Replaces each run of blank characters, including those that aren't white space in Unicode, with one space. */
export function collapseBlanks(text: string): string {
  return text.replace(/[\s\u115F\u1160\u2800\u3164\uFFA0\u{1D159}]+/gu, ' ');
}

/** Truncates text in its middle to `longest` UTF-16 code units, including a "…". Never splits a surrogate pair. */
export function shortenMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const startLength = Math.ceil(longest / 2) - 1;
  const start = text.slice(0, startLength).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}…${text.slice(text.length - (longest - startLength - 1)).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
