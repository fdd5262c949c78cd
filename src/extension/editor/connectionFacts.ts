import type { OpenConnections } from '../../core/connections/openConnections.ts';
import { getLoginName } from '../../core/util/userIdentity.ts';
import { getForeignServiceName, getLocalServiceName } from '../words/serviceNames.ts';
import { localConnectionId } from './machine.ts';
import type { Settings } from './settings.ts';

/** Dependencies of {@link getConnectionName}. */
interface ConnectionNameSources {
  readonly settings: Settings;
  readonly sessions: OpenConnections;
}

/**
 * Returns the name of a connection, even if it was removed while it was open. Returns an empty string for an unknown
 * ID.
 */
export function getConnectionName({ settings, sessions }: ConnectionNameSources, id: string): string {
  if (id === localConnectionId) return getLocalServiceName();
  const foreign = getForeignServiceName(id);
  if (foreign !== undefined) return foreign;
  const saved = settings.connections.find((connection) => connection.id === id);
  return saved?.name ?? sessions.get(id)?.connection.name ?? '';
}

/**
 * Returns the `orcid` value for a connection's requests: the user's ORCID iD, if set. Otherwise, returns the login name
 * for the local service, which accepts any text, or an empty string for other services (D19: ORCID iD format).
 */
export function getUserId({ orcid }: Pick<Settings, 'orcid'>, connectionId: string): string {
  return orcid || (connectionId === localConnectionId ? getLoginName() : '');
}
