import type { MetadataRequest } from '../../contract/contract.ts';
import type { LeftOutCounts } from '../../core/util/leftOut.ts';
import { findQueryMistakes, queryConditions, type QueryMistake } from '../../core/util/searchSyntax.ts';
import { toFileResource } from '../catalog/catalogFile.ts';
import type { CatalogPage } from '../catalog/catalogStore.ts';
import {
  countTerms,
  isForAllFiles,
  parseSearch,
  parseSpecific,
  searchParameters,
  type ParsedSearch,
} from '../catalog/searchLanguage.ts';
import type { CatalogSearch, SearchCursor } from '../catalog/searchSql.ts';
import type { ClusterChoice } from '../cluster/cluster.ts';
import { mustFindDatabase, type ServedDatabase, type ServedDatabases } from '../catalog/servedDatabases.ts';
import {
  createFieldProblem,
  createFieldsProblem,
  createUnknownIdsProblem,
  type FieldProblem,
} from '../http/httpProblem.ts';
import { toQuotable } from '../http/quotable.ts';
import type { StoreListingState } from '../wire/apiSchemas.ts';
import { describeRoute, type DescribedRoute, type RouteResponse } from '../http/router.ts';
import {
  databasePathSchema,
  metadataQuerySchema,
  metadataSchema,
  responseSchemas,
  searchSchema,
  type LocalSearchRequest,
} from '../wire/apiSchemas.ts';

const maxTerms = 200;
/** Maximum total length of one field's wildcard patterns. */
const maxPatternLength = 500;

const exampleOrcid = '0000-0002-1825-0097';
const unknownDatabaseDescription = 'The database does not exist.';
/** Describes the response to a request for files that can't be looked up. */
export const unavailableDescription =
  'The folder of the database cannot be read, or the folder or store is still being scanned.';
const notFoundDescription =
  'The database does not exist, or does not have all of the files; the first hundred missing ones are listed.';

/**
 * Creates the routes for databases (§4.2), their search parameters and rescans, for search (§4.3), and for metadata by
 * ID with GET and POST (§4.4, D26: service HTTP behavior).
 */
export function createDatabaseRoutes(
  apiBase: string,
  databases: ServedDatabases,
  cluster: ClusterChoice,
): DescribedRoute[] {
  return [
    ...createReadRoutes(`${apiBase}/databases`, databases, cluster),
    createScanRoute(databases),
    createSearchRoute(`${apiBase}/files`, databases),
    ...createMetadataRoutes(`${apiBase}/files/by-id`, databases),
  ];
}

