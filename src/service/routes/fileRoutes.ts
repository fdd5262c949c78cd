import { resourcesSchema } from '../../contract/fileResource.ts';
import { metadataRequestSchema, type MetadataRequest } from '../../contract/metadata.ts';
import { searchRequestSchema, type SearchRequest } from '../../contract/search.ts';
import { resourceOf } from '../catalog/catalogFile.ts';
import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { parseSearch, termCount } from '../catalog/searchLanguage.ts';
import { parseSpecific } from '../catalog/specificParameters.ts';
import { fieldProblem, HttpProblem } from '../http/httpProblem.ts';
import { parseBody, parseQuery } from '../http/requestBody.ts';
import type { ApiAnswer } from '../http/router.ts';
import type { DescribedRoute } from '../openApi.ts';
import { mustFindDatabase } from './databaseRoutes.ts';

/** What a search without a limit answers at most. */
const defaultLimit = 10_000;
const maxTerms = 200;

/** Search (§4.3) and metadata by ids in both forms (§4.4, D26). */
export function fileRoutes(apiBase: string, databases: ServedDatabases): DescribedRoute[] {
  const byId = `${apiBase}/files/by-id`;
  const problems = [400, 404, 422];
  const answers = { successStatus: 200, response: resourcesSchema };
  return [
    {
      method: 'POST',
      path: `${apiBase}/files`,
      handle: async ({ readBody }) => await search(databases, parseBody(searchRequestSchema, await readBody())),
      description: {
        summary: 'Search the files of a database',
        requestBody: searchRequestSchema,
        ...answers,
        problems: [...problems, 408, 413, 415],
      },
    },
    {
      method: 'GET',
      path: byId,
      handle: async ({ query }) => {
        return await metadata(databases, parseQuery(metadataRequestSchema, fieldsOf(query)), 'query');
      },
      description: {
        summary: 'The metadata of files, by their ids joined by commas',
        query: ['database', 'orcid', 'ids', 'offset?', 'limit?'],
        ...answers,
        problems,
      },
    },
    {
      method: 'POST',
      path: byId,
      handle: async ({ readBody }) => {
        return await metadata(databases, parseBody(metadataRequestSchema, await readBody()), 'body');
      },
      description: {
        summary: 'The metadata of files, by their ids',
        requestBody: metadataRequestSchema,
        ...answers,
        problems: [...problems, 408, 413, 415],
      },
    },
  ];
}

async function search(databases: ServedDatabases, request: SearchRequest): Promise<ApiAnswer> {
  checkOrcid(request.orcid, 'body');
  const database = mustFindDatabase(databases, request.database);
  const parsed = parseSearch(request.query);
  if (termCount(parsed) > maxTerms) throw new HttpProblem(400, `The query has more than ${maxTerms} words.`);
  const files = await database.catalog.search({
    search: parsed,
    filter: parseSpecific(request.specific ?? {}),
    ...(request.status === undefined ? {} : { status: request.status }),
    offset: request.offset ?? 0,
    limit: request.limit ?? defaultLimit,
  });
  return answer(database, files.map(resourceOf));
}

async function metadata(
  databases: ServedDatabases,
  request: MetadataRequest,
  root: 'body' | 'query',
): Promise<ApiAnswer> {
  checkOrcid(request.orcid, root);
  const database = mustFindDatabase(databases, request.database);
  const found = await database.catalog.filesByIds(new Set(request.file_ids));
  const offset = request.offset ?? 0;
  const page = [...found.values()].slice(offset, offset + (request.limit ?? found.size));
  return answer(database, page.map(resourceOf));
}

function answer(database: ServedDatabase, resources: readonly unknown[]): ApiAnswer {
  return { status: 200, body: { database: database.document.name, resources } };
}

/** Every file operation names a person (§1): an empty name is none. Throws {@link HttpProblem} 422. */
export function checkOrcid(orcid: string, root: 'body' | 'query'): void {
  if (orcid.trim() === '') throw fieldProblem(`${root}.orcid`, 'must not be empty');
}

/** The query string of the GET form as the fields of the POST form. */
function fieldsOf(query: URLSearchParams): Record<string, unknown> {
  const ids = (query.get('ids') ?? '').split(',').filter((id) => id !== '');
  if (ids.length === 0) throw fieldProblem('query.ids', 'must not be empty');
  return {
    ...Object.fromEntries(textFields(query)),
    file_ids: ids,
    ...numberField(query, 'offset'),
    ...numberField(query, 'limit'),
  };
}

function textFields(query: URLSearchParams): [string, string][] {
  return ['database', 'orcid'].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
}

function numberField(query: URLSearchParams, name: string): Record<string, unknown> {
  const value = query.get(name);
  if (value === null || value === '') return {};
  return { [name]: /^-?\d+$/.test(value) ? Number(value) : value };
}
