import type { Sessions } from '../core/flows/sessions.ts';
import { localConnectionId } from './machine.ts';
import { foreignServiceName, localServiceName } from './serviceNames.ts';
import type { Settings } from './settings.ts';

/** Where the names of connections stand. */
export interface NamedConnections {
  readonly settings: Settings;
  readonly sessions: Sessions;
}

/** What a connection is called, also one that was forgotten while it was open. */
export function connectionName({ settings, sessions }: NamedConnections, id: string): string {
  if (id === localConnectionId) return localServiceName();
  const foreign = foreignServiceName(id);
  if (foreign !== undefined) return foreign;
  const saved = settings.connections.find((connection) => connection.id === id);
  return saved?.name ?? sessions.get(id)?.connection.name ?? '';
}
