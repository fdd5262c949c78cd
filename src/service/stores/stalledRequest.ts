import { setTimeout } from 'node:timers/promises';
import type { StoreClient } from './storeClient.ts';
import { StoreError } from './storeError.ts';

const pollsPerLimit = 10;

/**
 * Sends a request. Aborts it with a {@link StoreError} if no request in its group has been active or made progress for
 * `limitMs`. Looking up objects does not count as activity. Without this limit, a request with a list of objects could
 * wait forever, because rclone 1.60 never responds if the store's server goes away.
 */
export async function abortWhenStalled<T>(
  client: StoreClient,
  request: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  limitMs: number,
): Promise<T> {
  const [stall, end] = [new AbortController(), new AbortController()];
  const abort = (): void => stall.abort(new StoreError('unreachable', 'rclone no longer responds'));
  // If polling fails, the request itself is expected to fail too.
  void waitForStall(client, limitMs, end.signal).then(abort, () => undefined);
  try {
    return await request(AbortSignal.any([signal, stall.signal]));
  } finally {
    end.abort();
  }
}

/**
 * Resolves when no request in the client's group has been active or made progress for `limitMs`. Rejects when the
 * signal aborts or polling fails.
 */
async function waitForStall(client: StoreClient, limitMs: number, signal: AbortSignal): Promise<void> {
  let previous: string | undefined;
  for (let unchanged = 0; unchanged < pollsPerLimit; unchanged += 1) {
    await setTimeout(limitMs / pollsPerLimit, undefined, { signal });
    const { isActive, progress } = await client.getStats();
    if (isActive || progress !== previous) unchanged = 0;
    previous = progress;
  }
}
