import type { ServedDatabase, ServedDatabases } from '../catalog/servedDatabases.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import { toQuotable } from '../http/quotable.ts';

/**
 * Returns the database with the given name or ID. Throws {@link HttpProblem} 404 if there is none; `location` is the
 * position of the field in the request.
 */
export function mustFindDatabase(databases: ServedDatabases, nameOrId: string, location: string): ServedDatabase {
  const database = databases.find(nameOrId);
  if (database !== undefined) return database;
  throw createUnknownDatabasesProblem([{ nameOrId, location }]);
}

/** Returns the two databases of a transfer. Throws an {@link HttpProblem} 404 that lists each unknown database. */
export function mustFindBoth(
  databases: ServedDatabases,
  names: { readonly source: string; readonly destination: string },
): { readonly source: ServedDatabase; readonly destination: ServedDatabase } {
  const [source, destination] = [databases.find(names.source), databases.find(names.destination)];
  if (source !== undefined && destination !== undefined) return { source, destination };
  const sides = ['source', 'destination'] as const;
  const unknown = sides.filter((side) => databases.find(names[side]) === undefined);
  throw createUnknownDatabasesProblem(unknown.map((side) => ({ nameOrId: names[side], location: `body.${side}` })));
}

function createUnknownDatabasesProblem(unknown: readonly { nameOrId: string; location: string }[]): HttpProblem {
  const errors = unknown.map(({ nameOrId, location }) => {
    return { message: `There is no database "${toQuotable(nameOrId)}".`, location };
  });
  return new HttpProblem(404, errors.map(({ message }) => message).join(' '), { errors });
}
