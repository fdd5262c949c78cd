/** Says whether a path matches. */
export type PathTest = (path: string) => boolean;

/** `folders` and the two parts after it may be passed over together. */
type Part = { readonly kind: 'sign'; readonly sign: string } | { readonly kind: 'one' | 'some' | 'any' | 'folders' };

/**
 * Understands `data/*.json`: `*` and `?` stay within a folder, `**` goes through folders, a part of the path that is `**`
 * stands for any number of whole ones, letter case and the way accents are written are ignored.
 * A pattern without `/` is matched against the file's name; one without wildcards also means all that is in that folder.
 */
export function pathTest(pattern: string): PathTest {
  const folded = withoutStart(smallLetters(pattern));
  const trimmed = folded.replace(/\/+$/, '');
  if (!/[*?]/.test(folded)) return (path) => isAtOrUnder(smallLetters(path), trimmed, folded.includes('/'));
  const parts = partsOf(folded.endsWith('/') ? `${folded}**` : folded);
  if (folded.includes('/')) return (path) => matches(parts, smallLetters(path));
  return (path) => matches(parts, nameOf(smallLetters(path)));
}

// These two would become plain letters of another place, which SQLite does not know of; a Σ has two small forms.
const unchanged = /[\u0130\u212A]/;
const changed = /[^\u0130\u212A]+/g;
const mayBeParted = /[^\0-\xFF]/;

function smallLetters(text: string): string {
  const whole = composed(text);
  const small = unchanged.test(whole) ? whole.replace(changed, (part) => part.toLowerCase()) : whole.toLowerCase();
  return small.replaceAll('ς', 'σ');
}

/** With each accent on its letter: some systems keep names with the two apart. */
function composed(text: string): string {
  return mayBeParted.test(text) ? text.replace(changed, (part) => part.normalize('NFC')) : text;
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
    if (token === '**/') parts.push({ kind: 'folders' }, { kind: 'any' }, { kind: 'sign', sign: '/' });
    else if (token === '**') parts.push({ kind: 'any' });
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
    if (part?.kind === 'folders') positions.add(position + 1).add(position + 3);
    else if (part !== undefined && isRepeat(part)) positions.add(position + 1);
  }
  return positions;
}

function isRepeat(part: Part): boolean {
  return part.kind === 'some' || part.kind === 'any';
}

function accepts(part: Part, sign: string): boolean {
  if (part.kind === 'sign') return part.sign === sign;
  return part.kind === 'any' || (part.kind !== 'folders' && sign !== '/');
}

/** SQLite refuses to look for longer ones than a few times this. */
const longestLiteral = 1_000;

/**
 * The longest plain piece of a pattern, which every matching path holds, letter case aside, however its accents are
 * written; often empty.
 */
export function literalOf(pattern: string): string {
  const pieces = withoutStart(composed(pattern)).match(/[\w.-]+/g) ?? [];
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
  return longest.slice(0, longestLiteral);
}
