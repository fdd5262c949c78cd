import { toBaseAddress } from '../../core/client/address.ts';
import type { Connection } from '../../core/model/connection.ts';
import { createUsageError } from '../cliError.ts';
import type { GlobalOptions } from '../globalOptions.ts';
import { toPlainCell } from '../text/plainCell.ts';
import type { ConnectionsFile, FileConnection } from './connectionsFile.ts';

/**
 * Returns the connection that the options name, or the only one in the file. With `id`, returns the connection of a
 * record; undefined if the options and the file don't have it.
 */
export function chooseConnection(
  { server, connection: name }: GlobalOptions,
  { connections }: ConnectionsFile,
): FileConnection {
  if (server !== undefined) return findByAddress(connections, server) ?? toConnection(server);
  if (name !== undefined) return findByName(connections, name);
  const [only, ...others] = connections;
  if (!only) throw createUsageError('No service is given. Use --server, or --connections with a file.');
  if (others.length > 0) throw createUsageError(`Use --connection with one of: ${listNames(connections)}.`);
  return only;
}

/** Returns the connection with which a record's transfer was started; undefined if it is unknown. */
export function findRecordConnection(
  options: GlobalOptions,
  { connections }: ConnectionsFile,
  id: string,
): FileConnection | undefined {
  const known = connections.find((connection) => connection.id === id);
  if (known || !/^https?:/.test(id)) return known;
  const sameAddress = findByAddress(connections, id);
  if (sameAddress) return { ...sameAddress, id };
  return options.server !== undefined && toAddress({ server: options.server }) === id
    ? toConnection(options.server)
    : undefined;
}

function findByAddress(connections: readonly FileConnection[], server: string): FileConnection | undefined {
  const address = toAddress({ server });
  return connections.find((connection) => connection.serviceFile === undefined && toAddress(connection) === address);
}

function findByName(connections: readonly FileConnection[], name: string): FileConnection {
  const found = connections.find(({ id }) => id === name) ?? connections.find((connection) => connection.name === name);
  if (found) return found;
  throw createUsageError(`There is no connection ${toPlainCell(name)}. Connections: ${listNames(connections)}.`);
}

function listNames(connections: readonly FileConnection[]): string {
  return connections.map(({ name }) => toPlainCell(name)).join(', ') || 'none';
}

/**
 * Creates a connection for an address that no file contains. The address is its ID, so that its records are found
 * again.
 */
function toConnection(server: string): FileConnection {
  const address = toAddress({ server });
  return { id: address, name: address, server };
}

function toAddress(connection: Pick<Connection, 'server' | 'port'>): string {
  try {
    return toBaseAddress({ ...connection, allowInsecureHttp: true });
  } catch {
    return connection.server;
  }
}
