import { execFile } from 'node:child_process';

/**
 * Has the system write to the disk what it still holds for the file system of a folder, so that a transfer that is told
 * to have succeeded is there after a power cut too. Resolves also where the system has no such command. Rejects with the
 * signal's reason when aborted.
 */
export async function syncFileSystem(folder: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => execFile('sync', ['-f', folder], { signal }, () => resolve()));
  signal.throwIfAborted();
}
