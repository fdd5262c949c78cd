import type { MetadataRequest, SearchRequest } from '../../contract/search.ts';
import type { TransferRequest } from '../../contract/transfer.ts';
import {
  toSentNumber,
  toSentObject,
  toSentStatus,
  toSentText,
  type SearchOptions,
  type TransferOptions,
} from './arguments.ts';
import type { HttpRequest } from './exchange.ts';

/** Builds a request with a JSON body. Omits undefined fields. */
export function buildPostRequest(path: string, body: SearchRequest | MetadataRequest | TransferRequest): HttpRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}

/**
 * Builds a search request from checked arguments and the database's name or ID (§4.3, D7: database name or id). Omits
 * the cursor unless the service has cursors (D9: paging).
 */
export function buildSearchRequest(given: SearchOptions, database: string, hasCursors: boolean): HttpRequest {
  return buildPostRequest('files', {
    database,
    orcid: given.orcid,
    query: String(given.query),
    status: toSentStatus(given.status),
    offset: toSentNumber(given.offset),
    limit: toSentNumber(given.limit),
    cursor: hasCursors ? toSentText(given.cursor) : undefined,
    specific: toSentObject(given.specific),
  });
}

/** Builds a submission from checked arguments and the names or IDs of the databases (§4.5, D7: database name or id). */
export function buildTransferRequest(given: TransferOptions, source: string, destination: string): HttpRequest {
  return buildPostRequest('transfers', {
    orcid: given.orcid,
    source,
    destination,
    file_ids: [...given.fileIds],
    description: toSentText(given.description),
    instructions: toSentObject(given.instructions),
  });
}

/** Formats a query string with a leading `?`. Omits undefined values. Returns an empty string if no values remain. */
export function formatQuery(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodePart(String(value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Percent-encodes a string for use in a path or a query. Never throws, because lone surrogates are replaced. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
