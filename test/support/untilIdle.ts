import { setImmediate, setTimeout } from 'node:timers/promises';

/** Turns of the event loop that a request over the loopback interface takes, from the call to its response. */
const requestTurns = 5;
const pendingRequest = /^(FSReq|FileHandleCloseReq|ConnectWrap|TCPConnectWrap|PipeConnectWrap)/;

/**
 * Waits between two steps of a manual clock: `pauseMs` milliseconds, for retries that use the system clock, and then
 * until this process has no pending file operation or connection attempt, however slow the machine is.
 */
export async function untilIdle(pauseMs: number): Promise<void> {
  await setTimeout(pauseMs);
  for (let quietTurns = 0; quietTurns < requestTurns;) {
    await setImmediate();
    quietTurns += 1;
    if (!process.getActiveResourcesInfo().some((name) => pendingRequest.test(name))) continue;
    quietTurns = 0;
    await setTimeout(1);
  }
}
