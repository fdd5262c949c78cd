import { limitMarks, shortenText } from '../../core/util/displayLimits.ts';

export { shortenText };

/**
 * Replaces control characters, and bidirectional embeddings, overrides and isolates, with visible symbols, so that text
 * isn't reordered. Keeps line breaks and tabs. Limits the number of combining marks (D39: server data display).
 */
export function toVisibleText(text: string): string {
  return limitMarks(text).replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x09 || code === 0x0a || code === 0x0d) return character;
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
  });
}

/**
 * Returns the trimmed text; undefined if the value is not a string or has no letter, digit or symbol (servers send ""
 * or "," for "unknown").
 */
export function toReadableText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /[\p{L}\p{N}\p{S}]/u.test(value) ? value.trim() : undefined;
}
