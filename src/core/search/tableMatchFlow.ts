import type { SearchReply } from '../client/reply.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import { lookUpIds, type UnsafeIds } from './metadataFlow.ts';
import { getNameInPath, MatchIndex, maxValueLength, type MatchGap } from '../tables/matchIndex.ts';
import type { MatchKey } from '../tables/tableColumns.ts';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { catchRefusal, type OpenConnection } from '../connections/openConnections.ts';

/** The number of files per page when comparing all files of a database. */
const pageSize = 5_000;

/** The maximum number of individual files to skip because their metadata exceeds the size limit of a response. */
const maxSkippedFiles = 100;

/** A position in the list of files: `offset` files after the cursor, or after the start (D9: paging). */
interface ListPosition {
  readonly offset: number;
  readonly cursor?: string | undefined;
}

interface ComparisonOptions {
  /** Requests a page of the list of all files in the database. */
  requestPage(position: ListPosition, limit: number): Promise<Partial<SearchReply>>;
  /** Called with the number of files compared or skipped so far. */
  onProgress(done: number): void;
}

/**
 * Compares all files in a database with the values in an index. Requires a service that fills every page except the
 * last. Halves the page size if a response is too large, skips individual files that are too large, and stops at any
 * other failure. Records skipped files in the index.
 */
export async function compareAllFiles(
  index: MatchIndex,
  { requestPage, onProgress }: ComparisonOptions,
): Promise<void> {
  let position: ListPosition = { offset: 0 };
  for (let done = 0, limit = pageSize; ;) {
    onProgress(done);
    const { value = [], cursor, reason, listing } = await requestPage(position, limit);
    index.listing = listing ?? index.listing;
    if (reason?.kind === 'tooLarge' && limit > 1) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    addFiles(index, value);
    if (reason ? !skipFile(index, done, reason) : value.length < limit) return;
    const count = reason ? 1 : limit;
    done += count;
    position = advance(position, count, cursor);
    limit = Math.min(pageSize, 2 * limit);
  }
}

function advance(position: ListPosition, count: number, cursor: string | undefined): ListPosition {
  return cursor === undefined ? { ...position, offset: position.offset + count } : { offset: 0, cursor };
}

/**
 * Skips one file if it is too large, up to {@link maxSkippedFiles} times; otherwise, skips all remaining files. Returns
 * true if the comparison can continue.
 */
function skipFile(index: MatchIndex, start: number, reason: Reason): boolean {
  const isOne = reason.kind === 'tooLarge' && index.skippedFiles.length < maxSkippedFiles;
  index.addSkipped({ start, reason, ...(isOne && { count: 1 }) });
  return isOne;
}

/** Adds files to an index. Ignores resources that could not be parsed. */
function addFiles(index: MatchIndex, files: readonly FoundFile[]): void {
  for (const file of files) if (file.kind === 'file') index.add(file);
}

interface TableMatchDependencies {
  readonly unsafeIds: UnsafeIds;
  getOrcid(connectionId: string): string;
}

/** The values to find in a database. */
interface MatchRequest {
  readonly database: string;
  readonly key: MatchKey;
  readonly values: Iterable<string>;
}

/** The progress of matching: the number of values that were looked up, or of files that were compared. */
export interface MatchProgress {
  readonly unit: 'values' | 'files';
  readonly done: number;
  /** Total number of values or files; absent if the number of files is unknown. */
  readonly total?: number;
}

interface MatchOptions {
  readonly signal: AbortSignal;
  onProgress(progress: MatchProgress): void;
}

interface Matching extends MatchOptions {
  readonly session: OpenConnection;
  readonly database: string;
  readonly orcid: string;
  readonly index: MatchIndex;
}

/** Number of IDs to look up between two progress reports. */
const idBatchSize = 2_000;

/** The maximum number of results in a search for one value. */
const searchSize = 100;

/** Maximum number of concurrent searches, to limit the load on the service. */
const maxParallelSearches = 4;

/**
 * Finds the files that match the values in a column of a table. Looks up IDs directly (D8: metadata by ids). For names
 * and hashes, compares all files if the service fills every page; otherwise, searches for each value.
 */
export class TableMatchFlow {
  private readonly dependencies: TableMatchDependencies;

  constructor(dependencies: TableMatchDependencies) {
    this.dependencies = dependencies;
  }

  /**
   * Resolves to an index that contains the matches, and the values and files that were not fully compared. Rejects only
   * if `signal` is aborted.
   */
  async match(session: OpenConnection, request: MatchRequest, options: MatchOptions): Promise<MatchIndex> {
    const index = new MatchIndex(request.key, request.values);
    const orcid = this.dependencies.getOrcid(session.connection.id);
    const matching = { ...options, session, database: request.database, orcid, index };
    if (request.key === 'id') await this.matchIds(matching);
    else if (session.service.hasFullPages) await compareFiles(matching);
    else await searchEachValue(matching);
    options.signal.throwIfAborted();
    return index;
  }

