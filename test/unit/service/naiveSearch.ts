import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';

/** One condition of a query, in its simplest form. */
export type NaiveTerm = { readonly isNot: boolean } & (
  | { readonly kind: 'everything' }
  | { readonly kind: 'words'; readonly text: string; readonly isPhrase: boolean }
  | { readonly kind: 'format' | 'path'; readonly text: string }
  | { readonly kind: 'bytes'; readonly sign: '<' | '<=' | '=' | '>=' | '>'; readonly bytes: number }
);

/** The words of a file: those of its name, its title, its folder, and its other metadata. */
type Columns = readonly [name: string[], title: string[], folder: string[], rest: string[]];

/** Splits text into words, character by character. */
function naiveWords(text: string): string[] {
  const words: string[] = [];
  let word = '';
  const end = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const character of text.normalize('NFKD')) {
    if (/\p{M}/u.test(character)) continue;
    if (!/[\p{L}\p{N}]/u.test(character)) end();
    else if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) {
      end();
      words.push(character);
    } else word += foldCharacter(character);
  }
  end();
  return words;
}

function foldCharacter(character: string): string {
  return character.toLowerCase().replace('ς', 'σ');
}

/**
 * Returns true if a column contains the given words in sequence. If `isPrefix` is true, the last one may match only the
 * start of a word in the column.
 */
function containsSequence(column: readonly string[], words: readonly string[], isPrefix: boolean): boolean {
  return column.some((_, start) => startsWithWords(column.slice(start), words, isPrefix));
}

function startsWithWords(column: readonly string[], words: readonly string[], isPrefix: boolean): boolean {
  return words.every((word, index) => {
    const found = column[index];
    return found === word || (isPrefix && index === words.length - 1 && found?.startsWith(word) === true);
  });
}

function getFields({ metadata }: ScannedFile): Readonly<Record<string, unknown>> {
  return metadata === undefined ? {} : (JSON.parse(metadata) as Record<string, unknown>);
}

function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const parts = path.split('/');
  return { name: parts.pop() ?? '', folder: parts.join('/') };
}

/** Returns the words of a file that a search can match. */
export function naiveColumns(file: ScannedFile): Columns {
  const { folder, name } = splitPath(file.path);
  const { id = '', title = '', description = '', format = '', keywords = [] } = getFields(file);
  const rest = [id, description, format, ...(keywords as string[])].join(' ');
  return [naiveWords(name), naiveWords(String(title)), naiveWords(folder), naiveWords(rest)];
}

/** Returns true if the words of a term match in the columns of the given tier or a better tier. */
function hasWords(columns: Columns, term: NaiveTerm & { kind: 'words' }, tier: number): boolean {
  const words = naiveWords(term.text);
  if (columns.slice(0, tier + 1).some((column) => containsSequence(column, words, !term.isPhrase))) return true;
  const place = term.text.lastIndexOf('/');
  const folder = naiveWords(term.text.slice(0, Math.max(place, 0)));
  const name = naiveWords(term.text.slice(place + 1));
  if (tier < 2 || folder.length === 0 || name.length === 0) return false;
  const [nameWords, , folderWords] = columns;
  const isAtEnd = folder.every((word, index) => folderWords[folderWords.length - folder.length + index] === word);
  return isAtEnd && startsWithWords(nameWords, name, !term.isPhrase);
}

/** Returns the format that the metadata or the file extension indicates. */
export function naiveFormat(file: ScannedFile): string {
  const declared = getFields(file)['format'];
  if (typeof declared === 'string') return declared.toLowerCase();
  const ends = splitPath(file.path).name.toLowerCase().split('.');
  if (ends.length === 1) return '';
  const last = ends.at(-1) ?? '';
  const inner = ends.length > 2 ? (ends.at(-2) ?? '') : '';
  return ['bz2', 'gz', 'xz', 'zst'].includes(last) && inner !== '' ? `${inner}.${last}` : last;
}

/** Returns true if a file has the requested format, compressed or not. */
export function naiveIsFormat(file: ScannedFile, requested: string): boolean {
  const format = requested.toLowerCase().replace(/^\./, '');
  return naiveFormat(file) === format || naiveFormat(file).startsWith(`${format}.`);
}

/** Normalizes case and composition, except for the two letters whose lowercase form starts with an ASCII letter. */
function normalizeText(text: string): string {
  const whole = text.split(/([\u0130\u212A])/).map((part) => (part === '\u212A' ? part : part.normalize('NFC')));
  return Array.from(whole.join(''), (one) => (/[\u0130\u212A]/.test(one) ? one : foldCharacter(one))).join('');
}

/** Returns true if a path matches a path pattern, ignoring case. */
export function naivePathMatches(path: string, pattern: string): boolean {
  const normalized = normalizeText(pattern).replace(/^\.?\/+/, '');
  const { name } = splitPath(normalizeText(path));
  if (!/[*?]/.test(normalized)) {
    const place = normalized.replace(/\/+$/, '');
    const isInside = normalizeText(path) === place || normalizeText(path).startsWith(`${place}/`);
    return isInside || (!normalized.includes('/') && name === place);
  }
  const source = (normalized.endsWith('/') ? `${normalized}**` : normalized).replace(/\*\*\/|\*\*|[^]/gu, (token) => {
    if (token === '**/') return '(?:[^]*/)?';
    if (token === '**') return '[^]*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : `\\u{${(token.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return new RegExp(`^${source}$`, 'u').test(normalized.includes('/') ? normalizeText(path) : name);
}

const comparisons = {
  '<': (one: number, other: number): boolean => one < other,
  '<=': (one: number, other: number): boolean => one <= other,
  '=': (one: number, other: number): boolean => one === other,
  '>=': (one: number, other: number): boolean => one >= other,
  '>': (one: number, other: number): boolean => one > other,
};

function isTrue(file: ScannedFile, term: NaiveTerm, tier: number): boolean {
  switch (term.kind) {
    case 'everything':
      return true;
    case 'words':
      return hasWords(naiveColumns(file), term, tier);
    case 'format':
      return naiveIsFormat(file, term.text);
    case 'path':
      return naivePathMatches(file.path, term.text);
    case 'bytes':
      return comparisons[term.sign](file.bytes, term.bytes);
  }
}

/**
 * Returns the tier of a file in a search; undefined if the file doesn't match. 0 is the best; 4 means that there are no
 * words to match.
 */
export function naiveTier(file: ScannedFile, alternatives: readonly (readonly NaiveTerm[])[]): number | undefined {
  const effective = alternatives.map((terms) => terms.filter((term) => term.kind !== 'words' || !isEmpty(term.text)));
  const isFoundBy = (terms: readonly NaiveTerm[], tier: number): boolean =>
    terms.every((term) => (term.isNot ? !isTrue(file, term, 3) : isTrue(file, term, tier)));
  const hasAny = (terms: readonly NaiveTerm[]): boolean => terms.some((term) => term.kind === 'words' && !term.isNot);
  const requested = effective.filter((terms, index) => terms.length > 0 || alternatives[index]?.length === 0);
  for (const tier of [0, 1, 2, 3]) {
    if (requested.some((terms) => hasAny(terms) && isFoundBy(terms, tier))) return tier;
  }
  return requested.some((terms) => isFoundBy(terms, 3)) ? 4 : undefined;
}

function isEmpty(text: string): boolean {
  return naiveWords(text).length === 0;
}
