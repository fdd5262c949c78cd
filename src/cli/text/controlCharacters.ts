/**
 * Escapes the characters of a JSON text that change how a terminal displays it and that `JSON.stringify` keeps. The
 * value of the text stays the same.
 */
export function escapeControls(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Replaces each character of a text that changes how a terminal displays it, except tabs and ends of lines, with U+FFFD.
 */
export function replaceControls(text: string): string {
  return text.replace(/(?!\r\n|[\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}
