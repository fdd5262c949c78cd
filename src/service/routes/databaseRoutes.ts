import type { ServedDatabase, ServedDatabases } from '../catalog/servedDatabases.ts';
import { searchParameters } from '../catalog/specificParameters.ts';
import { mustFindDatabase } from '../databases/findDatabase.ts';
import { describeRoute, type DescribedRoute } from '../http/describedRoute.ts';
import { databasePathSchema } from '../wire/requestSchemas.ts';
import { responseSchemas } from '../wire/responseSchemas.ts';

const problems = { 404: 'The database does not exist.' };

/** Creates the routes for databases: all (§4.2), one, and its search parameters (D26: service HTTP behavior). */
export function createDatabaseRoutes(apiBase: string, databases: ServedDatabases): DescribedRoute[] {
  const all = `${apiBase}/databases`;
  return [createListRoute(all, databases), ...createDatabaseRoutePair(`${all}/{database}`, databases)];
}

function createListRoute(path: string, databases: ServedDatabases): DescribedRoute {
  return describeRoute({
    method: 'GET',
    path,
    handle: () => ({ status: 200, body: databases.list().map((database) => database.document) }),
    operationId: 'listDatabases',
    tag: 'databases',
    summary: 'All databases',
    description: 'The most recently requested first.',
    success: { status: 200, description: 'All databases.', schema: responseSchemas.DatabaseList },
  });
}

function createDatabaseRoutePair(path: string, databases: ServedDatabases): DescribedRoute[] {
  const find = (nameOrId: string): ServedDatabase => mustFindDatabase(databases, nameOrId, 'path.database');
  return [
    describeRoute({
      method: 'GET',
      path,
      params: databasePathSchema,
      handle: ({ params }) => ({ status: 200, body: find(params.database).document }),
      operationId: 'getDatabase',
      tag: 'databases',
      summary: 'One database',
      description: 'Found by name or, if none has it, by id.',
      success: { status: 200, description: 'The database.', schema: responseSchemas.Database },
      problems,
    }),
    describeRoute({
      method: 'GET',
      path: `${path}/search-parameters`,
      params: databasePathSchema,
      handle: ({ params }) => {
        find(params.database);
        return { status: 200, body: searchParameters };
      },
      operationId: 'getSearchParameters',
      tag: 'databases',
      summary: 'Search parameters of a database',
      description: 'The possible fields of `specific` in a search.',
      success: { status: 200, description: 'The parameters.', schema: responseSchemas.SearchParameters },
      problems,
    }),
  ];
}
