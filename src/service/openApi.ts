import * as z from 'zod/mini';
import { localServiceName, problemMediaType } from '../contract/contract.ts';
import type { JsonObject } from '../core/util/json.ts';
import type { DescribedRoute } from './http/router.ts';
import { toInputSchema } from './http/httpProblem.ts';
import { serviceVersion } from './version.ts';
import { requestSchemas, responseSchemas } from './wire/apiSchemas.ts';
import { wrongTokenDetail } from './http/access.ts';

const intro = [
  'Searches folders and stores that are served as databases, and transfers files between them.',
  'Every response with a body is JSON, or for a lease one JSON value per line, or the content of a file; every error is a problem document.',
  'Repeated slashes in a path count as one, and a trailing slash is ignored.',
  'Other paths return 404 (`NotFound`), and other methods 405 (`MethodNotAllowed`), both only after the host and the token are checked.',
  'At most 256 requests can wait on a connection: the next one gets 503 (`ServiceUnavailable`) after their responses, and the connection is closed.',
  'Requests for files of a database that stops being served, or while the service stops, also get 503.',
].join(' ');

const tags = [
  { name: 'service', description: 'The service itself, and sharing it among windows.' },
  { name: 'databases', description: 'The sources and destinations of transfers.' },
  { name: 'files', description: 'Search, metadata by ID, and content.' },
  { name: 'transfers', description: 'Submission, status, cancellation and pauses.' },
];

const sharingToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'The sharing token, known only to the windows that share the service.',
};

/** Builds the OpenAPI 3.1 document. JSON serialization omits its undefined members. */
export function buildOpenApiDocument(routes: readonly DescribedRoute[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = buildOperation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: localServiceName,
      version: serviceVersion,
      description: intro,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service, which listens only on the loopback interface.' }],
    tags,
    security: [{ token: [] }],
    paths,
    components: {
      schemas: buildComponentSchemas(),
      responses: problemComponents,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token, plain or in standard base64.' },
        sharingToken: routes.some(({ needsSharingToken }) => needsSharingToken) ? sharingToken : undefined,
      },
    },
  };
}

function buildOperation(route: DescribedRoute): JsonObject {
  const { operationId, summary, description, tag, success, example } = route;
  const parameters = buildAllParameters(route);
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(route.isOpen === true ? { security: [] } : {}),
    ...(route.needsSharingToken === true ? { security: [{ sharingToken: [] }] } : {}),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: route.body && { required: true, content: buildContent(route.body, example) },
    responses: {
      [success.status]: {
        description: success.description,
        headers: success.headers,
        content: buildSuccessContent(success),
      },
      ...buildProblemResponses(route),
    },
  };
}

function buildAllParameters({ params, query, requestHeaders }: DescribedRoute): JsonObject[] {
  const places = [buildParameters('path', params), buildParameters('query', query)];
  return [...places, buildParameters('header', requestHeaders)].flat();
}

function buildSuccessContent({ schema, mediaType }: DescribedRoute['success']): JsonObject | undefined {
  if (schema !== undefined) return buildContent(schema, undefined, mediaType);
  return mediaType === undefined ? undefined : { [mediaType]: {} };
}

function buildContent(schema: z.ZodMiniType, example?: JsonObject, mediaType = 'application/json'): JsonObject {
  const reference = { $ref: `#/components/schemas/${getSchemaName(schema)}` };
  return { [mediaType]: { schema: reference, example } };
}

function getSchemaName(schema: z.ZodMiniType): string {
  const entry = Object.entries({ ...requestSchemas, ...responseSchemas }).find(([, one]) => one === schema);
  if (entry === undefined) throw new RangeError('A schema of an operation has no name in the OpenAPI document.');
  return entry[0];
}

function buildParameters(location: 'path' | 'query' | 'header', schema: z.ZodMiniType | undefined): JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required } = toInputSchema(schema) as {
    properties: Readonly<Record<string, JsonObject>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: location,
    required: required?.includes(name) === true,
    description,
    ...(rest['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: rest,
  }));
}

