import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

/** The local service of an editor, as it tells of itself. */
interface LocalService {
  readonly address: string;
  readonly token: string;
  readonly sharingToken: string;
  readonly pid: number;
}

/** The local service that the windows of an editor share now; undefined when none runs. */
export async function localServiceOf(dataFolder: string): Promise<LocalService | undefined> {
  const pattern = 'data/User/globalStorage/*/local-service/*/service.json';
  for await (const file of glob(pattern, { cwd: dataFolder })) {
    return JSON.parse(await readFile(join(dataFolder, file), 'utf8')) as LocalService;
  }
  return undefined;
}

/** Ends the local service that an editor has started, which would outlive it for a minute. */
export async function endLocalServices(dataFolder: string): Promise<void> {
  const service = await localServiceOf(dataFolder);
  if (!service || !signal(service.pid, 'SIGTERM')) return;
  await until('the local service to end', async () => (signal(service.pid, 0) ? undefined : true));
}

/** False when there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
