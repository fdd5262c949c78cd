import { execFileSync } from 'node:child_process';
import { getErrorCode } from '../../src/core/util/errorFacts.ts';

/** A process, with the ID of its parent and its command line. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function listProcesses(): RunningProcess[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return lines.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }];
  });
}

/** Returns the descendants of a process: its children, their children, and so on. */
export function listDescendants(pid: number): RunningProcess[] {
  const all = listProcesses().filter(({ command }) => !command.startsWith('ps '));
  const below = (parent: number): RunningProcess[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

/** Returns the descendants of a process that are rclone itself, not the programs that guard it. */
export function listRclones(pid: number): RunningProcess[] {
  return listDescendants(pid).filter(({ command }) => /^\S*rclone\s/.test(command));
}

/** Kills a process, unless it has ended since it was listed. */
export function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (getErrorCode(error) !== 'ESRCH') throw error;
  }
}

/** Returns true if a process with the given ID exists and the current user may signal it. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
