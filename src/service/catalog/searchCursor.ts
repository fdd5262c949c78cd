import type { SearchCursor } from './searchSql.ts';

const pattern = /^(\d)\/(\d+)\/([-+.\de]+|-Infinity)\/(.+)$/s;

/**
 * Formats a position in the results as opaque text. The position depends only on the last file itself, so it stays valid
 * while other files come and go, and after the catalog was rebuilt (D9: paging).
 */
export function formatCursor({ tier, bytes, modifiedMs, path }: SearchCursor): string {
  return Buffer.from(`${tier}/${bytes}/${modifiedMs}/${path}`).toString('base64url');
}

/** Parses the text of {@link formatCursor}; returns undefined for any other text. */
export function parseCursor(text: string): SearchCursor | undefined {
  const [, tier, bytes, modified, path] = pattern.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const modifiedMs = Number(modified);
  if (path === undefined || Number.isNaN(modifiedMs)) return undefined;
  return { tier: Number(tier), bytes: Number(bytes), modifiedMs, path };
}
