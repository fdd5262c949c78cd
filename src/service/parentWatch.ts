import { isRunning } from '../core/util/ownProcess.ts';

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
