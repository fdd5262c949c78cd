import { mustFindDatabase, type ServedDatabase, type ServedDatabases } from '../catalog/servedDatabases.ts';
import { searchParameters } from '../catalog/searchLanguage.ts';
import { describeRoute, type DescribedRoute } from '../http/router.ts';
import { databasePathSchema } from '../wire/requestSchemas.ts';
import { responseSchemas } from '../wire/responseSchemas.ts';

/** Describes a response without the requested database, in the API description. */
export const unknownDatabaseDescription = 'The database does not exist.';

const problems = { 404: unknownDatabaseDescription };

/**
 * Creates the routes for the list of databases (§4.2), a single database, its search parameters (D26: service HTTP
 * behavior), and rescans.
 */
export function createDatabaseRoutes(apiBase: string, databases: ServedDatabases): DescribedRoute[] {
  const all = `${apiBase}/databases`;
  return [
    createListRoute(all, databases),
    ...createDatabaseRoutePair(`${all}/{database}`, databases),
    createScanRoute(databases),
  ];
}

function createListRoute(path: string, databases: ServedDatabases): DescribedRoute {
  return describeRoute({
    method: 'GET',
    path,
    handle: async () => ({ status: 200, body: await Promise.all(databases.list().map(describeDatabase)) }),
    operationId: 'listDatabases',
    tag: 'databases',
    summary: 'All databases',
    description: 'The databases of the most recent lease come first.',
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
      handle: async ({ params }) => ({ status: 200, body: await describeDatabase(find(params.database)) }),
      operationId: 'getDatabase',
      tag: 'databases',
      summary: 'One database',
      description: 'Looked up by name or, if no database has that name, by ID.',
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

/** Returns a database's document. For a store, adds the state of its listing. */
async function describeDatabase({ document, catalog }: ServedDatabase): Promise<object> {
  const listing = await catalog.getListing();
  return listing === undefined ? document : { ...document, listing };
}

/** Creates the route that requests a rescan of a database (D62: stores through rclone). */
function createScanRoute(databases: ServedDatabases): DescribedRoute {
  return describeRoute({
    method: 'POST',
    path: '/databases/{database}/scans',
    params: databasePathSchema,
    handle: async ({ params }) => {
      await mustFindDatabase(databases, params.database, 'path.database').catalog.requestRescan();
      return { status: 202 };
    },
    operationId: 'scanDatabase',
    tag: 'service',
    summary: 'Scan a database again',
    description:
      'For stores, which do not report changes. The listing of the database shows the progress. Until the scan is complete, the files of the previous one are served.',
    success: { status: 202, description: 'The scan is queued.' },
    problems,
  });
}
