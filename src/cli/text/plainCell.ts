/**
 * Converts text from a server or a file to a single line without control or format characters. Such characters could
 * change how a terminal displays other text.
 */
export function toPlainCell(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
}
