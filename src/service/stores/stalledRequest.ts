import { setTimeout } from 'node:timers/promises';
import type { StoreClient } from './storeClient.ts';
import { StoreError } from './storeError.ts';

const pollsPerLimit = 10;

/**
 * Sends a request, and aborts it with a {@link StoreError} once nothing in its group has progressed for the limit:
 * rclone 1.60 never answers a request with a list of objects whose server ended. Objects that rclone only looks up
 * don't count as progress.
 */
export async function abortWhenStalled<T>(
  client: StoreClient,
  request: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  limitMs: number,
): Promise<T> {
  const [stall, end] = [new AbortController(), new AbortController()];
  const abort = (): void => stall.abort(new StoreError('unreachable', 'rclone no longer responds'));
  // A watch that fails leaves the request to fail by itself.
  void waitForStall(client, limitMs, end.signal).then(abort, () => undefined);
  try {
    return await request(AbortSignal.any([signal, stall.signal]));
  } finally {
    end.abort();
  }
}

/** Resolves when nothing in the group of the client has progressed for the limit. Rejects when the signal aborts. */
async function waitForStall(client: StoreClient, limitMs: number, signal: AbortSignal): Promise<void> {
  let previous: string | undefined;
  for (let unchanged = 0; unchanged < pollsPerLimit; unchanged += 1) {
    await setTimeout(limitMs / pollsPerLimit, undefined, { signal });
    const { isActive, progress } = await client.getStats();
    if (isActive || progress !== previous) unchanged = 0;
    previous = progress;
  }
}
