import type { MetadataRequest } from '../../contract/metadata.ts';
import { findQueryMistakes, queryConditions, type QueryMistake } from '../../core/util/searchSyntax.ts';
import { resourceOf, type CatalogFile } from '../catalog/catalogFile.ts';
import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { parseSearch, termCount, type ParsedSearch } from '../catalog/searchLanguage.ts';
import type { SearchPage } from '../catalog/searchPage.ts';
import type { CatalogSearch } from '../catalog/searchSql.ts';
import { parseSpecific } from '../catalog/specificParameters.ts';
import { mustFindDatabase } from '../databases/findDatabase.ts';
import { describedRoute, type DescribedRoute } from '../http/describedRoute.ts';
import { wrongFields } from '../http/httpProblem.ts';
import { fieldProblemAt, type FieldProblem } from '../http/issues.ts';
import { quotable } from '../http/quotable.ts';
import type { ApiAnswer } from '../http/router.ts';
import { unknownIds } from '../http/unknownIds.ts';
import { metadataQuerySchema, metadataSchema, searchSchema, type LocalSearchRequest } from '../wire/requests.ts';
import { answerSchemas } from '../wire/schemas.ts';

const maxTerms = 200;
/** Of all patterns with wildcards together. */
const maxPatternLength = 500;

const someone = '0000-0002-1825-0097';
const away = 'The folder of the database is not there or cannot be read.';
const unknown = 'There is no such database, or it does not have all of the files; each of these is named.';

/** Search (§4.3) and metadata by ids in both forms (§4.4, D26). */
export function fileRoutes(apiBase: string, databases: ServedDatabases): DescribedRoute[] {
  return [searchRoute(apiBase, databases), ...metadataRoutes(`${apiBase}/files/by-id`, databases)];
}

function searchRoute(apiBase: string, databases: ServedDatabases): DescribedRoute {
  return describedRoute({
    method: 'POST',
    path: `${apiBase}/files`,
    body: searchSchema,
    handle: async ({ body }) => await search(databases, body),
    description: {
      operationId: 'searchFiles',
      tag: 'files',
      summary: 'Search the files of a database',
      description: `Results come by relevance and then by path, in an order that stays: offset and limit cut it exactly. Without a limit all come. Of an answer that breaks off before its end nothing counts.`,
      success: { status: 200, description: 'The files found.', schema: answerSchemas.FileList },
      example: { database: 'Source Data', orcid: someone, query: 'format:csv', offset: 0, limit: 100 },
      problems: { 404: 'There is no such database.', 500: away },
    },
  });
}

function metadataRoutes(path: string, databases: ServedDatabases): DescribedRoute[] {
  const success = { status: 200, description: 'The files, in the order asked.', schema: answerSchemas.FileList };
  const problems = { 404: unknown, 500: away };
  return [
    describedRoute({
      method: 'GET',
      path,
      query: metadataQuerySchema,
      handle: async ({ query }) => {
        const { ids, ...rest } = query;
        return await metadata(databases, { ...rest, file_ids: ids }, 'query');
      },
      description: {
        operationId: 'getFilesById',
        tag: 'files',
        summary: 'Metadata of files, by their ids joined by commas',
        description: 'An id given twice is answered once. For many ids there is the other form.',
        success,
        problems,
      },
    }),
    describedRoute({
      method: 'POST',
      path,
      body: metadataSchema,
      handle: async ({ body }) => await metadata(databases, body, 'body'),
      description: {
        operationId: 'fetchFilesById',
        tag: 'files',
        summary: 'Metadata of files, by their ids',
        description: 'An id given twice is answered once.',
        success,
        example: { database: 'Source Data', orcid: someone, file_ids: ['a.csv', 'data/b.csv'] },
        problems,
      },
    }),
  ];
}

