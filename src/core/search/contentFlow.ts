import type { FilePart } from '../client/filePart.ts';
import { catchRefusal, type OpenConnections } from '../connections/openConnections.ts';
import type { FileReference } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import { maxContentBytes } from '../util/fileContent.ts';

/** A part of a file, or the reason why it can't be read. */
type ReadPart =
  { readonly part: FilePart; readonly reason?: never } | { readonly part?: never; readonly reason: Reason };

/** Reads files that the service returns without a transfer, as the local service does. */
export class ContentFlow {
  private readonly sessions: OpenConnections;

  constructor(sessions: OpenConnections) {
    this.sessions = sessions;
  }

  /** Returns true if the connection is open and its service returns the content of files. */
  canRead(connectionId: string): boolean {
    return this.sessions.get(connectionId)?.client.service?.canReadContent === true;
  }

  /**
   * Reads up to `limit` bytes of a file, in as many requests as necessary. They belong to one version of the file: that
   * with the entity tag, or else that of the first response. A file that changes meanwhile is a reason with status 412.
   */
  async read(
    file: FileReference,
    { offset, limit, entityTag }: { readonly offset: number; readonly limit: number; readonly entityTag?: string },
    signal?: AbortSignal,
  ): Promise<ReadPart> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let tag = entityTag; ;) {
      const range = { offset: offset + size, limit: Math.min(limit - size, maxContentBytes) };
      const read = await this.readRange(file, { ...range, entityTag: tag }, signal);
      if (read.reason) return read;
      const { bytes, totalBytes } = read.part;
      pieces.push(bytes);
      size += bytes.length;
      tag = read.part.entityTag;
      if (bytes.length === 0 || size >= limit || offset + size >= totalBytes)
        return { part: { ...read.part, bytes: pieces.length === 1 ? bytes : Buffer.concat(pieces) } };
    }
  }

  private async readRange(
    { connectionId, database, id }: FileReference,
    range: { readonly offset: number; readonly limit: number; readonly entityTag?: string | undefined },
    signal: AbortSignal | undefined,
  ): Promise<ReadPart> {
    const client = this.sessions.get(connectionId)?.client;
    if (!client) return { reason: { kind: 'notConnected' } };
    const request = { databaseId: database, fileId: id, ...range };
    const { value: part, reason } = await catchRefusal(client.readContent(request, signal));
    return part ? { part } : { reason: reason ?? { kind: 'unreadable' } };
  }
}
