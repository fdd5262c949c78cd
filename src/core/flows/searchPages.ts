import type { RefusedId } from '../client/reply.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { MissingId } from '../model/idList.ts';
import type { Reason } from '../model/reason.ts';
import type { Search } from '../store/searchStore.ts';
import type { UnsafeIds } from '../store/unsafeIds.ts';
import { catchRefusal } from './refusals.ts';
import { lookUpIds } from './idLookup.ts';
import type { OpenConnection } from './openConnections.ts';

/** A page of search results, and the reason if the request failed. */
export interface SearchPage {
  readonly files: readonly FoundFile[];
  readonly missing: readonly MissingId[];
  readonly nextOffset: number;
  /** The position after this page, if the service reported it (D9: paging). */
  readonly cursor?: string;
  /** True if there are more pages; `ifNew` if that depends on whether this page contains new files (D9: paging). */
  readonly more: boolean | 'ifNew';
  readonly reason?: Reason;
}

/** Number of IDs to look up per page. Small enough to show the first files while the others are loading. */
const idBatchSize = 500;

interface PageSource {
  readonly session: OpenConnection;
  readonly unsafeIds: UnsafeIds;
  readonly orcid: string;
}

/** Requests the next page of results for a search by words or IDs. */
export async function requestPage(source: PageSource, search: Search, signal: AbortSignal): Promise<SearchPage> {
  return search.query.ids
    ? await requestIdsPage(source, search, search.query.ids, signal)
    : await requestWordsPage(source, search, signal);
}

async function requestWordsPage(source: PageSource, search: Search, signal: AbortSignal): Promise<SearchPage> {
  const { session, orcid } = source;
  const { database, query, status, pageSize, specific } = search.query;
  const filters = { ...(status && { status }), ...(specific && { specific }) };
  // The connection may have been changed to a service that has no cursors.
  const hasCursor = session.service.hasFullPages === true && search.cursor !== undefined;
  const position = hasCursor ? { cursor: search.cursor } : { offset: search.nextOffset };
  const request = { database, orcid, query, ...position, limit: pageSize, ...filters };
  const reply = await catchRefusal(() => session.client.search(request, signal));
  if (!reply.value || reply.reason) return toFailedPage(search, reply.reason);
  const { value, cursor } = reply;
  const isLast = session.service.hasFullPages === true && value.length < pageSize;
  const next = { nextOffset: search.nextOffset + pageSize, ...(cursor !== undefined && { cursor }) };
  return { files: value, missing: [], ...next, more: isLast ? false : 'ifNew' };
}

async function requestIdsPage(
  { session, orcid, unsafeIds }: PageSource,
  search: Search,
  all: readonly string[],
  signal: AbortSignal,
): Promise<SearchPage> {
  const ids = all.slice(search.nextOffset, search.nextOffset + idBatchSize);
  const request = { database: search.query.database, orcid, ids };
  const { files, refused, failure } = await lookUpIds(session, unsafeIds, request, signal);
  if (failure) return { ...toFailedPage(search, failure), files };
  const nextOffset = search.nextOffset + ids.length;
  return { files, missing: findMissing(ids, files, refused), nextOffset, more: nextOffset < all.length };
}

function findMissing(
  ids: readonly string[],
  files: readonly FoundFile[],
  refused: readonly RefusedId[],
): readonly MissingId[] {
  const found = new Set(files.flatMap((file) => (file.kind === 'file' ? [file.id] : [])));
  const reasons = new Map(refused.map(({ id, reason }) => [id, { reason }]));
  return ids.filter((id) => !found.has(id)).map((id) => ({ id, ...reasons.get(id) }));
}

function toFailedPage(search: Search, reason: Reason | undefined): SearchPage {
  const { nextOffset, mayHaveMore } = search;
  return { files: [], missing: [], nextOffset, more: mayHaveMore, ...(reason && { reason }) };
}
