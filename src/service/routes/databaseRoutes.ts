import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { searchParameters } from '../catalog/specificParameters.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import type { ApiAnswer } from '../http/router.ts';
import { contractSchemas, type DescribedRoute } from '../openApi.ts';

/** The databases: all (§4.2), one, and its search parameters (D26). */
export function databaseRoutes(apiBase: string, databases: ServedDatabases): DescribedRoute[] {
  const one = `${apiBase}/databases/{database}`;
  return [
    {
      method: 'GET',
      path: `${apiBase}/databases`,
      handle: async () => await answer(databases.list().map((database) => database.document)),
      description: {
        summary: 'All databases',
        successStatus: 200,
        response: contractSchemas.databases,
        problems: [],
      },
    },
    {
      method: 'GET',
      path: one,
      handle: async ({ params }) => await answer(mustFindDatabase(databases, params['database']).document),
      description: {
        summary: 'One database, by name or id',
        successStatus: 200,
        response: contractSchemas.database,
        problems: [404],
      },
    },
    {
      method: 'GET',
      path: `${one}/search-parameters`,
      handle: async ({ params }) => {
        mustFindDatabase(databases, params['database']);
        return await answer(searchParameters);
      },
      description: {
        summary: 'What may stand in the field specific of a search',
        successStatus: 200,
        response: contractSchemas.searchParameters,
        problems: [404],
      },
    },
  ];
}

/** The database of this name or id. Throws {@link HttpProblem} 404. */
export function mustFindDatabase(databases: ServedDatabases, nameOrId: string | undefined): ServedDatabase {
  const database = databases.find(nameOrId ?? '');
  if (database === undefined) throw new HttpProblem(404, `There is no database "${nameOrId ?? ''}".`);
  return database;
}

async function answer(body: unknown): Promise<ApiAnswer> {
  return await Promise.resolve({ status: 200, body });
}