async function search(databases: ServedDatabases, request: LocalSearchRequest): Promise<ApiAnswer> {
  const database = mustFindDatabase(databases, request.database, 'body.database');
  checkQuery(request.query);
  const parsed = parseSearch(request.query);
  checkCost(parsed, request.specific?.path);
  const wanted: CatalogSearch = {
    search: parsed,
    filter: parseSpecific(request.specific ?? {}),
    ...(request.status === undefined ? {} : { status: request.status }),
    offset: request.offset ?? 0,
    limit: request.limit ?? Number.POSITIVE_INFINITY,
  };
  const first = await database.catalog.search(wanted);
  if (first.next === undefined || first.files.length === wanted.limit) return answer(database, first.files);
  return { status: 200, pieces: searchPieces(database, wanted, first) };
}

/** Throws 422 that names each mistake in a query and its place (D21). */
function checkQuery(query: string): void {
  const mistakes = findQueryMistakes(query).map((mistake) => {
    return fieldProblemAt('body', ['query'], describeMistake(mistake));
  });
  if (mistakes.length > 0) throw wrongFields(mistakes);
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
      return `has an unknown condition "${quotable(condition)}" ${at}: known are ${queryConditions.join(', ')}; to search for the words, put them in quotation marks`;
  }
}

/** Yields the text of {@link answer}, page by page, so that a search with very many files is never held whole. */
async function* searchPieces(
  database: ServedDatabase,
  wanted: CatalogSearch,
  first: SearchPage,
): AsyncGenerator<string> {
  yield `{"database":${JSON.stringify(database.document.name)},"resources":[`;
  let left = wanted.limit;
  for (let page = first, comma = ''; ; comma = ',') {
    if (page.files.length > 0) yield comma + page.files.map((file) => JSON.stringify(resourceOf(file))).join(',');
    left -= page.files.length;
    if (page.next === undefined || left === 0) break;
    page = await database.catalog.search({ ...wanted, limit: left, after: page.next });
  }
  yield ']}';
}

/** What a search may cost: the words of its query, and the patterns, which each path is held against sign by sign. */
function checkCost(parsed: ParsedSearch, path: string | null | undefined): void {
  const patterns = parsed.alternatives.flat().flatMap((term) => (term.kind === 'path' ? [term.pattern] : []));
  const problems: FieldProblem[] = [];
  if (termCount(parsed) > maxTerms) {
    problems.push(fieldProblemAt('body', ['query'], `must not have more than ${maxTerms} words`));
  }
  const tooLong = `must not have patterns of more than ${maxPatternLength} characters`;
  if (patternLength(patterns) > maxPatternLength) problems.push(fieldProblemAt('body', ['query'], tooLong));
  if (path && patternLength([path]) > maxPatternLength) {
    problems.push(fieldProblemAt('body', ['specific', 'path'], tooLong));
  }
  if (problems.length > 0) throw wrongFields(problems);
}

function patternLength(patterns: readonly string[]): number {
  return patterns.filter((pattern) => /[*?]/.test(pattern)).reduce((sum, pattern) => sum + pattern.length, 0);
}

async function metadata(
  databases: ServedDatabases,
  request: MetadataRequest,
  root: 'body' | 'query',
): Promise<ApiAnswer> {
  const database = mustFindDatabase(databases, request.database, `${root}.database`);
  const found = await database.catalog.filesByIds(new Set(request.file_ids));
  checkAllFound(request.file_ids, found, root);
  const offset = request.offset ?? 0;
  return answer(database, [...found.values()].slice(offset, offset + (request.limit ?? found.size)));
}

/** Nothing half: a file that is not there is not left out of the answer, but named. */
function checkAllFound(ids: readonly string[], found: ReadonlyMap<string, unknown>, root: 'body' | 'query'): void {
  const list = root === 'body' ? 'body.file_ids' : 'query.ids';
  const missing = new Map<string, number>();
  for (const [index, id] of ids.entries()) if (!found.has(id) && !missing.has(id)) missing.set(id, index);
  if (missing.size === 0) return;
  throw unknownIds(
    [...missing].map(([id, index]) => ({ id, location: root === 'body' ? `${list}.${index}` : list })),
    list,
  );
}

function answer(database: ServedDatabase, files: readonly CatalogFile[]): ApiAnswer {
  return { status: 200, body: { database: database.document.name, resources: files.map(resourceOf) } };
}
