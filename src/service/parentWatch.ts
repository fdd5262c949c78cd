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

/** Where a parent's end gives its children another one, as on Linux, the id tells; elsewhere the process is looked for. */
function isParent(pid: number): boolean {
  try {
    return process.ppid === pid && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
