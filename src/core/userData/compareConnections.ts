import { chooseConnectionName, type Connection } from '../model/connection.ts';
import { omit } from '../util/omit.ts';

/** A connection in a user data file, compared with the saved ones. */
export interface ConnectionComparison {
  /**
   * The connection to save, with its ID on this machine. Does not contain the environment variable that the file names.
   */
  readonly connection: Connection;
  /** The ID in the file. */
  readonly fileId: string;
  /** The saved connection with the same ID or, failing that, the same address; absent if there is none. */
  readonly saved?: Connection;
  readonly isDifferent: boolean;
  /**
   * The environment variable that the file names for the key; absent if the file names none, or if the saved connection
   * names the same one. If the variable is saved, its value will be sent to the connection's address.
   */
  readonly variable?: string;
}

/** Compares the connections in a user data file with the saved ones. */
export function compareConnections(
  connections: readonly Connection[],
  saved: readonly Connection[],
): readonly ConnectionComparison[] {
  const pairs = connections.map((given) => ({ given, match: findSaved(given, saved) }));
  const kept = pairs.flatMap(({ given, match }) => (match ? [given] : []));
  const names = new Set([...saved, ...kept].map(({ name }) => name));
  return pairs.map(({ given, match }) => compareConnection(given, match, names));
}

/**
 * Returns the connection to save, with the parts that the user selected; undefined if there is nothing to save. If the
 * user selected only the variable, adds it to the saved connection, but only if the addresses of the two connections
 * match, because the user saw the address in the file.
 */
export function selectConnection(
  { connection, saved, variable }: ConnectionComparison,
  selected: { readonly isConnectionSelected: boolean; readonly isVariableSelected: boolean },
): Connection | undefined {
  const { isConnectionSelected, isVariableSelected } = selected;
  if (!isVariableSelected || variable === undefined) return isConnectionSelected ? connection : undefined;
  if (isConnectionSelected) return { ...connection, apiKeyVariable: variable };
  return saved && hasSameAddress(saved, connection) ? { ...saved, apiKeyVariable: variable } : undefined;
}

function findSaved(given: Connection, saved: readonly Connection[]): Connection | undefined {
  return saved.find(({ id }) => id === given.id) ?? saved.find((one) => hasSameAddress(one, given));
}

function compareConnection(given: Connection, saved: Connection | undefined, names: Set<string>): ConnectionComparison {
  const connection = toSaved(given, saved, names);
  const variable = given.apiKeyVariable === saved?.apiKeyVariable ? undefined : given.apiKeyVariable;
  return {
    connection,
    fileId: given.id,
    isDifferent: saved === undefined || serialize(connection) !== serialize(saved),
    ...(saved && { saved }),
    ...(variable !== undefined && { variable }),
  };
}

/**
 * Returns the connection to save. Keeps the saved environment variable and the permission for plain HTTP only if the
 * address is the same, because both apply only to that address.
 */
function toSaved(given: Connection, saved: Connection | undefined, names: Set<string>): Connection {
  const connection = { ...omit(given, 'apiKeyVariable'), id: saved?.id ?? given.id };
  if (!saved) return { ...connection, name: reserveName(given, names) };
  if (!hasSameAddress(saved, given)) return connection;
  const { allowInsecureHttp, apiKeyVariable } = saved;
  return {
    ...connection,
    ...(allowInsecureHttp !== undefined && { allowInsecureHttp }),
    ...(apiKeyVariable !== undefined && { apiKeyVariable }),
  };
}

/** Returns a name for a new connection that differs from all `names`, and adds the name to `names`. */
function reserveName(given: Connection, names: Set<string>): string {
  const name = chooseConnectionName(given.name, given, names);
  names.add(name);
  return name;
}

function hasSameAddress(one: Connection, other: Connection): boolean {
  const normalize = ({ server, port }: Connection): string => `${server.replace(/\/+$/, '')} ${String(port)}`;
  return normalize(one) === normalize(other);
}

function serialize({ name, server, port, scheme, transport }: Connection): string {
  return JSON.stringify([name, server.replace(/\/+$/, ''), port, scheme, transport]);
}
