import { limitMarks, shortenPath, shortenText } from '../../core/util/displayLimits.ts';

/** Maximum length of a line that {@link toPlainLine} returns. */
export const maxLineLength = 300;

/** Converts text from a server to one short line for a notification or a row, without control or format characters. */
export function toPlainLine(text: string): string {
  return toPlainText(text, maxLineLength);
}

/** Converts text from a server to one line of at most `maxLength` characters, without control or format characters. */
export function toPlainText(text: string, maxLength: number): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}]/gu, '')
    .trim();
  return shortenText(limitMarks(line), maxLength);
}

/** Number of placeholder characters that fit in an input box. */
const maxPlaceholder = 72;

/** Shortens a path for an input's placeholder, because the input would truncate the end of a long path. */
export function toPathPlaceholder(path: string): string {
  return toPlainLine(shortenPath(path, maxPlaceholder));
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
