/** Matches characters that are Markdown syntax anywhere in a line, except where their context makes them plain text. */
const inlineSyntax = new RegExp(
  [
    String.raw`[\\\x60*<~$]`,
    // Between letters and digits, as in file names, an underscore isn't emphasis.
    String.raw`(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])`,
    // Brackets are a link, a footnote or attributes only together with the surrounding characters.
    String.raw`\](?=\s?[([:{])|(?<=\^)\[|\[(?=[@^])`,
    // A reference to a character, such as &amp; or &#38;
    String.raw`&(?=#?\w+;)`,
  ].join('|'),
  'gu',
);

/** The position before the character that starts a heading, quotation, list, task, table, definition or line. */
const blockSyntax = /^\d{1,9}(?=[.)](?:\s|$))|^(?=[#>+\-[|:=])/;

/**
 * Escapes the characters of one line of text that Markdown or HTML would interpret. Leaves other punctuation unchanged,
 * so that the text is readable without rendering.
 */
export function escapeMarkdown(line: string): string {
  return line.replaceAll(inlineSyntax, '\\$&').replace(blockSyntax, '$&\\');
}
