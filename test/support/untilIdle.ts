import { setImmediate, setTimeout } from 'node:timers/promises';

/** Number of event loop turns that a request to a server in the same process takes, from the call to its response. */
const requestTurns = 10;
const pendingRequest = /^(FSReq|CloseReq|GetAddrInfoReq|ConnectWrap)/;
const limitMs = 120_000;

/**
 * Waits between two steps of a manual clock. First waits `pauseMs` milliseconds, for retries that use the system clock,
 * and then until this process has had no pending file operation or connection attempt for ten turns of the event loop.
 * Rejects if an operation or attempt is still pending after two minutes.
 */
export async function untilIdle(pauseMs: number): Promise<void> {
  await setTimeout(pauseMs);
  const end = performance.now() + limitMs;
  for (let quietTurns = 0; quietTurns < requestTurns;) {
    await setImmediate();
    quietTurns += 1;
    const pending = process.getActiveResourcesInfo().filter((name) => pendingRequest.test(name));
    if (pending.length === 0) continue;
    if (performance.now() > end) throw new Error(`Still pending: ${pending.join(', ')}`);
    quietTurns = 0;
    await setTimeout(1);
  }
}