/** Returns each schema once; nested schemas become references. */
function buildComponentSchemas(): JsonObject {
  return { ...nameSchemas(requestSchemas, 'input'), ...nameSchemas(responseSchemas, 'output') };
}

function nameSchemas(schemas: Readonly<Record<string, z.ZodMiniType>>, io: 'input' | 'output'): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: found } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` });
  // Schemas within a document need neither an `$id` nor a `$schema`.
  return Object.fromEntries(
    Object.entries(found).map(([id, { $schema, $id, ...schema }]) => [id, schema as JsonObject]),
  );
}

interface ProblemKind {
  /** The name under which the OpenAPI document defines the response. */
  readonly name: string;
  readonly description: string;
  readonly headers?: JsonObject;
}

const kinds: Readonly<Record<number, ProblemKind>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is not valid HTTP, does not have exactly one Host header, or its body is not JSON.',
  },
  401: {
    name: 'Unauthorized',
    description: wrongTokenDetail,
    headers: buildHeader('WWW-Authenticate', 'The authentication scheme.', { type: 'string', const: 'Bearer' }),
  },
  403: {
    name: 'Forbidden',
    description: 'The Host header does not name this service, or the request is from a page of another origin.',
  },
  404: { name: 'NotFound', description: 'The requested resource does not exist.' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path does not support this method.',
    headers: buildHeader('Allow', 'The allowed methods.', { type: 'string' }),
  },
  408: { name: 'RequestTimeout', description: 'The headers or the body did not arrive in time.' },
  409: { name: 'Conflict', description: 'The current state does not allow the operation.' },
  412: {
    name: 'PreconditionFailed',
    description: 'The file is not the one that `If-Match` names.',
    headers: buildHeader('ETag', 'The entity tag of the file as it is now.', { type: 'string' }),
  },
  413: { name: 'ContentTooLarge', description: 'The body is larger than 8 MiB.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not sent as application/json, or is compressed.' },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The file ends before the range.',
    headers: buildHeader('Content-Range', 'The size of the file: `bytes */1234`.', { type: 'string' }),
  },
  422: {
    name: 'UnprocessableContent',
    description: 'Fields are invalid, missing or unknown; they are listed, up to a limit.',
  },
  431: { name: 'HeadersTooLarge', description: 'The request line and headers are larger than 16 KiB.' },
  500: {
    name: 'ServerError',
    description: 'An internal error occurred, or a file or folder of the service could not be used.',
  },
  503: { name: 'ServiceUnavailable', description: 'The service is not ready.' },
};

function buildHeader(name: string, description: string, schema: JsonObject): JsonObject {
  return { [name]: { description, required: true, schema } };
}

const problemComponents: JsonObject = Object.fromEntries(
  Object.values(kinds).map(({ name, description, headers }) => [
    name,
    {
      description,
      headers,
      content: { [problemMediaType]: { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
);

const commonStatuses = [400, 403, 408, 431];
const queryStatuses = [422];
const bodyStatuses = [413, 415, 422];

function buildProblemResponses({ isOpen, query, body, problems: own = {} }: DescribedRoute): JsonObject {
  const statuses = [
    ...commonStatuses,
    ...(isOpen === true ? [] : [401]),
    ...(query === undefined ? [] : queryStatuses),
    ...(body === undefined ? [] : bodyStatuses),
    ...Object.keys(own).map(Number),
  ];
  const sorted = [...new Set(statuses)].sort((one, other) => one - other);
  return Object.fromEntries(sorted.map((status) => [status, buildReference(status, own[status])]));
}

function buildReference(status: number, meaning: string | undefined): JsonObject {
  const kind = kinds[status];
  if (kind === undefined) throw new RangeError(`No problem type is defined for status ${status}.`);
  const reference = { $ref: `#/components/responses/${kind.name}` };
  return meaning === undefined ? reference : { ...reference, description: meaning };
}
