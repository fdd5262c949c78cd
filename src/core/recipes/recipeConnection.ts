import type { Connection } from '../model/connection.ts';
import { toLinkService } from '../model/link.ts';

/**
 * Returns the connection that a recipe refers to by name or address; undefined if there is none. An address is never
 * compared with names, because a service can choose the name of its connection.
 */
export function findRecipeConnection(connections: readonly Connection[], service: string): Connection | undefined {
  if (!/^https?:\/\//i.test(service)) return connections.find(({ name }) => name === service);
  const address = toLinkService({ server: service });
  if (address === undefined) return undefined;
  return connections.find((connection) => toLinkService(connection) === address);
}
