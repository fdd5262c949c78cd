import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';

/** One condition in its plain form. */
export type NaiveTerm = { readonly isNot: boolean } & (
  | { readonly kind: 'everything' }
  | { readonly kind: 'words'; readonly text: string; readonly isPhrase: boolean }
  | { readonly kind: 'format' | 'path'; readonly text: string }
  | { readonly kind: 'bytes'; readonly sign: '<' | '<=' | '=' | '>=' | '>'; readonly bytes: number }
);

/** The words of a file: in its name, its title, its folder, and the rest. */
type Columns = readonly [name: string[], title: string[], folder: string[], rest: string[]];

/** Returns the words of a text, found character by character. */
function naiveWords(text: string): string[] {
  const words: string[] = [];
  let word = '';
  const end = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const sign of text.normalize('NFKD')) {
    if (/\p{M}/u.test(sign)) continue;
    if (!/[\p{L}\p{N}]/u.test(sign)) end();
    else if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sign)) {
      end();
      words.push(sign);
    } else word += foldCharacter(sign);
  }
  end();
  return words;
}

function foldCharacter(sign: string): string {
  return sign.toLowerCase().replace('ς', 'σ');
}

/** Returns true if a column contains these words in sequence; with `isPrefix`, the last may be a prefix. */
function holds(column: readonly string[], wanted: readonly string[], isPrefix: boolean): boolean {
  return column.some((_, start) => beginsWith(column.slice(start), wanted, isPrefix));
}

function beginsWith(column: readonly string[], wanted: readonly string[], isPrefix: boolean): boolean {
  return wanted.every((word, index) => {
    const there = column[index];
    return there === word || (isPrefix && index === wanted.length - 1 && there?.startsWith(word) === true);
  });
}

function getFields({ metadata }: ScannedFile): Readonly<Record<string, unknown>> {
  return metadata === undefined ? {} : (JSON.parse(metadata) as Record<string, unknown>);
}

function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const parts = path.split('/');
  return { name: parts.pop() ?? '', folder: parts.join('/') };
}

/** Returns the words by which a file is found. */
export function naiveColumns(file: ScannedFile): Columns {
  const { folder, name } = splitPath(file.path);
  const { title = '', description = '', format = '', keywords = [] } = getFields(file);
  const rest = [description, format, ...(keywords as string[])].join(' ');
  return [naiveWords(name), naiveWords(String(title)), naiveWords(folder), naiveWords(rest)];
}

/** Returns true when words match in the columns of a tier. */
function hasWords(columns: Columns, term: NaiveTerm & { kind: 'words' }, tier: number): boolean {
  const wanted = naiveWords(term.text);
  if (columns.slice(0, tier + 1).some((column) => holds(column, wanted, !term.isPhrase))) return true;
  const place = term.text.lastIndexOf('/');
  const folder = naiveWords(term.text.slice(0, Math.max(place, 0)));
  const name = naiveWords(term.text.slice(place + 1));
  if (tier < 2 || folder.length === 0 || name.length === 0) return false;
  const [nameWords, , folderWords] = columns;
  const isAtEnd = folder.every((word, index) => folderWords[folderWords.length - folder.length + index] === word);
  return isAtEnd && beginsWith(nameWords, name, !term.isPhrase);
}

/** Returns the format from the metadata or the suffix. */
export function naiveFormat(file: ScannedFile): string {
  const declared = getFields(file)['format'];
  if (typeof declared === 'string') return declared.toLowerCase();
  const ends = splitPath(file.path).name.toLowerCase().split('.');
  if (ends.length === 1) return '';
  const last = ends.at(-1) ?? '';
  const inner = ends.length > 2 ? (ends.at(-2) ?? '') : '';
  return ['bz2', 'gz', 'xz', 'zst'].includes(last) && inner !== '' ? `${inner}.${last}` : last;
}

/** Returns true if a file has this format, compressed or not. */
export function naiveIsFormat(file: ScannedFile, wanted: string): boolean {
  const format = wanted.toLowerCase().replace(/^\./, '');
  return naiveFormat(file) === format || naiveFormat(file).startsWith(`${format}.`);
}

/** Normalizes case and composition, except for the two non-ASCII letters with an ASCII lowercase form. */
function folded(text: string): string {
  const whole = text.split(/([\u0130\u212A])/).map((part) => (part === '\u212A' ? part : part.normalize('NFC')));
  return Array.from(whole.join(''), (sign) => (/[\u0130\u212A]/.test(sign) ? sign : foldCharacter(sign))).join('');
}

/** Returns true if a path matches a path pattern, ignoring case. */
export function naiveIsAt(path: string, pattern: string): boolean {
  const wanted = folded(pattern).replace(/^\.?\/+/, '');
  const { name } = splitPath(folded(path));
  if (!/[*?]/.test(wanted)) {
    const place = wanted.replace(/\/+$/, '');
    const isIn = folded(path) === place || folded(path).startsWith(`${place}/`);
    return isIn || (!wanted.includes('/') && name === place);
  }
  const source = (wanted.endsWith('/') ? `${wanted}**` : wanted).replace(/\*\*\/|\*\*|[^]/gu, (token) => {
    if (token === '**/') return '(?:[^]*/)?';
    if (token === '**') return '[^]*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : `\\u{${(token.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return new RegExp(`^${source}$`, 'u').test(wanted.includes('/') ? folded(path) : name);
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
      return naiveIsAt(file.path, term.text);
    case 'bytes':
      return comparisons[term.sign](file.bytes, term.bytes);
  }
}

/** Returns the tier of a file in a search: 0 is the best, 4 without matching words; undefined without a match. */
export function naiveTier(file: ScannedFile, alternatives: readonly (readonly NaiveTerm[])[]): number | undefined {
  const meant = alternatives.map((terms) => terms.filter((term) => term.kind !== 'words' || !isEmpty(term.text)));
  const isFoundBy = (terms: readonly NaiveTerm[], tier: number): boolean =>
    terms.every((term) => (term.isNot ? !isTrue(file, term, 3) : isTrue(file, term, tier)));
  const hasAny = (terms: readonly NaiveTerm[]): boolean => terms.some((term) => term.kind === 'words' && !term.isNot);
  const asked = meant.filter((terms, index) => terms.length > 0 || alternatives[index]?.length === 0);
  for (const tier of [0, 1, 2, 3]) {
    if (asked.some((terms) => hasAny(terms) && isFoundBy(terms, tier))) return tier;
  }
  return asked.some((terms) => isFoundBy(terms, 3)) ? 4 : undefined;
}

function isEmpty(text: string): boolean {
  return naiveWords(text).length === 0;
}
