import { execFile } from 'node:child_process';

/**
 * Flushes the file system that contains a folder, if the operating system has a command for that. Ignores failures;
 * rejects only with the signal's reason.
 */
export async function syncFileSystem(folder: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => execFile('sync', ['-f', folder], { signal }, () => resolve()));
  signal.throwIfAborted();
}
