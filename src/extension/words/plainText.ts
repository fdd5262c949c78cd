import { limitMarks, shortenPath, shortenText } from '../../core/util/displayLimits.ts';
import { collapseBlanks, shortenMiddle, toSafeLine, toShortLine } from '../../core/util/visibleText.ts';

/** Maximum length of a line that {@link toPlainLine} returns. */
export const maxLineLength = 300;

/** Converts text from a server to one short line for a notification or a row, without control or format characters. */
export function toPlainLine(text: string): string {
  return toShortLine(text, maxLineLength);
}

interface CutText {
  readonly text: string;
  /**
   * Number of cut or removed characters, except control characters, single join controls (ZWJ, ZWNJ), excess combining
   * marks and repeated spaces.
   */
  readonly hiddenLength: number;
}

/**
 * Shortens text to one line of at most `maxLength` characters for a confirmation prompt, and counts the rest. Removes
 * control and format characters and repeated spaces, which could push text out of view. Counts format characters, which
 * can encode other text.
 */
export function cutPlainText(text: string, maxLength: number): CutText {
  const line = collapseBlanks(limitMarks(toSafeLine(text)));
  const shown = shortenText(line, maxLength);
  const cutLength = shown === line ? 0 : line.length - shown.length + 1;
  return { text: shown, hiddenLength: cutLength + countRemoved(text) };
}

/** Returns the number of removed characters that could encode other text: all except single join controls. */
function countRemoved(text: string): number {
  const runs = text.match(/(?!\p{Join_Control})\p{Cf}|\p{Join_Control}{2,}/gu) ?? [];
  return runs.reduce((sum, run) => sum + Array.from(run).length, 0);
}

/** Number of characters that fit in an input box or in a row of its list. */
const maxPlaceholder = 72;

/** Shortens a path for an input box's placeholder, because the box would truncate the end of a long path. */
export function toPathPlaceholder(path: string): string {
  return toPlainLine(shortenPath(path, maxPlaceholder));
}

/** Shortens a path for a row of a list, from its middle, because long paths often differ only at their ends. */
export function toPathLabel(path: string): string {
  return limitMarks(shortenMiddle(toSafeLine(path), maxPlaceholder));
}

/**
 * Escapes icons such as `$(name)` and links such as `[text](command)`. Notifications and quick inputs render both, so
 * text from a server must contain neither.
 */
export function escapeIconsAndLinks(text: string): string {
  return text.replaceAll('$(', '$ (').replaceAll('](', '] (');
}

/** Returns an error's message as one line. */
export function describeError(error: unknown): string {
  return toPlainLine(error instanceof Error ? error.message : String(error));
}

/** Matches characters that are Markdown syntax anywhere in a line, unless their context makes them plain text. */
const inlineSyntax = new RegExp(
  [
    String.raw`[\\\x60*<~$]`,
    // An underscore between letters or digits, as in file names, doesn't mark emphasis.
    String.raw`(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])`,
    // A bracket is part of a link, a footnote or attributes only in combination with certain adjacent characters.
    String.raw`\](?=\s?[([:{])|(?<=\^)\[|\[(?=[@^])`,
    // A character reference, such as &amp; or &#38;.
    String.raw`&(?=#?\w+;)`,
  ].join('|'),
  'gu',
);

/** Matches the text before a character that starts a heading, block quote, list, task, table or definition. */
const blockSyntax = /^\d{1,9}(?=[.)](?:\s|$))|^(?=[#>+\-[|:=])/;

/**
 * Escapes the characters in a line of text that Markdown or HTML would interpret. Leaves other punctuation unchanged,
 * so that the text is readable without rendering.
 */
export function escapeMarkdown(line: string): string {
  return line.replaceAll(inlineSyntax, '\\$&').replace(blockSyntax, '$&\\');
}
