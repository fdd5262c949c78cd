import { mustFindDatabase, type ServedDatabases } from '../catalog/servedDatabases.ts';
import { parseRange } from '../content/contentRange.ts';
import type { ContentReader } from '../content/contentReader.ts';
import type { ContentPart } from '../content/folderContent.ts';
import { createFieldsProblem, createUnknownIdsProblem, HttpProblem } from '../http/httpProblem.ts';
import { describeRoute, type DescribedRoute, type RouteResponse } from '../http/router.ts';
import { unavailableDescription } from './databaseRoutes.ts';
import { contentHeadersSchema, contentQuerySchema, databasePathSchema } from '../wire/apiSchemas.ts';

const changedDetail = 'The file has changed.';
const outsideDetail = 'The range is beyond the end of the file.';

const operation = {
  method: 'GET',
  path: '/databases/{database}/content',
  params: databasePathSchema,
  query: contentQuerySchema,
  requestHeaders: contentHeadersSchema,
  operationId: 'getContent',
  tag: 'files',
  summary: 'A range of the content of a file',
  description:
    'Only of files that a search finds. A response has at most 1 MiB; that to a longer range has its beginning. An empty file has no range. Nothing is restored from an archive, and a store may charge for what is read.',
  success: {
    status: 206,
    description: 'The range.',
    mediaType: 'application/octet-stream',
    headers: {
      ...describeHeader('Content-Range', 'The offsets of the first and the last byte, and the size of the file.'),
      ...describeHeader('ETag', 'The entity tag, of the size and the modification time, for `If-Match`.'),
      ...describeHeader('X-Content-Type-Options', 'Always `nosniff`.'),
    },
  },
  problems: {
    404: 'The database or the file does not exist.',
    409: 'The file cannot be read now; the detail gives the reason.',
    412: changedDetail,
    416: outsideDetail,
    500: unavailableDescription,
  },
} as const;

/** Creates the route for the content of a file, which is beyond the contract (D26: service HTTP behavior). */
export function createContentRoute(databases: ServedDatabases, reader: ContentReader): DescribedRoute {
  return describeRoute({
    ...operation,
    handle: async ({ params, query: { id }, headers }) => {
      const { catalog, location } = mustFindDatabase(databases, params.database, 'path.database');
      const range = parseRange(headers.range ?? '');
      if (range === undefined)
        throw createFieldsProblem([{ message: 'must be one range, such as bytes=0-65535', location: 'header.Range' }]);
      const file = (await catalog.filesByIds([id])).get(id);
      if (file === undefined) throw createUnknownIdsProblem([{ id, location: 'query.id' }], 'query.id');
      return toResponse(await reader.read(location, file.path, { range, ifMatch: headers['if-match'] }));
    },
  });
}

function describeHeader(name: string, description: string): object {
  return { [name]: { description, required: true, schema: { type: 'string' } } };
}

function toResponse(file: ContentPart): RouteResponse {
  const { totalBytes, from, content, refusal } = file;
  const headers = describeVersion(file);
  if (refusal === 'changed') throw new HttpProblem(412, changedDetail, { headers });
  if (content === undefined) {
    const size = { 'Content-Range': `bytes */${totalBytes}` };
    throw new HttpProblem(416, outsideDetail, { headers: { ...headers, ...size } });
  }
  const range = `bytes ${from}-${from + content.length - 1}/${totalBytes}`;
  return { status: 206, bytes: content, headers: { ...headers, 'Accept-Ranges': 'bytes', 'Content-Range': range } };
}

function describeVersion({ entityTag, modifiedMs = NaN }: ContentPart): Readonly<Record<string, string>> {
  const modified = new Date(modifiedMs);
  if (Number.isNaN(modified.getTime())) return { ETag: entityTag };
  return { ETag: entityTag, 'Last-Modified': modified.toUTCString() };
}
