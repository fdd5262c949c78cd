import { isJsonObject } from '../util/json.ts';
import type { Reason } from './reason.ts';
import type { SearchQuery } from './searchModel.ts';

const kinds = ['notSearchable', 'wantsQuery', 'wantsWords'] as const;

/** The searches a database refuses: all, those for plain words, or only empty ones (D38: learned searchability). */
export interface Searchability {
  readonly kind: (typeof kinds)[number];
  /** The server's message, as plain text. */
  readonly detail?: string;
}

const maxDetailLength = 300;

const searchNotImplemented = /\bsearch(es|ing)?\b.*\bnot\b.*\b(implemented|supported)\b/i;

/** Matches refusals unrelated to the search terms: a bare "Bad Request", or one about paging or an ORCID iD. */
const unrelatedRefusal = /^(\d{3}\W*)?bad request\W*$|\b(limit|offset|orcid)\b/i;

/**
 * Returns a database's searchability, as revealed by its refusal of a search's first page (D38: learned searchability).
 * Returns undefined if the refusal reveals nothing, or only that a database known to refuse plain words also refuses
 * empty queries.
 */
export function learnSearchability(
  query: SearchQuery,
  reason: Reason,
  known?: Searchability,
): Searchability | undefined {
  const kind = toKind(query, reason);
  if (!kind || (kind === 'wantsWords' && known?.kind === 'wantsQuery')) return undefined;
  const detail = reason.detail?.slice(0, maxDetailLength);
  return { kind, ...(detail !== undefined && { detail }) };
}

function toKind(query: SearchQuery, { status, detail = '' }: Reason): Searchability['kind'] | undefined {
  // The filter may be the cause of the refusal.
  if (query.status || query.specific) return undefined;
  if ((status === 500 || status === 501) && searchNotImplemented.test(detail)) return 'notSearchable';
  if (status !== 400 || detail === '' || unrelatedRefusal.test(detail) || !isPlain(query)) return undefined;
  return query.query.trim() === '' ? 'wantsWords' : 'wantsQuery';
}

/** Returns true if a database is known to refuse the query. */
export function isRefused(query: SearchQuery, { kind }: Searchability): boolean {
  if (kind === 'notSearchable') return true;
  return isPlain(query) && (kind === 'wantsQuery' || query.query.trim() === '');
}

/** Matches a plain word such as `16S`, `C-terminal` or `E.`, but not a path, an operator or an ID such as `JDP:1`. */
const plainWord = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.,'’-]*$/u;

/**
 * Returns true if a query by words has no filters and is empty or consists of plain words, which are valid in any
 * search syntax.
 */
function isPlain({ query, ids, status, specific }: SearchQuery): boolean {
  const words = query.split(/\s+/).filter((word) => word !== '');
  return !ids && !status && !specific && words.every((word) => plainWord.test(word));
}

/** Parses a saved {@link Searchability}. Returns undefined if the value is not one. */
export function readSearchability(value: unknown): Searchability | undefined {
  if (!isJsonObject(value)) return undefined;
  const kind = kinds.find((one) => one === value['kind']);
  if (!kind) return undefined;
  const { detail } = value;
  return { kind, ...(typeof detail === 'string' && { detail: detail.slice(0, maxDetailLength) }) };
}
