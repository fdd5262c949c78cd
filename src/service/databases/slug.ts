/** Converts a name to an ID: at most 60 lowercase letters, digits and hyphens (D20: folders as databases). */
export function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return (
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'database'
  );
}
