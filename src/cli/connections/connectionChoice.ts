import { toBaseAddress } from '../../core/client/serverAccess.ts';
import type { Connection } from '../../core/model/connection.ts';
import { createConnectionId } from '../../core/util/connectionId.ts';
import { createUsageError } from '../cliError.ts';
import type { GlobalOptions } from '../globalOptions.ts';
import { toPlainCell } from '../text/plainCell.ts';
import type { ConnectionsFile, FileConnection } from './connectionsFile.ts';

/**
 * Returns the connection for `--server`, otherwise the one that `--connection` names, otherwise the only one in the
 * file. Throws a usage error if the file doesn't contain the named connection, or if neither option is given and
 * the file doesn't contain exactly one connection.
 */
export function chooseConnection(
  { server, connection: name }: GlobalOptions,
  { connections }: ConnectionsFile,
): FileConnection {
  if (server !== undefined) return findByAddress(connections, server) ?? toConnection(server);
  if (name !== undefined) return findByName(connections, name);
  const [only, ...others] = connections;
  if (!only) throw createUsageError('No service was given. Use --server, or --connections with a file.');
  if (others.length > 0) throw createUsageError(`Use --connection with one of: ${listNames(connections)}.`);
  return only;
}

/**
 * Returns true if the key options apply to `connection`. They apply to the connection that `--server` or `--connection`
 * selects, or to the only one in the file. Except for local services, they also apply to other connections with the
 * same address. Throws a usage error if `--connection` names a connection that isn't in the file.
 */
export function isKeyConnection(options: GlobalOptions, file: ConnectionsFile, connection: FileConnection): boolean {
  const { server, connection: name } = options;
  if (server === undefined && name === undefined && file.connections.length !== 1) return false;
  const selected = chooseConnection(options, file);
  if (selected.id === connection.id) return true;
  const isLocal = selected.serviceFile !== undefined || connection.serviceFile !== undefined;
  return !isLocal && toAddress(selected) === toAddress(connection);
}

/** Returns the connection to which the connection ID in a transfer's record refers; undefined if the ID is unknown. */
export function findRecordConnection(
  options: GlobalOptions,
  { connections }: ConnectionsFile,
  id: string,
): FileConnection | undefined {
  const known = connections.find((connection) => connection.id === id);
  if (known) return known;
  const sameAddress = connections.find((connection) => getAddressId(connection) === id);
  if (sameAddress) return { ...sameAddress, id };
  const { server } = options;
  return server !== undefined && createConnectionId(server) === id ? toConnection(server) : undefined;
}

function getAddressId({ serviceFile, server, port }: FileConnection): string | undefined {
  return serviceFile === undefined ? createConnectionId(server, port) : undefined;
}

/** Returns the connection with this address; undefined if there is none. */
export function findByAddress(connections: readonly FileConnection[], server: string): FileConnection | undefined {
  const address = toAddress({ server });
  return connections.find((connection) => connection.serviceFile === undefined && toAddress(connection) === address);
}

const fileAdvice = 'Use --connections or DATA_TRANSFER_CONNECTIONS to name the file that contains it.';

function findByName(connections: readonly FileConnection[], name: string): FileConnection {
  const found = connections.find(({ id }) => id === name) ?? connections.find((connection) => connection.name === name);
  if (found) return found;
  const advice = connections.length > 0 ? `Connections: ${listNames(connections)}.` : fileAdvice;
  throw createUsageError(`There is no connection ${toPlainCell(name)}. ${advice}`);
}

function listNames(connections: readonly FileConnection[]): string {
  return connections.map(({ name }) => toPlainCell(name)).join(', ');
}

/**
 * Creates a connection for an address that isn't in the file. The connection's ID is the one that the extension uses
 * for this address.
 */
function toConnection(server: string): FileConnection {
  return { id: createConnectionId(server), name: toShownAddress(server), server };
}

/** Returns an address for a message. Omits the query of an invalid one, because it may contain a token. */
export function toShownAddress(server: string): string {
  return toAddress({ server }).replace(/[?#].*/s, '…');
}

/** Returns the base address of a connection; its `server` unchanged if that isn't a valid address. */
export function toAddress(connection: Pick<Connection, 'server' | 'port'>): string {
  try {
    return toBaseAddress({ ...connection, allowInsecureHttp: true });
  } catch {
    return connection.server;
  }
}
