import { Worker } from 'node:worker_threads';
import { isRunning } from '../core/util/ownProcess.ts';
import type { ServiceEnd } from './startService.ts';

/**
 * Time limit for the whole shutdown. Stopping the service takes at most 5 s of this time unless the main thread hangs.
 */
const maxStopMs = 5_250;
/**
 * Time limit for pending file system requests, which can be slow on a busy disk. {@link limitStop} may kill the process
 * earlier.
 */
const graceMs = 5_000;
const checkEveryMs = 10;

/**
 * Kills this process if its shutdown takes too long, for example because a hanging disk blocks the main thread (D42:
 * hanging disks).
 */
export function limitStop(): void {
  const program = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Date.now() + maxStopMs} - Date.now())`;
  new Worker(program, { eval: true }).on('error', () => undefined).unref();
}

/**
 * Exits this process after its service has stopped. Kills the process if a thread hangs in a system call (D42: hanging
 * disks).
 */
export async function endProcess(end: ServiceEnd): Promise<void> {
  const isClean = end === 'clean' && (await waitForFileRequests());
  if (isClean) process.exit(0);
  process.kill(process.pid, 'SIGKILL');
}

/**
 * Waits for pending file system requests. Returns false if some are still pending after {@link graceMs}. Polls, because
 * there is no event for their completion.
 */
async function waitForFileRequests(): Promise<boolean> {
  const endAtMs = performance.now() + graceMs;
  while (process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))) {
    if (performance.now() > endAtMs) return false;
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  }
  return true;
}

const intervalMs = 1_000;

/**
 * Calls `onDidEnd` once, when the parent process has exited. Polls, because the system doesn't notify child processes.
 */
export function watchParent(parent: number, onDidEnd: () => void): void {
  const timer = setInterval(() => {
    if (isParent(parent)) return;
    clearInterval(timer);
    onDidEnd();
  }, intervalMs);
}

/**
 * Returns true while the parent is running. On Linux and macOS, the parent process ID changes when the parent exits. On
 * Windows, the ID doesn't change, so the function also checks that the process exists.
 */
function isParent(pid: number): boolean {
  return process.ppid === pid && isRunning(pid);
}
