import type { MetadataOptions } from '../client/dataTransferClient.ts';
import type { RefusedId } from '../client/reply.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { UnsafeIds } from '../store/unsafeIds.ts';
import { asked } from './asked.ts';
import type { Session } from './sessions.ts';

/** The outcome of looking files up by their ids (§4.4, D8). */
interface LookedUp {
  readonly files: readonly FoundFile[];
  /** The ids that brought no file for a reason of their own. */
  readonly refused: readonly RefusedId[];
  /** Why the request failed as a whole. */
  readonly failure?: Reason;
}

/** Looks files up by their ids, each given once, and remembers the ids that end the connection (D37). */
export async function lookUpIds(
  session: Session,
  unsafeIds: UnsafeIds,
  request: Pick<MetadataOptions, 'database' | 'orcid' | 'ids'>,
  signal?: AbortSignal,
): Promise<LookedUp> {
  const { database, ids } = request;
  const reply = await asked(() => session.client.fetchMetadata(request, signal));
  const refused = 'refusedIds' in reply ? (reply.refusedIds ?? []) : [];
  const files = reply.value ?? [];
  // Where every id was refused there is a reason too, and yet the service has answered for each of them (D8).
  if (reply.reason && refused.length < ids.length) return { files, refused: [], failure: reply.reason };
  const dropped = refused.filter(({ reason }) => reason.kind === 'dropped');
  const unanswered = new Set(dropped.map(({ id }) => id));
  const unsafe = dropped.filter(({ reason }) => reason.isIdAtFault).map(({ id }) => id);
  const answered = ids.filter((id) => !unanswered.has(id));
  unsafeIds.note(session.connection.id, database, unsafe, answered);
  return { files, refused };
}
