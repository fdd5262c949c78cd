import type { MetadataOptions } from '../client/arguments.ts';
import type { RefusedId } from '../client/reply.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { UnsafeIds } from '../store/unsafeIds.ts';
import { catchRefusal } from './refusals.ts';
import type { OpenConnection } from './openConnections.ts';

interface IdLookupResult {
  readonly files: readonly FoundFile[];
  readonly refused: readonly RefusedId[];
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
  const reply = await catchRefusal(() => session.client.fetchMetadata(request, signal));
  const refused = 'refusedIds' in reply ? (reply.refusedIds ?? []) : [];
  const files = reply.value ?? [];
  // If every ID was refused, the reply also contains a reason, although the lookup as a whole didn't fail (D8: metadata
  // by ids).
  if (reply.reason && refused.length < ids.length) return { files, refused: [], failure: reply.reason };
  const dropped = refused.filter(({ reason }) => reason.kind === 'dropped');
  const unanswered = new Set(dropped.map(({ id }) => id));
  const unsafe = dropped.filter(({ reason }) => reason.isIdAtFault).map(({ id }) => id);
  const answered = ids.filter((id) => !unanswered.has(id));
  unsafeIds.update(session.connection.id, database, unsafe, answered);
  return { files, refused };
}
