import { isJsonObject } from '../util/json.ts';
import type { Reason } from './reason.ts';
import type { SearchQuery } from './searchQuery.ts';

const kinds = ['notSearchable', 'wantsQuery', 'wantsWords'] as const;

/**
 * Describes which searches a database refuses, as far as its refusals told (D38): all of them, those of plain words, or
 * those without a word.
 */
export interface Searchability {
  readonly kind: (typeof kinds)[number];
  /** The server's words when it was learned; plain text, never markup. */
  readonly detail?: string;
}

const longestDetail = 300;

const searchNotImplemented = /\bsearch(es|ing)?\b.*\bnot\b.*\b(implemented|supported)\b/i;

/** A gateway's refusal, or one of something other than the words. */
const isAboutSomethingElse = /^(\d{3}\W*)?bad request\W*$|\b(limit|offset|orcid)\b/i;

/**
 * Returns what a refused first page tells about a database; undefined for every failure that tells nothing beyond what is
 * `known` (D38).
 */
export function learnSearchability(
  query: SearchQuery,
  reason: Reason,
  known?: Searchability,
): Searchability | undefined {
  const kind = kindFor(query, reason);
  if (!kind || (kind === 'wantsWords' && known?.kind === 'wantsQuery')) return undefined;
  const detail = reason.detail?.slice(0, longestDetail);
  return { kind, ...(detail !== undefined && { detail }) };
}

function kindFor(query: SearchQuery, { status, detail = '' }: Reason): Searchability['kind'] | undefined {
  // It may be the filter that is not supported.
  if (query.status || query.specific) return undefined;
  if ((status === 500 || status === 501) && searchNotImplemented.test(detail)) return 'notSearchable';
  if (status !== 400 || detail === '' || isAboutSomethingElse.test(detail) || !isPlain(query)) return undefined;
  return query.query.trim() === '' ? 'wantsWords' : 'wantsQuery';
}

/** Returns true when a database is known to refuse such a search. */
export function isRefused(query: SearchQuery, { kind }: Searchability): boolean {
  if (kind === 'notSearchable') return true;
  return isPlain(query) && (kind === 'wantsQuery' || query.query.trim() === '');
}

/** A word as people write it: `16S`, `C-terminal`, `E.`; not an id, a path or an operator. */
const plainWord = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.,'’-]*$/u;

/** Returns true for plain words without a filter, with which no database can find fault. */
function isPlain({ query, ids, status, specific }: SearchQuery): boolean {
  const words = query.split(/\s+/).filter((word) => word !== '');
  return !ids && !status && !specific && words.every((word) => plainWord.test(word));
}

/** Reads a saved {@link Searchability}; undefined for anything else. */
export function readSearchability(value: unknown): Searchability | undefined {
  if (!isJsonObject(value)) return undefined;
  const kind = kinds.find((one) => one === value['kind']);
  if (!kind) return undefined;
  const { detail } = value;
  return { kind, ...(typeof detail === 'string' && { detail: detail.slice(0, longestDetail) }) };
}
