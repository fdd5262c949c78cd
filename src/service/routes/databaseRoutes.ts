import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { searchParameters } from '../catalog/specificParameters.ts';
import { mustFindDatabase } from '../databases/findDatabase.ts';
import { describedRoute, type DescribedRoute } from '../http/describedRoute.ts';
import { databasePathSchema } from '../wire/requests.ts';
import { answerSchemas } from '../wire/schemas.ts';

const problems = { 404: 'There is no such database.' };

/** The databases: all (§4.2), one, and its search parameters (D26). */
export function databaseRoutes(apiBase: string, databases: ServedDatabases): DescribedRoute[] {
  const all = `${apiBase}/databases`;
  return [listRoute(all, databases), ...oneRoutes(`${all}/{database}`, databases)];
}

function listRoute(path: string, databases: ServedDatabases): DescribedRoute {
  return describedRoute({
    method: 'GET',
    path,
    handle: () => ({ status: 200, body: databases.list().map((database) => database.document) }),
    description: {
      operationId: 'listDatabases',
      tag: 'databases',
      summary: 'All databases',
      description: 'In the order in which the service was told of them; what a lease brought last comes first.',
      success: { status: 200, description: 'All databases.', schema: answerSchemas.DatabaseList },
      problems: {},
    },
  });
}

function oneRoutes(path: string, databases: ServedDatabases): DescribedRoute[] {
  const find = (nameOrId: string): ServedDatabase => mustFindDatabase(databases, nameOrId, 'path.database');
  return [
    describedRoute({
      method: 'GET',
      path,
      params: databasePathSchema,
      handle: ({ params }) => ({ status: 200, body: find(params.database).document }),
      description: {
        operationId: 'getDatabase',
        tag: 'databases',
        summary: 'One database',
        description: 'Found by its name or its id; a name goes before an id.',
        success: { status: 200, description: 'The database.', schema: answerSchemas.Database },
        problems,
      },
    }),
    describedRoute({
      method: 'GET',
      path: `${path}/search-parameters`,
      params: databasePathSchema,
      handle: ({ params }) => {
        find(params.database);
        return { status: 200, body: searchParameters };
      },
      description: {
        operationId: 'getSearchParameters',
        tag: 'databases',
        summary: 'Search parameters of a database',
        description: 'What may stand in the field `specific` of a search.',
        success: { status: 200, description: 'The parameters.', schema: answerSchemas.SearchParameters },
        problems,
      },
    }),
  ];
}
