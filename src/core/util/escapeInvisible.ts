/** Direction characters, line separators, and control characters but for the line feed and the tab. */
const invisible = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]/gu;

/**
 * Escapes, as `\u202e`, the characters that change how the text around them reads in a log or a terminal.
 * Line feeds and tabs stay.
 */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