  private async matchIds(matching: Matching): Promise<void> {
    const { session, index, onProgress } = matching;
    const values = listRequestableValues(index);
    let failure: Reason | undefined;
    let done = 0;
    await mapConcurrently(toBatches(values), countParallelLookups(session), async (batch) => {
      onProgress({ unit: 'values', done, total: values.length });
      const reason = failure ?? (await this.matchBatch(matching, batch));
      if (reason) setGap(index, batch, { kind: 'failed', reason });
      failure ??= reason;
      done += batch.length;
    });
  }

  /** Looks up IDs. Halves the batch if the response is too large. Resolves to the reason to stop, if any. */
  private async matchBatch(matching: Matching, ids: readonly string[]): Promise<Reason | undefined> {
    const { session, database, orcid, index, signal } = matching;
    const reply = await lookUpIds(session, this.dependencies.unsafeIds, { database, orcid, ids }, signal);
    signal.throwIfAborted();
    addFiles(index, reply.files);
    index.listing = reply.listing ?? index.listing;
    // An unknown ID leaves no gap, because the service did look it up.
    for (const { id, reason } of reply.refused)
      if (reason.kind !== 'notFound') setGap(index, [id], { kind: 'failed', reason });
    return reply.failure && (await this.settleFailure(matching, ids, reply.failure));
  }

  private async settleFailure(matching: Matching, ids: readonly string[], reason: Reason): Promise<Reason | undefined> {
    if (reason.kind !== 'tooLarge') return reason;
    if (ids.length === 1) {
      setGap(matching.index, ids, { kind: 'failed', reason });
      return undefined;
    }
    const middle = Math.ceil(ids.length / 2);
    const failure = await this.matchBatch(matching, ids.slice(0, middle));
    return failure ?? (await this.matchBatch(matching, ids.slice(middle)));
  }
}

function toBatches(values: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(values.length / idBatchSize);
  return Array.from({ length: count }, (_, index) => values.slice(index * idBatchSize, (index + 1) * idBatchSize));
}

/**
 * Returns the number of lookups to run in parallel. A service that fills every page can prepare a response while the
 * client reads the previous one. With other services, parallel requests would hide which ID makes the server drop all
 * connections (D37: crashing file ids).
 */
function countParallelLookups({ service }: OpenConnection): number {
  return service.hasFullPages ? 2 : 1;
}

/** Returns the values that are short enough to request: a single long value would make the entire request fail. */
function listRequestableValues({ values }: MatchIndex): readonly string[] {
  return values.filter(({ length }) => length <= maxValueLength);
}

async function compareFiles({ session, database, orcid, index, signal, onProgress }: Matching): Promise<void> {
  await compareAllFiles(index, {
    onProgress: (done) => onProgress({ unit: 'files', done }),
    requestPage: async (position, limit) => {
      const request = { database, orcid, query: '', ...position, limit };
      const page = await catchRefusal(session.client.search(request, signal));
      signal.throwIfAborted();
      return page;
    },
  });
}

async function searchEachValue(matching: Matching): Promise<void> {
  const { index, onProgress } = matching;
  const values = listRequestableValues(index);
  let done = 0;
  await mapConcurrently(values, maxParallelSearches, async (value) => {
    const gap = await searchValue(matching, value);
    if (gap) setGap(index, [value], gap);
    done += 1;
    onProgress({ unit: 'values', done, total: values.length });
  });
}

/**
 * Searches for a value and then, if it is a path that no file has, for the name of its file. Resolves to a gap if some
 * files may not have been compared.
 */
async function searchValue(matching: Matching, value: string): Promise<MatchGap | undefined> {
  const { index } = matching;
  const gap = await search(matching, { value, query: value, limit: searchSize });
  const name = index.key === 'name' ? getNameInPath(value) : value;
  if (gap || name === value || value.includes(';') || index.get(value)?.count !== 0) return gap;
  return await search(matching, { value, query: name, limit: searchSize });
}

interface ValueSearch {
  readonly value: string;
  readonly query: string;
  readonly limit: number;
}

/** Searches for the files that match a value. Halves `limit` if the response is too large. */
async function search(matching: Matching, { value, query, limit }: ValueSearch): Promise<MatchGap | undefined> {
  const { session, database, orcid, index, signal } = matching;
  const request = { database, orcid, query, limit };
  const { value: found = [], reason } = await catchRefusal(session.client.search(request, signal));
  signal.throwIfAborted();
  if (reason?.kind === 'tooLarge' && limit > 1)
    return await search(matching, { value, query, limit: Math.ceil(limit / 2) });
  index.addTo(
    value,
    found.filter((file) => file.kind === 'file'),
  );
  if (reason) return { kind: 'failed', reason };
  return found.length >= limit ? { kind: 'truncated', comparedCount: found.length } : undefined;
}

function setGap(index: MatchIndex, values: readonly string[], gap: MatchGap): void {
  for (const value of values) index.setGap(value, gap);
}
