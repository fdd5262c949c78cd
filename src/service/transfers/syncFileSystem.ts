import { execFile } from 'node:child_process';

/**
 * Flushes the file system that contains a folder, if the operating system has a command to do so. Ignores failures;
 * rejects only if the signal is aborted, with its reason.
 */
export async function syncFileSystem(folder: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => execFile('sync', ['-f', folder], { signal }, () => resolve()));
  signal.throwIfAborted();
}
