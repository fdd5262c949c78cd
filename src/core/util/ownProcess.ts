import { hostname } from 'node:os';

/**
 * Returns true if a process runs on this machine under this user's account. A record of a process that has ended isn't
 * to be believed: another user's program can have taken its port.
 */
export function isOwnProcess(host: unknown, pid: unknown): boolean {
  if (host !== hostname() || typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
