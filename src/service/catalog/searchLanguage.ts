import type { SearchParameterDocument } from '../../contract/contract.ts';
import { trimFolder } from '../../core/util/leftOut.ts';
import { parseSize, tokenizeQuery, type QueryToken, type SizeOperator } from '../../core/util/searchSyntax.ts';
import { orders, sortKeys, type SearchSpecific } from '../wire/apiSchemas.ts';
import { getBaseName, getParentFolder } from './catalogFile.ts';
import { normalizeText } from './textMatching.ts';

/** One condition of a query; `isNot` negates it. */
export type SearchTerm =
  | { readonly kind: 'everything'; readonly isNot: boolean }
  /** `words` is normalized by {@link normalizeText}. If `isPrefix` is true, the last word is a prefix. */
  | {
      readonly kind: 'text';
      readonly words: string;
      /** The words before and after the last `/`, to match the end of a folder path and the start of a file name. */
      readonly splitAtSlash?: { readonly folder: string; readonly name: string };
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

/** A parsed query. A file matches if all terms of any one alternative match; without alternatives, nothing matches. */
export interface ParsedSearch {
  readonly alternatives: readonly (readonly SearchTerm[])[];
}

/** Parses a query (D21: search syntax). Never throws, because `findQueryMistakes` reports mistakes. */
export function parseSearch(query: string): ParsedSearch {
  const groups = tokenizeQuery(query);
  if (groups.length === 0) return { alternatives: [[]] };
  const parsed = groups.map((group) => group.flatMap(toTerms));
  return { alternatives: parsed.filter((terms) => terms.length > 0) };
}

function toTerms(word: QueryToken): SearchTerm[] {
  const { isNot, text } = word;
  if (word.key === '' && text === '*' && !word.isQuoted) return [{ kind: 'everything', isNot }];
  if (word.key === 'format' && text !== '') return [{ kind: 'format', format: normalizeFormat(text), isNot }];
  if (word.key === 'path' && text !== '') return [{ kind: 'path', pattern: text, isNot }];
  if (word.key === 'bytes') {
    const size = parseSize(text);
    if (size !== undefined) return [{ kind: 'bytes', ...size, isNot }];
  }
  return toTextTerms(word);
}

function toTextTerms({ isNot, key, text, isQuoted }: QueryToken): SearchTerm[] {
  const words = normalizeText(`${key} ${text}`);
  if (words === '') return [];
  const split = splitText(`${key} ${text}`);
  return [{ kind: 'text', words, ...(split && { splitAtSlash: split }), isPrefix: !isQuoted, isNot }];
}

function splitText(text: string): { readonly folder: string; readonly name: string } | undefined {
  const [folder, name] = [getParentFolder(text), getBaseName(text)].map(normalizeText);
  return folder && name ? { folder, name } : undefined;
}

function normalizeFormat(text: string): string {
  return text.toLowerCase().replace(/^\./, '');
}

/** Returns the number of terms in a search. The service limits this number. */
export function countTerms(search: ParsedSearch): number {
  return search.alternatives.reduce((sum, terms) => sum + terms.length, 0);
}

/** A property by which search results can be sorted. */
export type SortKey = (typeof sortKeys)[number];

/** The database-specific part of a search (§4.3 `specific`). */
export interface SpecificFilter {
  readonly format?: string | undefined;
  readonly path?: string | undefined;
  /** A folder, without slashes at its ends. */
  readonly folder?: string | undefined;
  readonly minBytes?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Milliseconds since 1970. */
  readonly modifiedAfterMs?: number | undefined;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

/** Returns true for a search that finds all files of the database, or of a folder in it. */
export function isForAllFiles({ alternatives }: ParsedSearch, filter: SpecificFilter): boolean {
  const { sort, isDescending, folder, ...conditions } = filter;
  const terms = alternatives.length === 1 ? alternatives[0] : undefined;
  const isEverything = terms?.every(({ kind, isNot }) => kind === 'everything' && !isNot) === true;
  return isEverything && Object.values(conditions).every((value) => value === undefined);
}

/** The response to a `search-parameters` request (D26: service HTTP behavior). */
export const searchParameters: Readonly<Record<string, SearchParameterDocument>> = {
  format: { type: 'string', value: '' },
  path: { type: 'string', value: '' },
  folder: { type: 'string', value: '' },
  minBytes: { type: 'number', value: null },
  maxBytes: { type: 'number', value: null },
  modifiedAfter: { type: 'string', value: '' },
  sort: { type: 'array(string)', value: [...sortKeys] },
  order: { type: 'array(string)', value: [...orders] },
};

/** Parses a validated `specific` object; null and empty strings count as absent. */
export function parseSpecific(specific: SearchSpecific): SpecificFilter {
  const { format, path, folder, minBytes, maxBytes, modifiedAfter, sort, order } = specific;
  return {
    format: format ? normalizeFormat(format) : undefined,
    path: path || undefined,
    folder: trimFolder(folder ?? '') || undefined,
    minBytes: minBytes ?? undefined,
    maxBytes: maxBytes ?? undefined,
    modifiedAfterMs: modifiedAfter ? Date.parse(modifiedAfter) : undefined,
    sort: sort || 'relevance',
    isDescending: order === 'desc',
  };
}
