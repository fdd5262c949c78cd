import type { ServiceEnd } from './localService.ts';

/** Time left for requests to the file system that nobody waits for. */
const graceMs = 500;
const checkEveryMs = 10;

/**
 * Ends this process after its service. Exiting waits for every thread, and a thread that hangs in the system can't be
 * ended: then the process kills itself (D42).
 */
export async function endProcess(end: ServiceEnd): Promise<void> {
  const isClean = end === 'clean' && (await fileRequestsEnd());
  if (isClean) process.exit(0);
  process.kill(process.pid, 'SIGKILL');
}

/** Resolves with false when a request to the file system is still unanswered after {@link graceMs}. No event tells of it. */
async function fileRequestsEnd(): Promise<boolean> {
  const endAtMs = performance.now() + graceMs;
  while (process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))) {
    if (performance.now() > endAtMs) return false;
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  }
  return true;
}
