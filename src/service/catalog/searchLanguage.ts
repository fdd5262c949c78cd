import { parseSize, tokenizeQuery, type QueryToken, type SizeOperator } from '../../core/util/searchSyntax.ts';
import { wordsOf } from './words.ts';

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

/**
 * Understands the query language of D21: words as prefixes, `"a phrase"`, `-word`, `format:csv`, `path:data/*.json`,
 * `bytes:>10MB`, `a | b`; empty is everything. Never throws: mistakes are found by `findQueryMistakes`.
 */
export function parseSearch(query: string): ParsedSearch {
  const groups = tokenizeQuery(query);
  if (groups.length === 0) return { alternatives: [[]] };
  const understood = groups.map((group) => group.flatMap(termOf));
  return { alternatives: understood.filter((terms) => terms.length > 0) };
}

function termOf(word: QueryToken): SearchTerm[] {
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

function wordsTermOf({ isNot, key, text, isQuoted }: QueryToken): SearchTerm[] {
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

/** How many conditions a query has; the service refuses absurd ones. */
export function termCount(search: ParsedSearch): number {
  return search.alternatives.reduce((sum, terms) => sum + terms.length, 0);
}
