/**
 * Returns text from a server or a file as one line without control and direction characters, which a terminal obeys.
 */
export function toPlainCell(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
}