function createReadRoutes(path: string, databases: ServedDatabases, cluster: ClusterChoice): DescribedRoute[] {
  const find = (nameOrId: string): ServedDatabase => mustFindDatabase(databases, nameOrId, 'path.database');
  const describe = async (database: ServedDatabase): Promise<object> => await describeDatabase(database, cluster);
  const problems = { 404: unknownDatabaseDescription };
  return [
    describeRoute({
      method: 'GET',
      path,
      handle: async () => ({ status: 200, body: await Promise.all(databases.list().map(describe)) }),
      operationId: 'listDatabases',
      tag: 'databases',
      summary: 'All databases',
      description: 'The databases of the most recent lease come first.',
      success: { status: 200, description: 'All databases.', schema: responseSchemas.DatabaseList },
    }),
    describeRoute({
      method: 'GET',
      path: `${path}/{database}`,
      params: databasePathSchema,
      handle: async ({ params }) => ({ status: 200, body: await describe(find(params.database)) }),
      operationId: 'getDatabase',
      tag: 'databases',
      summary: 'One database',
      description: 'Looked up by name or, if no database has that name, by ID.',
      success: { status: 200, description: 'The database.', schema: responseSchemas.Database },
      problems,
    }),
    describeRoute({
      method: 'GET',
      path: `${path}/{database}/search-parameters`,
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

async function describeDatabase(
  { document, location, catalog }: ServedDatabase,
  { current: cluster }: ClusterChoice,
): Promise<object> {
  const listing = await catalog.getListing();
  return {
    ...document,
    ...(listing && { listing }),
    ...(cluster && location.folder !== undefined && { cluster: { ...cluster.summary, ...cluster.minimums } }),
  };
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
    problems: { 404: unknownDatabaseDescription },
  });
}

function createSearchRoute(path: string, databases: ServedDatabases): DescribedRoute {
  return describeRoute({
    method: 'POST',
    path,
    body: searchSchema,
    handle: async ({ body }) => await runSearch(databases, body),
    operationId: 'searchFiles',
    tag: 'files',
    summary: 'Search the files of a database',
    description:
      'Results are sorted by relevance and then by path, in a stable order for offset and limit. While files come and go, page with `cursor` instead of `offset`. Without a limit, all results are returned. The first response to a search for all files, of the database or of a `folder`, has `leftOut`. Each response of a store has `listing`. An incomplete response is invalid as a whole.',
    success: { status: 200, description: 'The files found.', schema: responseSchemas.SearchResult },
    example: { database: 'Source Data', orcid: exampleOrcid, query: 'format:csv', offset: 0, limit: 100 },
    problems: { 404: unknownDatabaseDescription, 500: unavailableDescription },
  });
}

function createMetadataRoutes(path: string, databases: ServedDatabases): DescribedRoute[] {
  const success = { status: 200, description: 'The files, in the requested order.', schema: responseSchemas.FileList };
  const problems = { 404: notFoundDescription, 500: unavailableDescription };
  return [
    describeRoute({
      method: 'GET',
      path,
      query: metadataQuerySchema,
      handle: async ({ query }) => {
        const { ids, ...rest } = query;
        return await getMetadata(databases, { ...rest, file_ids: ids }, 'query');
      },
      operationId: 'getFilesById',
      tag: 'files',
      summary: 'Metadata of files, by comma-separated IDs',
      description: 'The file of a repeated ID is returned once. Use the POST form for many IDs.',
      success,
      problems,
    }),
    describeRoute({
      method: 'POST',
      path,
      body: metadataSchema,
      handle: async ({ body }) => await getMetadata(databases, body, 'body'),
      operationId: 'fetchFilesById',
      tag: 'files',
      summary: 'Metadata of files, by their IDs',
      description: 'The file of a repeated ID is returned once.',
      success,
      example: { database: 'Source Data', orcid: exampleOrcid, file_ids: ['a.csv', 'data/b.csv'] },
      problems,
    }),
  ];
}

async function runSearch(databases: ServedDatabases, request: LocalSearchRequest): Promise<RouteResponse> {
  const database = mustFindDatabase(databases, request.database, 'body.database');
  checkQuery(request.query);
  const parsed = parseSearch(request.query);
  checkCost(parsed, request.specific?.path);
  const catalogSearch: CatalogSearch = {
    search: parsed,
    filter: parseSpecific(request.specific ?? {}),
    ...(request.status === undefined ? {} : { status: request.status }),
    offset: request.offset ?? 0,
    limit: request.limit ?? Number.POSITIVE_INFINITY,
    after: request.cursor === undefined ? undefined : mustParseCursor(request.cursor),
  };
  const first = await database.catalog.search(catalogSearch);
  const leftOut = await countLeftOut(database, catalogSearch, first.files.length > 0);
  if (first.next === undefined || first.files.length === catalogSearch.limit)
    return toResponse(database, { ...first, leftOut });
  return { status: 200, pieces: streamSearch(database, catalogSearch, { ...first, leftOut }) };
}

/** A page of search results, with what the first response says beside them. */
type FirstPage = CatalogPage & { readonly leftOut?: LeftOutCounts | undefined };

/**
 * Counts what the first response to a search for all files leaves out; undefined for other responses, and for a folder
 * of which nothing is known, because it may not exist.
 */
async function countLeftOut(
  { catalog }: ServedDatabase,
  { search, filter, status, offset, after }: CatalogSearch,
  hasFiles: boolean,
): Promise<LeftOutCounts | undefined> {
  if (status !== undefined || offset > 0 || after !== undefined || !isForAllFiles(search, filter)) return undefined;
  const { folder = '' } = filter;
  const leftOut = await catalog.getLeftOut(folder);
  const isKnown = folder === '' || hasFiles || Object.keys(leftOut ?? {}).length > 0;
  return isKnown ? leftOut : undefined;
}

function mustParseCursor(text: string): SearchCursor {
  const cursor = parseCursor(text);
  if (cursor) return cursor;
  throw createFieldsProblem([createFieldProblem('body', ['cursor'], 'must be the cursor of a response to a search')]);
}

/** Throws a 422 problem that lists each mistake in a query with its position (D21: search syntax). */
function checkQuery(query: string): void {
  const mistakes = findQueryMistakes(query).map((one) => createFieldProblem('body', ['query'], describeMistake(one)));
  if (mistakes.length > 0) throw createFieldsProblem(mistakes);
}

function describeMistake({ kind, position, condition }: QueryMistake): string {
  const at = `at character ${position}`;
  switch (kind) {
    case 'openQuote':
      return `has a quotation mark ${at} that is not closed`;
    case 'badSize':
      return `has no valid size after "${condition}" ${at}: write a number and a unit, as in bytes:>1MB`;
    case 'noValue':
      return `has nothing after "${condition}" ${at}`;
    case 'unknownCondition':
      return `has an unknown condition "${toQuotable(condition)}" ${at}; the known ones are ${queryConditions.join(', ')}. To search for the words, put them in quotation marks`;
  }
}

/** Yields the response body of a search as JSON text, page by page, to limit the memory use of large results. */
async function* streamSearch(
  database: ServedDatabase,
  catalogSearch: CatalogSearch,
  first: FirstPage,
): AsyncGenerator<string> {
  const { leftOut, listing } = first;
  yield `${JSON.stringify({ database: database.document.name, leftOut, listing }).slice(0, -1)},"resources":[`;
  let remaining = catalogSearch.limit;
  for (let page = first, comma = ''; ; comma = ',') {
    if (page.files.length > 0) yield comma + page.files.map((file) => JSON.stringify(toFileResource(file))).join(',');
    remaining -= page.files.length;
    if (page.next === undefined || remaining === 0) {
      yield `]${page.next === undefined ? '' : `,"cursor":"${formatCursor(page.next)}"`}}`;
      return;
    }
    page = await database.catalog.search({ ...catalogSearch, offset: 0, limit: remaining, after: page.next });
  }
}

/** Limits the number of terms and the length of patterns, each of which is matched against each path. */
function checkCost(parsed: ParsedSearch, path: string | null | undefined): void {
  const patterns = parsed.alternatives.flat().flatMap((term) => (term.kind === 'path' ? [term.pattern] : []));
  const problems: FieldProblem[] = [];
  const report = (path: string[], message: string): void =>
    void problems.push(createFieldProblem('body', path, message));
  if (countTerms(parsed) > maxTerms) report(['query'], `must not have more than ${maxTerms} words`);
  const tooLong = `must not have patterns of more than ${maxPatternLength} characters in total`;
  if (countPatternCharacters(patterns) > maxPatternLength) report(['query'], tooLong);
  if (path && countPatternCharacters([path]) > maxPatternLength) report(['specific', 'path'], tooLong);
  if (problems.length > 0) throw createFieldsProblem(problems);
}

function countPatternCharacters(patterns: readonly string[]): number {
  return patterns.filter((pattern) => /[*?]/.test(pattern)).reduce((sum, pattern) => sum + pattern.length, 0);
}

async function getMetadata(
  databases: ServedDatabases,
  request: MetadataRequest,
  root: 'body' | 'query',
): Promise<RouteResponse> {
  const database = mustFindDatabase(databases, request.database, `${root}.database`);
  const found = await database.catalog.filesByIds(new Set(request.file_ids));
  const listing = database.location.remote === undefined ? undefined : await database.catalog.getListing();
  checkAllFound(request.file_ids, found, { root, listing });
  const offset = request.offset ?? 0;
  const files = [...found.values()].slice(offset, offset + (request.limit ?? found.size));
  return toResponse(database, { files, ...(listing && { listing }) });
}

interface IdLookup {
  readonly root: 'body' | 'query';
  readonly listing: StoreListingState | undefined;
}

/** Throws a 404 problem that lists missing files, up to a limit, instead of returning an incomplete list. */
function checkAllFound(ids: readonly string[], found: ReadonlyMap<string, unknown>, { root, listing }: IdLookup): void {
  const list = root === 'body' ? 'body.file_ids' : 'query.ids';
  const missing = new Map<string, number>();
  for (const [index, id] of ids.entries()) if (!found.has(id) && !missing.has(id)) missing.set(id, index);
  if (missing.size === 0) return;
  throw createUnknownIdsProblem(
    [...missing].map(([id, index]) => ({ id, location: root === 'body' ? `${list}.${index}` : list })),
    list,
    listing,
  );
}

function toResponse({ document }: ServedDatabase, { files, next, leftOut, listing }: FirstPage): RouteResponse {
  const cursor = next && formatCursor(next);
  const resources = files.map(toFileResource);
  return { status: 200, body: { database: document.name, resources, cursor, leftOut, listing } };
}

const pattern = /^(\d)\/(\d+)\/([-+.\de]+|-Infinity)\/(.+)$/s;

/**
 * Formats a position in the results as opaque text. The position depends only on the last file itself, so it stays
 * valid while other files come and go, and after the catalog was rebuilt (D9: paging).
 */
function formatCursor({ tier, bytes, modifiedMs, path }: SearchCursor): string {
  return Buffer.from(`${tier}/${bytes}/${modifiedMs}/${path}`).toString('base64url');
}

function parseCursor(text: string): SearchCursor | undefined {
  const [, tier, bytes, modified, path] = pattern.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const modifiedMs = Number(modified);
  if (path === undefined || Number.isNaN(modifiedMs)) return undefined;
  return { tier: Number(tier), bytes: Number(bytes), modifiedMs, path };
}
