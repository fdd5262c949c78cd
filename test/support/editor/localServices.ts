import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

/** The contents of the local service's `service.json`. */
interface LocalService {
  readonly address: string;
  readonly token: string;
  readonly sharingToken: string;
  readonly pid: number;
}

/** Returns the local service that the windows of an editor currently share, or `undefined` if there is none. */
export async function readLocalService(dataFolder: string): Promise<LocalService | undefined> {
  const pattern = 'data/User/globalStorage/*/local-service/*/service.json';
  for await (const file of glob(pattern, { cwd: dataFolder })) {
    return JSON.parse(await readFile(join(dataFolder, file), 'utf8')) as LocalService;
  }
  return undefined;
}

/**
 * Ends the local service that an editor has started, and waits until its process is gone. Without this call, the
 * service would run for another minute.
 */
export async function endLocalServices(dataFolder: string): Promise<void> {
  const service = await readLocalService(dataFolder);
  if (!service || !sendSignal(service.pid, 'SIGTERM')) return;
  await until('the local service to end', async () => (sendSignal(service.pid, 0) ? undefined : true));
}

/**
 * Sends a signal to a process; signal 0 only checks that the process exists. Returns false if the process doesn't
 * exist or can't be signaled.
 */
export function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
