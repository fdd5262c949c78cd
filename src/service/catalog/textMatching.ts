import { getBaseName } from './catalogFile.ts';

const accents = /\p{M}+/gu;
const separators = /[^\p{L}\p{N}]+/gu;
// These scripts don't separate words with spaces: each character becomes a word, so that any sequence can be found.
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
// The final form of σ; a prefix that ends with it would not match a longer word.
const finalSigma = 'ς';
const beyondAscii = /[^\0-\x7F]/;

/** Marks the end of a folder's words. Never occurs in normalized text. */
export const folderEndMarker = '\uE000';

/** Reduces text to lowercase letters and digits, with one space between words, for index and queries alike. */
export function normalizeText(text: string): string {
  const plain = text.normalize('NFKD').replace(accents, '').toLowerCase().replaceAll(finalSigma, 'σ');
  return plain.replace(ideographs, ' $& ').replace(separators, ' ').trim();
}

/** Normalizes text unless it is plain ASCII, which the index's tokenizer folds in the same way. */
export function toIndexText(text: string): string {
  return beyondAscii.test(text) ? normalizeText(text) : text;
}

/** Returns true for a path that matches a pattern. */
export type PathTest = (path: string) => boolean;

/** A part of a pattern. `folders` means that the next two parts are optional. */
type Part =
  { readonly kind: 'character'; readonly character: string } | { readonly kind: 'one' | 'some' | 'any' | 'folders' };

/**
 * Compiles a pattern, such as `data/*.json`, to a function that tests paths. `*` and `?` match within a path segment,
 * `**` matches across segments, and a `**` segment matches any number of folders. Ignores case and Unicode
 * normalization differences. A pattern without `/`, apart from a leading one, is matched against the file name; a
 * pattern without wildcards also matches everything in the folder that it names.
 */
export function compilePattern(pattern: string): PathTest {
  const folded = stripLeadingSlash(toLowerCase(pattern));
  const trimmed = folded.replace(/\/+$/, '');
  if (!/[*?]/.test(folded)) return (path) => isAtOrUnder(toLowerCase(path), trimmed, folded.includes('/'));
  const parts = parseParts(folded.endsWith('/') ? `${folded}**` : folded);
  if (folded.includes('/')) return (path) => matchesParts(parts, toLowerCase(path));
  return (path) => matchesParts(parts, getBaseName(toLowerCase(path)));
}

// These two are not lowercased, because SQLite's LIKE doesn't equate them with ASCII letters. σ and ς count as equal.
const keptCharacters = /[\u0130\u212A]/;
const otherCharacters = /[^\u0130\u212A]+/g;
const mayHaveSeparateAccents = /[^\0-\xFF]/;

function toLowerCase(text: string): string {
  const whole = composeAccents(text);
  const lower = keptCharacters.test(whole)
    ? whole.replace(otherCharacters, (part) => part.toLowerCase())
    : whole.toLowerCase();
  return lower.replaceAll('ς', 'σ');
}

/** Normalizes text to NFC except for {@link keptCharacters}, because some systems store names in decomposed form. */
function composeAccents(text: string): string {
  return mayHaveSeparateAccents.test(text) ? text.replace(otherCharacters, (part) => part.normalize('NFC')) : text;
}

function stripLeadingSlash(pattern: string): string {
  return pattern.replace(/^\.?\/+/, '');
}

function isAtOrUnder(path: string, folder: string, hasFolder: boolean): boolean {
  if (path === folder || path.startsWith(`${folder}/`)) return true;
  return !hasFolder && getBaseName(path) === folder;
}

function parseParts(pattern: string): Part[] {
  const parts: Part[] = [];
  for (const [token] of pattern.matchAll(/\*\*\/?|\*|\?|[^]/gu)) {
    if (token === '**/') parts.push({ kind: 'folders' }, { kind: 'any' }, { kind: 'character', character: '/' });
    else if (token === '**') parts.push({ kind: 'any' });
    else if (token === '*') parts.push({ kind: 'some' });
    else if (token === '?') parts.push({ kind: 'one' });
    else parts.push({ kind: 'character', character: token });
  }
  return parts;
}

/** Tracks all possible positions simultaneously, so the cost is at most the product of both lengths. */
function matchesParts(parts: readonly Part[], path: string): boolean {
  let reached = addSkips(parts, new Set([0]));
  for (const character of path) {
    reached = addSkips(parts, advance(parts, reached, character));
    if (reached.size === 0) return false;
  }
  return reached.has(parts.length);
}

function advance(parts: readonly Part[], reached: ReadonlySet<number>, character: string): Set<number> {
  const next = new Set<number>();
  for (const position of reached) {
    const part = parts[position];
    if (part !== undefined && accepts(part, character)) next.add(isRepeat(part) ? position : position + 1);
  }
  return next;
}

function addSkips(parts: readonly Part[], positions: Set<number>): Set<number> {
  // Iterating over a set includes positions that are added during the iteration.
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

function accepts(part: Part, character: string): boolean {
  if (part.kind === 'character') return part.character === character;
  return part.kind === 'any' || (part.kind !== 'folders' && character !== '/');
}

/** Maximum length of a literal. SQLite rejects LIKE patterns that are much longer. */
const maxLiteralLength = 1_000;

/** Returns the longest part of ASCII word characters, dots and hyphens, which every match contains in any case. */
export function findLongestLiteral(pattern: string): string {
  const pieces = stripLeadingSlash(composeAccents(pattern)).match(/[\w.-]+/g) ?? [];
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
  return longest.slice(0, maxLiteralLength);
}
