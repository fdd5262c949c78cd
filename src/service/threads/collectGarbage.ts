import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects the garbage of the calling thread, and returns memory that it and ended threads no longer use to the system.
 * V8 does so by itself only while a thread works, so that an idle one would keep what its last work needed.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // Undefined if another thread has switched the flag off meanwhile.
  const collect = runInNewContext('globalThis.gc') as (() => void) | undefined;
  // Threads that start with the flag start slower, and have a global function.
  setFlagsFromString('--no-expose-gc');
  collect?.();
}
