import type { FoundFile } from '../../../src/service/catalog/catalogFile.ts';

/** One condition, as a person means it. */
export type NaiveTerm = { readonly isNot: boolean } & (
  | { readonly kind: 'everything' }
  | { readonly kind: 'words'; readonly text: string; readonly isPhrase: boolean }
  | { readonly kind: 'format' | 'path'; readonly text: string }
  | { readonly kind: 'bytes'; readonly sign: '<' | '<=' | '=' | '>=' | '>'; readonly bytes: number }
);

/** The words of a file: in its name, its title, its folder, and the rest. */
type Columns = readonly [name: string[], title: string[], folder: string[], rest: string[]];

/** The words of a text, found sign by sign. */
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
    } else word += smallSign(sign);
  }
  end();
  return words;
}

function smallSign(sign: string): string {
  return sign.toLowerCase().replace('ς', 'σ');
}

/** Whether some words stand one after the other; the last of them may go on. */
function holds(column: readonly string[], wanted: readonly string[], isPrefix: boolean): boolean {
  return column.some((_, start) => beginsWith(column.slice(start), wanted, isPrefix));
}

function beginsWith(column: readonly string[], wanted: readonly string[], isPrefix: boolean): boolean {
  return wanted.every((word, index) => {
    const there = column[index];
    return there === word || (isPrefix && index === wanted.length - 1 && there?.startsWith(word) === true);
  });
}

function fieldsOf({ metadata }: FoundFile): Readonly<Record<string, unknown>> {
  return metadata === undefined ? {} : (JSON.parse(metadata) as Record<string, unknown>);
}

function partsOf(path: string): { readonly folder: string; readonly name: string } {
  const parts = path.split('/');
  return { name: parts.pop() ?? '', folder: parts.join('/') };
}

/** The words that a file is found by. */
export function naiveColumns(file: FoundFile): Columns {
  const { folder, name } = partsOf(file.path);
  const { title = '', description = '', format = '', keywords = [] } = fieldsOf(file);
  const rest = [description, format, ...(keywords as string[])].join(' ');
  return [naiveWords(name), naiveWords(String(title)), naiveWords(folder), naiveWords(rest)];
}

/** Whether words are found in the first columns, as many as the tier has. */
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

/** The format that metadata or the end of the name tells. */
export function naiveFormat(file: FoundFile): string {
  const declared = fieldsOf(file)['format'];
  if (typeof declared === 'string') return declared.toLowerCase();
  const ends = partsOf(file.path).name.toLowerCase().split('.');
  if (ends.length === 1) return '';
  const last = ends.at(-1) ?? '';
  const inner = ends.length > 2 ? (ends.at(-2) ?? '') : '';
  return ['bz2', 'gz', 'xz', 'zst'].includes(last) && inner !== '' ? `${inner}.${last}` : last;
}

/** Whether a file is of a format, which may be a compressed one. */
export function naiveIsFormat(file: FoundFile, wanted: string): boolean {
  const format = wanted.toLowerCase().replace(/^\./, '');
  return naiveFormat(file) === format || naiveFormat(file).startsWith(`${format}.`);
}

/** Letter case and the way of accents aside, but for the two letters beyond ASCII whose small form is within. */
function folded(text: string): string {
  const whole = text.split(/([\u0130\u212A])/).map((part) => (part === '\u212A' ? part : part.normalize('NFC')));
  return Array.from(whole.join(''), (sign) => (/[\u0130\u212A]/.test(sign) ? sign : smallSign(sign))).join('');
}

/** Whether a path pattern matches, by a regular expression. */
export function naiveIsAt(path: string, pattern: string): boolean {
  const wanted = folded(pattern).replace(/^\.?\/+/, '');
  const { name } = partsOf(folded(path));
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

function isTrue(file: FoundFile, term: NaiveTerm, tier: number): boolean {
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

/** The tier of a file in a search, 0 the best, 4 when no word brought it there; undefined when it is not found. */
export function naiveTier(file: FoundFile, alternatives: readonly (readonly NaiveTerm[])[]): number | undefined {
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
