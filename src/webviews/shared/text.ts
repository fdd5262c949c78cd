/** Control characters and the like as signs that can be seen; line breaks and tabs stay as they are. */
export function visibleText(text: string): string {
  return text.replace(/[\0-\x08\x0B\x0C\x0E-\x1F\x7F]/g, (character) =>
    character === '\x7F' ? '\u2421' : String.fromCharCode(0x2400 + character.charCodeAt(0)),
  );
}

/** The beginning of a text that is too long for its place. Never cuts a character in two. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The text, or undefined when it is no text or holds nothing that can be read (servers say "" or "," for "not known"). */
export function readable(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /[\p{L}\p{N}\p{S}]/u.test(value) ? value.trim() : undefined;
}
