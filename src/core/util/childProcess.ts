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

/**
 * Returns the environment for starting the local service: the variables of this process, overridden by `overrides`.
 * Sets `UV_THREADPOOL_SIZE` to 32 threads unless it is already set, because each folder whose disk hangs can occupy two
 * of the threads for asynchronous file system calls (D42: hanging disks).
 */
export function createServiceEnvironment(overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { UV_THREADPOOL_SIZE: '32', ...process.env, ...overrides };
}
