import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { TransferOrder } from '../model/transfer.ts';
import type { UnsafeIds } from '../store/unsafeIds.ts';
import { lookUpIds } from './idLookup.ts';
import type { Sessions } from './sessions.ts';

/** What came of asking for files by id: those that came, and why not all did. */
export interface FetchedFiles {
  readonly files: readonly FoundFile[];
  readonly reason?: Reason;
}

/** Names one file of a database of a connection. */
interface FileName {
  readonly connectionId: string;
  readonly database: string;
  readonly id: string;
}

/** What a {@link MetadataFlow} needs. */
export interface MetadataParts {
  readonly sessions: Sessions;
  readonly unsafeIds: UnsafeIds;
  /** The asking person (§4.4). */
  orcid(): string;
}

/** Names the files of a transfer in its source. */
type SourceFiles = Pick<TransferOrder, 'connectionId' | 'source' | 'files'>;

/** Asks for the metadata of files by their ids (§4.4, D8). */
export class MetadataFlow {
  private readonly parts: MetadataParts;

  constructor(parts: MetadataParts) {
    this.parts = parts;
  }

  /** The metadata of one file, or why there is none. */
  async fetchFile(
    { connectionId, database, id }: FileName,
    signal?: AbortSignal,
  ): Promise<{ readonly file?: FoundFile; readonly reason?: Reason }> {
    const { files, reason } = await this.fetchFiles(connectionId, database, [id], signal);
    const [file] = files;
    return { ...(file && { file }), ...(reason && { reason }) };
  }

  /** Resolves in the order asked; never rejects for what the service does. `ids` must not be empty. */
  async fetchFiles(
    connectionId: string,
    database: string,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<FetchedFiles> {
    const session = this.parts.sessions.get(connectionId);
    if (!session) return { files: [], reason: { kind: 'notConnected' } };
    const { unsafeIds } = this.parts;
    const request = { database, orcid: this.parts.orcid(), ids: [...new Set(ids)] };
    const { files, refused, failure } = await lookUpIds(session, unsafeIds, request, signal);
    const reason = failure ?? refused[0]?.reason;
    return { files, ...(reason && { reason }) };
  }

  /** Returns those of a transfer's ids that are known to end the connection: sending one may stop the server (D37). */
  unsafeIdsIn({ connectionId, source, files }: SourceFiles): readonly string[] {
    const ids = files.map(({ id }) => id);
    return this.parts.unsafeIds.among(connectionId, source, ids);
  }

  /** Looks up a transfer's ids before they are submitted again; returns those that could not be looked up (D37). */
  async findUncheckedIds(
    { connectionId, source, files }: SourceFiles,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const ids = [...new Set(files.map(({ id }) => id))];
    const session = this.parts.sessions.get(connectionId);
    if (!session || ids.length === 0) return ids;
    const request = { database: source, orcid: this.parts.orcid(), ids };
    const { refused, failure } = await lookUpIds(session, this.parts.unsafeIds, request, signal);
    if (failure) return ids;
    return refused.filter(({ reason }) => reason.kind === 'dropped' && !reason.isIdAtFault).map(({ id }) => id);
  }
}
