const usual = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const forms = [
  /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i,
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i,
];

/**
 * Reads a UUID, dashed or not, also in braces or as `urn:uuid:…`, in any case, and returns it dashed and in lower case;
 * undefined for anything else.
 */
export function canonicalUuid(text: string): string | undefined {
  if (usual.test(text)) return text;
  const bare = text
    .trim()
    .replace(/^urn:uuid:/i, '')
    .replace(/^\{(.*)\}$/, '$1');
  for (const form of forms) {
    const groups = form.exec(bare)?.slice(1);
    if (groups) return groups.join('-').toLowerCase();
  }
  return undefined;
}

/** The UUID that stands for none. */
export const nilUuid = '00000000-0000-0000-0000-000000000000';
