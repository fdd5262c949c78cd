import { limitMarks, shortenText } from '../../core/util/displayLimits.ts';

/**
 * Control characters and the like as signs that can be seen, so that a name cannot pretend to be another one;
 * line breaks and tabs stay as they are. Stacks of combining marks are cut (D39).
 */
export function visibleText(text: string): string {
  return limitMarks(text).replace(/[\p{Cc}\u202A-\u202E]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x09 || code === 0x0a || code === 0x0d) return character;
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
  });
}

/** The beginning of a text that is too long for its place. Never cuts a character in two. */
export function shortened(text: string, longest: number): string {
  return shortenText(text, longest);
}

/** The text, or undefined when it is no text or holds nothing that can be read (servers say "" or "," for "not known"). */
export function readable(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /[\p{L}\p{N}\p{S}]/u.test(value) ? value.trim() : undefined;
}
