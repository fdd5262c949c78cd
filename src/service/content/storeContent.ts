import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { StoreClient } from '../stores/storeClient.ts';
import { createCutOffError, missingCause, StoreError } from '../stores/storeError.ts';
import { findReadCause } from '../transfers/archivedFiles.ts';
import { formatEntityTag, isMatching, resolveRange } from './contentRange.ts';
import type { ContentRequest, ContentPart } from './folderContent.ts';

/** An object in a store, and the part of it to read. */
interface StoreContentRequest extends ContentRequest {
  readonly remote: string;
  /** Path relative to the remote. */
  readonly path: string;
}

/**
 * Reads a part of an object in a store, with the rclone that also serves transfers: of a slow store only what arrives
 * while `hasTime` returns true, but at least one piece. Throws a {@link StoreError}, or the reason of the signal. Never
 * restores an archived object.
 */
export async function readStoreContent(
  daemon: RcloneDaemon,
  request: StoreContentRequest,
  signal: AbortSignal,
  hasTime: () => boolean,
): Promise<ContentPart> {
  return await daemon.use(async (address) => {
    const client = new StoreClient(address, 1);
    try {
      return await readObject(client, request, signal, hasTime);
    } catch (error) {
      throw await toKnownError(daemon, request, error, signal);
    } finally {
      client.dispose();
    }
  });
}

/** Time limit for finding out why an object can't be read, so that it doesn't replace the error that is known. */
const causeLimitMs = 5_000;

async function toKnownError(
  daemon: RcloneDaemon,
  { remote, path }: StoreContentRequest,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof StoreError) || error.kind !== 'failed') return error;
  // rclone answers a read of an archived object without the cause, which a command finds out.
  const cause = await findReadCause(daemon, remote, path, AbortSignal.any([signal, AbortSignal.timeout(causeLimitMs)]));
  return cause === undefined ? error : new StoreError('refused', cause);
}

async function readObject(
  client: StoreClient,
  { remote, path, range, ifMatch }: StoreContentRequest,
  signal: AbortSignal,
  hasTime: () => boolean,
): Promise<ContentPart> {
  const object = await client.stat(remote, path, undefined, signal);
  if (object === undefined) throw new StoreError('missing', missingCause);
  const { bytes: totalBytes, modifiedMs } = object;
  const entityTag = formatEntityTag(totalBytes, String(modifiedMs ?? ''));
  const known = { entityTag, totalBytes, modifiedMs };
  if (!isMatching(ifMatch, entityTag)) return { ...known, from: 0, refusal: 'changed' };
  const resolved = resolveRange(range, totalBytes);
  if (resolved === undefined) return { ...known, from: 0, refusal: 'outside' };
  const content = await readObjectRange(client.readRange(remote, path, resolved, signal), resolved, hasTime);
  return { ...known, from: resolved.from, content };
}

async function readObjectRange(
  pieces: AsyncIterable<Buffer>,
  { from, to }: { readonly from: number; readonly to: number },
  hasTime: () => boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(to - from);
  let count = 0;
  for await (const piece of pieces) {
    content.set(piece.subarray(0, content.length - count), count);
    count = Math.min(content.length, count + piece.length);
    if (count === content.length || !hasTime()) return content.subarray(0, count);
  }
  throw createCutOffError();
}
