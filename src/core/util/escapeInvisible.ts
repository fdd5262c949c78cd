/** Matches bidirectional controls, line separators, and control characters except line feed and tab. */
const invisible = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]/gu;

/**
 * Replaces characters that affect how adjacent text is displayed with escapes such as `\u202e`. Preserves line feeds
 * and tabs.
 */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
