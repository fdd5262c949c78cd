import type { RefusedId } from '../client/reply.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { MissingId, Search } from '../store/searchStore.ts';
import type { UnsafeIds } from '../store/unsafeIds.ts';
import { asked } from './asked.ts';
import { lookUpIds } from './idLookup.ts';
import type { Session } from './sessions.ts';

/** The next part of a search, or the reason why it did not come. */
export interface SearchPage {
  readonly files: readonly FoundFile[];
  readonly missing: readonly MissingId[];
  readonly nextOffset: number;
  /** Whether there is more; `ifNew` where only a page without a new file tells that it was the last (D9). */
  readonly more: boolean | 'ifNew';
  readonly reason?: Reason;
}

/** Files that are asked for by id come in parts of this size, so that they are seen as they come. */
const idsAtOnce = 500;

/** The source of a search's pages. */
interface PageSource {
  readonly session: Session;
  readonly unsafeIds: UnsafeIds;
  /** The searching person (§4.3). */
  readonly orcid: string;
}

/** Asks for the next part of a search, of words or of ids. */
export async function askPage(source: PageSource, search: Search, signal: AbortSignal): Promise<SearchPage> {
  return search.query.ids
    ? await askIds(source, search, search.query.ids, signal)
    : await askWords(source, search, signal);
}

async function askWords({ session, orcid }: PageSource, search: Search, signal: AbortSignal): Promise<SearchPage> {
  const { database, query, status, pageSize, specific } = search.query;
  const filters = { ...(status && { status }), ...(specific && { specific }) };
  const request = { database, orcid, query, offset: search.nextOffset, limit: pageSize, ...filters };
  const { value, reason } = await asked(() => session.client.search(request, signal));
  if (!value || reason) return failed(search, reason);
  const isLast = session.service.pagesExactly === true && value.length < pageSize;
  return { files: value, missing: [], nextOffset: search.nextOffset + pageSize, more: isLast ? false : 'ifNew' };
}

async function askIds(
  { session, orcid, unsafeIds }: PageSource,
  search: Search,
  all: readonly string[],
  signal: AbortSignal,
): Promise<SearchPage> {
  const ids = all.slice(search.nextOffset, search.nextOffset + idsAtOnce);
  const request = { database: search.query.database, orcid, ids };
  const { files, refused, failure } = await lookUpIds(session, unsafeIds, request, signal);
  if (failure) return { ...failed(search, failure), files };
  const nextOffset = search.nextOffset + ids.length;
  return { files, missing: missingOf(ids, files, refused), nextOffset, more: nextOffset < all.length };
}

function missingOf(
  ids: readonly string[],
  files: readonly FoundFile[],
  refused: readonly RefusedId[],
): readonly MissingId[] {
  const found = new Set(files.flatMap((file) => (file.kind === 'file' ? [file.id] : [])));
  const reasons = new Map(refused.map(({ id, reason }) => [id, reason]));
  return ids
    .filter((id) => !found.has(id))
    .map((id) => {
      const reason = reasons.get(id);
      return { id, ...(reason && { reason }) };
    });
}

function failed(search: Search, reason: Reason | undefined): SearchPage {
  const { nextOffset, mayHaveMore } = search;
  return { files: [], missing: [], nextOffset, more: mayHaveMore, ...(reason && { reason }) };
}
