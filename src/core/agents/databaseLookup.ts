import { catchRefusal } from '../flows/refusals.ts';
import type { OpenConnection } from '../flows/openConnections.ts';
import type { Database } from '../model/databaseModel.ts';
import { findDatabase } from '../recipes/checkRecipe.ts';
import { findNearestName } from '../recipes/nearestName.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { toDataLine } from './serverText.ts';

/** Requests the list of a service's databases. Throws {@link AgentError} if the request fails. */
export async function requestDatabases(session: OpenConnection, signal: AbortSignal): Promise<readonly Database[]> {
  const { value, reason } = await catchRefusal(() => session.client.databases(signal));
  if (reason) throw new AgentError('requestFailed', "The databases couldn't be listed.", reason);
  return value ?? [];
}

/**
 * Returns the database with this name or ID. Requests the list if the cached list doesn't contain the database, because
 * the service may have added the database since then. Throws {@link AgentError} if the databases can't be listed or if
 * there is no such database. In the latter case, the reason suggests a similar name, if there is one.
 */
export async function requireDatabase(
  { services }: AgentContext,
  session: OpenConnection,
  name: string,
  signal: AbortSignal,
): Promise<Database> {
  const { connectionStore, sessions } = services;
  const known = sessions.active === session ? findDatabase(connectionStore.listing.databases, name) : undefined;
  if (known) return known;
  const databases = await requestDatabases(session, signal);
  const found = findDatabase(databases, name);
  if (found) return found;
  const names = databases.map((one) => one.name);
  const nearest = findNearestName(name, names);
  const reason = nearest === undefined ? undefined : `The nearest name is "${toDataLine(nearest)}".`;
  throw new AgentError('notFound', `There is no database "${toDataLine(name)}"; list_databases has the names.`, reason);
}
