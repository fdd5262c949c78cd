import type { Clock } from '../core/util/clock.ts';
import type { Disposable } from '../core/util/lifetime.ts';

const intervalMs = 1_000;

/** Calls once when the process `parent`, which started this one, has ended: the system does not notify its children. */
export function watchParent(clock: Clock, parent: number, onDidEnd: () => void): Disposable {
  const check = (): Disposable =>
    clock.after(intervalMs, () => {
      if (isParent(parent)) timer = check();
      else onDidEnd();
    });
  let timer = check();
  return { dispose: () => timer.dispose() };
}

/** Returns true while the parent runs. On Linux, children of an ended process get another parent; elsewhere it is looked up. */
function isParent(pid: number): boolean {
  try {
    return process.ppid === pid && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
