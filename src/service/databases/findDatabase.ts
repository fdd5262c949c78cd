import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import { quotable } from '../http/quotable.ts';

/** Returns the database of a name or id, which stood at `location`. Throws {@link HttpProblem} 404. */
export function mustFindDatabase(databases: ServedDatabases, nameOrId: string, location: string): ServedDatabase {
  const database = databases.find(nameOrId);
  if (database !== undefined) return database;
  throw unknownDatabases([{ nameOrId, location }]);
}

/** Returns the two databases of a transfer. Throws {@link HttpProblem} 404 that names each one that is not there. */
export function mustFindBoth(
  databases: ServedDatabases,
  names: { readonly source: string; readonly destination: string },
): { readonly source: ServedDatabase; readonly destination: ServedDatabase } {
  const [source, destination] = [databases.find(names.source), databases.find(names.destination)];
  if (source !== undefined && destination !== undefined) return { source, destination };
  const unknown = [
    ...(source === undefined ? [{ nameOrId: names.source, location: 'body.source' }] : []),
    ...(destination === undefined ? [{ nameOrId: names.destination, location: 'body.destination' }] : []),
  ];
  throw unknownDatabases(unknown);
}

function unknownDatabases(unknown: readonly { nameOrId: string; location: string }[]): HttpProblem {
  const errors = unknown.map(({ nameOrId, location }) => {
    return { message: `There is no database "${quotable(nameOrId)}".`, location };
  });
  return new HttpProblem(404, errors.map(({ message }) => message).join(' '), { errors });
}
