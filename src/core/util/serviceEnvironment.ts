/**
 * Returns the environment for starting the local service: the variables of this process, overridden by `overrides`.
 * Sets `UV_THREADPOOL_SIZE` to 32 threads unless it is already set, because each folder whose disk hangs can occupy two
 * of the threads for asynchronous file system calls (D42: hanging disks).
 */
export function createServiceEnvironment(overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { UV_THREADPOOL_SIZE: '32', ...process.env, ...overrides };
}
