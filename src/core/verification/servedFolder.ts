import { fileURLToPath } from 'node:url';
import { getMachine, isLoopback, type Connection, type ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';

interface ServingConnection {
  readonly connection: Pick<Connection, 'id'>;
  readonly service: Pick<ServiceInfo, 'address'>;
}

/**
 * Returns the path of the folder that a service on this machine serves as a database. Returns undefined if the service
 * runs elsewhere, if the database isn't a folder, or if its URL has no equivalent path on this system. A path on
 * another host (`\\host\share`) is returned only for the local service, because Windows signs in to that host.
 */
export function findServedFolder(
  { connection, service }: ServingConnection,
  { url }: Pick<Database, 'url'>,
  isWindows = process.platform === 'win32',
): string | undefined {
  if (!isLoopback(new URL(service.address).hostname) || !url.startsWith('file:')) return undefined;
  try {
    const path = fileURLToPath(url, { windows: isWindows });
    return path.startsWith('\\\\') && getMachine(connection.id) === undefined ? undefined : path;
  } catch {
    return undefined;
  }
}
