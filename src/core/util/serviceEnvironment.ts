/**
 * Returns the environment for the local service. Raises the number of threads for asynchronous file system calls, which
 * Node.js reads before it starts: each folder whose disk hangs occupies two of them (D42: hanging disks).
 */
export function createServiceEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { UV_THREADPOOL_SIZE: '32', ...process.env, ...more };
}
