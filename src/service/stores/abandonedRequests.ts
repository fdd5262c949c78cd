import { setTimeout } from 'node:timers/promises';
import type { StoreClient } from './storeClient.ts';

const pollMs = 50;
const defaultLimitMs = 3_000;

/**
 * Waits until rclone has finished all requests in a group. Returns false if the time limit is exceeded first. rclone
 * continues an upload even if its request was aborted, and may create the object much later. Throws {@link StoreError}
 * if rclone can't be reached.
 */
export async function waitForAbandonedRequests(
  client: StoreClient,
  group: string,
  limitMs = defaultLimitMs,
): Promise<boolean> {
  for (let waitedMs = 0; (await client.getStats(group)).isActive; waitedMs += pollMs) {
    if (waitedMs >= limitMs) return false;
    await setTimeout(pollMs);
  }
  return true;
}
