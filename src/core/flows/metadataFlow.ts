import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import { asked } from './asked.ts';
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
  /** The asking person (§4.4). */
  orcid(): string;
}

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
    const request = { database, orcid: this.parts.orcid(), ids };
    const reply = await asked(() => session.client.fetchMetadata(request, signal));
    if (reply.value === undefined) return { files: [], reason: reply.reason };
    const reason = reply.reason ?? reply.refusedIds?.[0]?.reason;
    return { files: reply.value, ...(reason && { reason }) };
  }
}
