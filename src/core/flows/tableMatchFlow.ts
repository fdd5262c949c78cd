import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { UnsafeIds } from '../store/unsafeIds.ts';
import { MatchIndex } from '../tables/matchIndex.ts';
import type { MatchKey } from '../tables/tableColumns.ts';
import { mapConcurrently } from '../util/mapConcurrently.ts';
import { lookUpIds } from './idLookup.ts';
import type { OpenConnection } from './openConnections.ts';
import { catchRefusal } from './refusals.ts';

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

/** Reports the progress of a match: values that were looked up, or files that were compared. */
export interface MatchProgress {
  readonly unit: 'values' | 'files';
  readonly done: number;
  /** Absent if the number of files is unknown. */
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

/** Number of IDs to look up between two reports of progress. */
const idBatchSize = 2_000;

/** Number of files per page when all files of a database are compared. */
const pageSize = 5_000;

/** Number of results of a search for one value. */
const searchSize = 100;

/** Maximum number of concurrent searches, to limit the load on the service. */
const maxParallelSearches = 4;

/**
 * Finds the files that match the values of a table's column. IDs are requested by ID (D8: metadata by ids). For names
 * and hashes, compares all files of a service that pages exactly; other services are searched once for each value.
 */
export class TableMatchFlow {
  private readonly dependencies: TableMatchDependencies;

  constructor(dependencies: TableMatchDependencies) {
    this.dependencies = dependencies;
  }

  /** Resolves to the matches. Values that could not be looked up have a reason. Rejects only if `signal` is aborted. */
  async match(session: OpenConnection, request: MatchRequest, options: MatchOptions): Promise<MatchIndex> {
    const index = new MatchIndex(request.key, request.values);
    const orcid = this.dependencies.getOrcid(session.connection.id);
    const matching = { ...options, session, database: request.database, orcid, index };
    if (request.key === 'id') await this.matchIds(matching);
    else if (session.service.pagesExactly) await compareAllFiles(matching);
    else await searchEachValue(matching);
    options.signal.throwIfAborted();
    return index;
  }

  private async matchIds(matching: Matching): Promise<void> {
    const { session, database, orcid, index, signal, onProgress } = matching;
    const { values } = index;
    for (let done = 0; done < values.length; done += idBatchSize) {
      onProgress({ unit: 'values', done, total: values.length });
      const ids = values.slice(done, done + idBatchSize);
      const reply = await lookUpIds(session, this.dependencies.unsafeIds, { database, orcid, ids }, signal);
      signal.throwIfAborted();
      addFiles(index, reply.files);
      // A service that does not know an ID has looked it up.
      for (const { id, reason } of reply.refused) if (reason.kind !== 'notFound') setReason(index, [id], reason);
      if (!reply.failure) continue;
      setReason(index, values.slice(done), reply.failure);
      return;
    }
  }
}

async function compareAllFiles({ session, database, orcid, index, signal, onProgress }: Matching): Promise<void> {
  for (let offset = 0, count = pageSize; count === pageSize; offset += count) {
    onProgress({ unit: 'files', done: offset });
    const request = { database, orcid, query: '', offset, limit: pageSize };
    const { value, reason } = await catchRefusal(() => session.client.search(request, signal));
    signal.throwIfAborted();
    if (reason) setReason(index, index.values, reason);
    addFiles(index, value ?? []);
    count = value?.length ?? 0;
  }
}

async function searchEachValue({ session, database, orcid, index, signal, onProgress }: Matching): Promise<void> {
  const { values } = index;
  let done = 0;
  await mapConcurrently(values, maxParallelSearches, async (query) => {
    const request = { database, orcid, query, limit: searchSize };
    const { value = [], reason } = await catchRefusal(() => session.client.search(request, signal));
    signal.throwIfAborted();
    index.addTo(
      query,
      value.filter((file) => file.kind === 'file'),
    );
    if (reason) setReason(index, [query], reason);
    else if (value.length >= searchSize) setReason(index, [query], { kind: 'tooLarge' });
    done += 1;
    onProgress({ unit: 'values', done, total: values.length });
  });
}

function addFiles(index: MatchIndex, files: readonly FoundFile[]): void {
  for (const file of files) if (file.kind === 'file') index.add(file);
}

/** Stores why values could not be looked up. */
function setReason(index: MatchIndex, values: readonly string[], reason: Reason): void {
  for (const value of values) index.setReason(value, reason);
}
