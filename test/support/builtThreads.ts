import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import workerThreads, { Worker } from 'node:worker_threads';
import { repositoryRoot } from './editor/places.ts';
import { usesBuild } from './prepared.ts';

const source = join(repositoryRoot, 'src', 'service', 'threads', 'thread.ts');
const built = join(repositoryRoot, 'dist', 'lib', 'thread.js');

/** A thread that runs the shipped program of the service's threads instead of its source. */
class BuiltWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(file === source ? built : file, options);
  }
}

type WorkerOptions = ConstructorParameters<typeof Worker>[1];

/**
 * Makes services in this process start their threads from the build if {@link usesBuild} is true. A thread takes most
 * of its time to load its modules, and the build has far fewer.
 */
export function useBuiltThreads(): void {
  if (!usesBuild) return;
  Object.assign(workerThreads, { Worker: BuiltWorker });
  syncBuiltinESMExports();
}
