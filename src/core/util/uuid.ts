const canonicalPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const anyPattern = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/i;

/** Parses a UUID, also without hyphens, in braces or after `urn:uuid:`, to lowercase with hyphens; else undefined. */
export function parseUuid(text: string): string | undefined {
  if (canonicalPattern.test(text)) return text;
  const trimmed = text
    .trim()
    .replace(/^urn:uuid:/i, '')
    .replace(/^\{(.*)\}$/, '$1');
  const [, first, , ...others] = anyPattern.exec(trimmed) ?? [];
  return first === undefined ? undefined : [first, ...others].join('-').toLowerCase();
}

/** The nil UUID. */
export const nilUuid = '00000000-0000-0000-0000-000000000000';
