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
