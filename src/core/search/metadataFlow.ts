import type { MetadataOptions } from '../client/request.ts';
import type { RefusedId } from '../client/reply.ts';
import { catchRefusal, type OpenConnection, type OpenConnections } from '../connections/openConnections.ts';
import type { StoreListing } from '../model/databaseModel.ts';
import type { FileReference, FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { TransferOrder } from '../model/transferModel.ts';

interface FetchedFiles {
  readonly files: readonly FoundFile[];
  /** The state of the listing of a store. */
  readonly listing?: StoreListing;
  readonly reason?: Reason;
}

interface MetadataFlowDependencies {
  readonly sessions: OpenConnections;
  readonly unsafeIds: UnsafeIds;
  getOrcid(connectionId: string): string;
}

type SourceFiles = Pick<TransferOrder, 'connectionId' | 'source' | 'files'>;

/** Fetches the metadata of files by ID (§4.4, D8: metadata by ids). */
export class MetadataFlow {
  private readonly dependencies: MetadataFlowDependencies;

  constructor(dependencies: MetadataFlowDependencies) {
    this.dependencies = dependencies;
  }

  async fetchFile(
    { connectionId, database, id }: FileReference,
    signal?: AbortSignal,
  ): Promise<{ readonly file?: FoundFile; readonly reason?: Reason }> {
    const { files, reason } = await this.fetchFiles(connectionId, database, [id], signal);
    const [file] = files;
    return { ...(file && { file }), ...(reason && { reason }) };
  }

  /**
   * Fetches the metadata of files in the order of `ids`, which must not be empty; unreadable files come last. Does not
   * reject if the service fails. `reason` explains why the lookup failed or, if it succeeded, why the first ID was
   * refused. IDs that weren't found are considered only if no ID was refused for another reason.
   */
  async fetchFiles(
    connectionId: string,
    database: string,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<FetchedFiles> {
    const { files, refused, failure, listing } = await this.lookUp(connectionId, database, ids, signal);
    const reasons = refused.map((one) => one.reason);
    const reason = failure ?? reasons.find(({ kind }) => kind !== 'notFound') ?? reasons[0];
    return { files, ...(listing && { listing }), ...(reason && { reason }) };
  }

  /** Returns the IDs in a transfer that are known to make the server drop the connection (D37: crashing file ids). */
  findUnsafeIds({ connectionId, source, files }: SourceFiles): readonly string[] {
    const ids = files.map(({ id }) => id);
    return this.dependencies.unsafeIds.filterUnsafe(connectionId, source, ids);
  }

  /** Looks up the IDs of a transfer to resubmit. Resolves to those that it could not check (D37: crashing file ids). */
  async findUncheckedIds(
    { connectionId, source, files }: SourceFiles,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const ids = [...new Set(files.map(({ id }) => id))];
    const { refused, failure } = await this.lookUp(connectionId, source, ids, signal);
    if (failure) return ids;
    return refused.filter(({ reason }) => reason.kind === 'dropped' && !reason.isIdAtFault).map(({ id }) => id);
  }

  private async lookUp(
    connectionId: string,
    database: string,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<IdLookupResult> {
    const { sessions, unsafeIds, getOrcid } = this.dependencies;
    const session = sessions.get(connectionId);
    if (!session) return { files: [], refused: [], failure: { kind: 'notConnected' } };
    return await lookUpIds(
      session,
      unsafeIds,
      { database, orcid: getOrcid(connectionId), ids: [...new Set(ids)] },
      signal,
    );
  }
}

interface IdLookupResult {
  readonly files: readonly FoundFile[];
  readonly refused: readonly RefusedId[];
  /** The state of the listing of a store. */
  readonly listing?: StoreListing;
  readonly failure?: Reason;
}

/**
 * Looks up files by ID. Unless the entire lookup fails, updates the list of IDs that make the server drop the
 * connection (D37: crashing file ids). The requested IDs must not contain duplicates.
 */
export async function lookUpIds(
  session: OpenConnection,
  unsafeIds: UnsafeIds,
  request: Pick<MetadataOptions, 'database' | 'orcid' | 'ids'>,
  signal?: AbortSignal,
): Promise<IdLookupResult> {
  const { database, ids } = request;
  const reply = await catchRefusal(session.client.fetchMetadata(request, signal));
  const refused = 'refusedIds' in reply ? (reply.refusedIds ?? []) : [];
  const files = reply.value ?? [];
  const listing = 'listing' in reply ? reply.listing : undefined;
  // If every ID was refused, the reply also contains a reason, although the lookup as a whole didn't fail (D8: metadata
  // by ids).
  if (reply.reason && refused.length < ids.length) return { files, refused: [], failure: reply.reason };
  const dropped = refused.filter(({ reason }) => reason.kind === 'dropped');
  const unanswered = new Set(dropped.map(({ id }) => id));
  const unsafe = dropped.filter(({ reason }) => reason.isIdAtFault).map(({ id }) => id);
  const answered = ids.filter((id) => !unanswered.has(id));
  unsafeIds.update(session.connection.id, database, unsafe, answered);
  return { files, refused, ...(listing && { listing }) };
}

/** Stores the IDs that made the server drop a metadata request without a response (D37: crashing file ids). */
export class UnsafeIds {
  private readonly databases = new Map<string, Set<string>>();

  /** Adds the `unsafe` IDs, which made the server drop the connection. Removes the `answered` IDs. */
  update(connectionId: string, database: string, unsafe: readonly string[], answered: readonly string[]): void {
    const key = toKey(connectionId, database);
    const ids = this.databases.get(key) ?? new Set();
    for (const id of answered) ids.delete(id);
    for (const id of unsafe) ids.add(id);
    if (ids.size > 0) this.databases.set(key, ids);
    else this.databases.delete(key);
  }

  /** Returns the given IDs that made the server drop the connection when they were requested from this database. */
  filterUnsafe(connectionId: string, database: string, ids: readonly string[]): readonly string[] {
    const unsafe = this.databases.get(toKey(connectionId, database));
    return unsafe ? ids.filter((id) => unsafe.has(id)) : [];
  }
}

function toKey(connectionId: string, database: string): string {
  return JSON.stringify([connectionId, database]);
}
