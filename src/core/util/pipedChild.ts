import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A process whose input and output are pipes. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Returns true if a child process has pipes. If too many files are open, Node.js creates none and emits an error event.
 */
export function hasPipes(child: ChildProcess): child is PipedChild {
  return Boolean(child.stdin && child.stdout && child.stderr);
}
