import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import { quotable } from '../http/quotable.ts';

/** Returns the database of a name or id, which stood at `location`. Throws {@link HttpProblem} 404. */
export function mustFindDatabase(databases: ServedDatabases, nameOrId: string, location: string): ServedDatabase {
  const database = databases.find(nameOrId);
  if (database !== undefined) return database;
  const message = `There is no database "${quotable(nameOrId)}".`;
  throw new HttpProblem(404, message, { errors: [{ message, location }] });
}
