/** Says whether a path matches. */
export type PathTest = (path: string) => boolean;

type Part = { readonly kind: 'sign'; readonly sign: string } | { readonly kind: 'one' | 'some' | 'any' };

/**
 * Understands `data/*.json`: `*` and `?` stay within a folder, `**` goes through folders, letter case is ignored.
 * A pattern without `/` is matched against the file's name; one without wildcards also means all that is in that folder.
 */
export function pathTest(pattern: string): PathTest {
  const folded = withoutStart(pattern.toLowerCase());
  const trimmed = folded.replace(/\/+$/, '');
  if (!/[*?]/.test(folded)) return (path) => isAtOrUnder(path.toLowerCase(), trimmed, folded.includes('/'));
  const parts = partsOf(folded.endsWith('/') ? `${folded}**` : folded);
  if (folded.includes('/')) return (path) => matches(parts, path.toLowerCase());
  return (path) => matches(parts, nameOf(path.toLowerCase()));
}

/** Paths are relative, however a pattern begins. */
function withoutStart(pattern: string): string {
  return pattern.replace(/^\.?\/+/, '');
}

function isAtOrUnder(path: string, place: string, hasFolder: boolean): boolean {
  if (path === place || path.startsWith(`${place}/`)) return true;
  return !hasFolder && nameOf(path) === place;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  for (const [token] of pattern.matchAll(/\*\*\/?|\*|\?|[^]/gu)) {
    if (token.startsWith('**')) parts.push({ kind: 'any' });
    else if (token === '*') parts.push({ kind: 'some' });
    else if (token === '?') parts.push({ kind: 'one' });
    else parts.push({ kind: 'sign', sign: token });
  }
  return parts;
}

/** Walks all ways at once, so that a hostile pattern costs no more than its length times the path's. */
function matches(parts: readonly Part[], path: string): boolean {
  let reached = withSkips(parts, new Set([0]));
  for (const sign of path) {
    reached = withSkips(parts, afterSign(parts, reached, sign));
    if (reached.size === 0) return false;
  }
  return reached.has(parts.length);
}

function afterSign(parts: readonly Part[], reached: ReadonlySet<number>, sign: string): Set<number> {
  const next = new Set<number>();
  for (const position of reached) {
    const part = parts[position];
    if (part !== undefined && accepts(part, sign)) next.add(isRepeat(part) ? position : position + 1);
  }
  return next;
}

function withSkips(parts: readonly Part[], positions: Set<number>): Set<number> {
  // A set grows while it is walked: positions added here are walked too.
  for (const position of positions) {
    const part = parts[position];
    if (part !== undefined && isRepeat(part)) positions.add(position + 1);
  }
  return positions;
}

function isRepeat(part: Part): boolean {
  return part.kind === 'some' || part.kind === 'any';
}

function accepts(part: Part, sign: string): boolean {
  if (part.kind === 'sign') return part.sign === sign;
  return part.kind === 'any' || sign !== '/';
}

/** The longest plain piece of a pattern, which every matching path holds, letter case aside; often empty. */
export function literalOf(pattern: string): string {
  const pieces = withoutStart(pattern).match(/[\w.-]+/g) ?? [];
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');
}
