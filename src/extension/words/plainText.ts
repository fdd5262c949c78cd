import { limitMarks, shortenPath, shortenText } from '../../core/util/displayLimits.ts';

const maxLineLength = 300;

/** Returns a server's text as one line for a notification or a row, without control and direction characters. */
export function toPlainLine(text: string): string {
  return toPlainText(text, maxLineLength);
}

/** Like {@link toPlainLine}, with a custom length limit, for example for a tooltip. */
export function toPlainText(text: string, maxLength: number): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}]/gu, '')
    .trim();
  return shortenText(limitMarks(line), maxLength);
}

/** Maximum number of characters of a placeholder that fit into an input. */
const maxPlaceholder = 72;

/** Returns a path as the placeholder of an input, which would cut the end of a long one. */
export function toPathPlaceholder(path: string): string {
  return toPlainLine(shortenPath(path, maxPlaceholder));
}

/**
 * Escapes icons, `$(name)`, and links, `[text](command)`. Notifications and quick inputs render both, so text from a
 * server must contain neither.
 */
export function escapeIconsAndLinks(text: string): string {
  return text.replaceAll('$(', '$ (').replaceAll('](', '] (');
}

/** Describes an error by its message. */
export function describeError(error: unknown): string {
  return toPlainLine(error instanceof Error ? error.message : String(error));
}
