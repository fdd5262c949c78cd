import { wordsOf } from './words.ts';

/** How a size is compared. */
type SizeOperator = '<' | '<=' | '=' | '>=' | '>';

/** One condition of a query; `isNot` turns it round. */
export type SearchTerm =
  | { readonly kind: 'everything'; readonly isNot: boolean }
  /** `words` is normalised by {@link wordsOf}; the last of them may go on when `isPrefix`. */
  | {
      readonly kind: 'text';
      readonly words: string;
      /** Where a `/` parts the text: the words before and after the last one, which may be a folder's end and a name. */
      readonly parted?: { readonly folder: string; readonly name: string };
      readonly isPrefix: boolean;
      readonly isNot: boolean;
    }
  | { readonly kind: 'format'; readonly format: string; readonly isNot: boolean }
  | { readonly kind: 'path'; readonly pattern: string; readonly isNot: boolean }
  | {
      readonly kind: 'bytes';
      readonly operator: SizeOperator;
      readonly sizeBytes: number;
      readonly isNot: boolean;
    };

/** A query understood: a file is found when all terms of one alternative hold. No alternative finds nothing. */
export interface ParsedSearch {
  readonly alternatives: readonly (readonly SearchTerm[])[];
}

interface RawWord {
  readonly isNot: boolean;
  /** `format`, `path`, `bytes`, or empty. */
  readonly key: string;
  readonly text: string;
  readonly isQuoted: boolean;
}

const wordPattern = /\||(-?)(?:(format|path|bytes):)?(?:"([^"]*)(?:"|$)|([^\s|"]+)|(?=[\s|]|$))/giu;
const sizePattern = /^(<=|>=|<|>|=)?(\d+(?:\.\d+)?)([kmgt]?)(i?)b?$/i;
const powers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

/**
 * Understands the query language of D21: words as prefixes, `"a phrase"`, `-word`, `format:csv`, `path:data/*.json`,
 * `bytes:>10MB`, `a | b`; empty is everything. Never throws: what is no condition is words.
 */
export function parseSearch(query: string): ParsedSearch {
  const groups: RawWord[][] = [[]];
  for (const match of query.matchAll(wordPattern)) {
    if (match[0] === '|') groups.push([]);
    else if (match[0] !== '') groups.at(-1)?.push(rawWordOf(match));
  }
  const asked = groups.filter((group) => group.length > 0);
  if (asked.length === 0) return { alternatives: [[]] };
  const understood = asked.map((group) => group.flatMap(termOf));
  return { alternatives: understood.filter((terms) => terms.length > 0) };
}

function rawWordOf(match: RegExpExecArray): RawWord {
  return {
    isNot: match[1] === '-',
    key: match[2]?.toLowerCase() ?? '',
    text: match[3] ?? match[4] ?? '',
    isQuoted: match[3] !== undefined,
  };
}

function termOf(word: RawWord): SearchTerm[] {
  const { isNot, text } = word;
  if (word.key === '' && text === '*' && !word.isQuoted) return [{ kind: 'everything', isNot }];
  if (word.key === 'format' && text !== '') return [{ kind: 'format', format: formatText(text), isNot }];
  if (word.key === 'path' && text !== '') return [{ kind: 'path', pattern: text, isNot }];
  if (word.key === 'bytes') {
    const size = parseSize(text);
    if (size !== undefined) return [{ kind: 'bytes', ...size, isNot }];
  }
  return wordsTermOf(word);
}

function wordsTermOf({ isNot, key, text, isQuoted }: RawWord): SearchTerm[] {
  const words = wordsOf(`${key} ${text}`);
  if (words === '') return [];
  const parted = partedText(`${key} ${text}`);
  return [{ kind: 'text', words, ...(parted && { parted }), isPrefix: !isQuoted, isNot }];
}

function partedText(text: string): { readonly folder: string; readonly name: string } | undefined {
  const place = text.lastIndexOf('/');
  const parted = { folder: wordsOf(text.slice(0, Math.max(0, place))), name: wordsOf(text.slice(place + 1)) };
  return parted.folder === '' || parted.name === '' ? undefined : parted;
}

function formatText(text: string): string {
  return text.toLowerCase().replace(/^\./, '');
}

function parseSize(text: string): { operator: SizeOperator; sizeBytes: number } | undefined {
  const match = sizePattern.exec(text);
  if (match === null) return undefined;
  const base = match[4] === '' ? 1_000 : 1_024;
  const sizeBytes = Number(match[2]) * base ** (powers[match[3]?.toLowerCase() ?? ''] ?? 0);
  return { operator: operatorOf(match[1]), sizeBytes };
}

function operatorOf(text: string | undefined): SizeOperator {
  return text === '<' || text === '<=' || text === '>=' || text === '>' ? text : '=';
}

/** How many conditions a query has; the service refuses absurd ones. */
export function termCount(search: ParsedSearch): number {
  return search.alternatives.reduce((sum, terms) => sum + terms.length, 0);
}
