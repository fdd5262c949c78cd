import * as z from 'zod/mini';
import { localServiceName } from '../contract/root.ts';
import type { JsonObject } from '../core/util/json.ts';
import type { DescribedRoute } from './http/describedRoute.ts';
import { inputSchemaOf } from './http/expectation.ts';
import { problemComponents, problemsOf } from './http/problemAnswers.ts';
import { serviceVersion } from './version.ts';
import { answerSchemas, requestSchemas } from './wire/schemas.ts';

const intro = [
  'Searches databases that are folders, and transfers files between them.',
  'Every answer with a body is JSON; every error is a problem document.',
  'Doubled slashes in a path count as one, and a slash at its end does not count.',
  'A path that is not described here is answered 404 (`NotFound`), and a method that is not described 405 (`MethodNotAllowed`), both only after the checks of host and token.',
].join(' ');

const tags = [
  { name: 'service', description: 'The service itself, and how several share it.' },
  { name: 'databases', description: 'What can be searched, and transferred from and to.' },
  { name: 'files', description: 'Search, and metadata by ids.' },
  { name: 'transfers', description: 'Submission, status and cancel.' },
];

const sharingToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'The sharing token, which only the windows that share the service have.',
};

/** The OpenAPI 3.1 document of the service, made from its routes and the schemas that check their fields (D26). */
export function openApiDocument(routes: readonly DescribedRoute[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: localServiceName,
      version: serviceVersion,
      description: intro,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service: it listens on loopback only.' }],
    tags,
    security: [{ token: [] }],
    paths,
    components: {
      schemas: componentSchemas(),
      responses: problemComponents,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token, plain or in standard base64.' },
        ...(routes.some(({ needsSharingToken }) => needsSharingToken) ? { sharingToken } : {}),
      },
    },
  };
}

function operationOf(route: DescribedRoute): JsonObject {
  const { operationId, summary, description, tag, success, example } = route.description;
  const parameters = [...parametersOf('path', route.params), ...parametersOf('query', route.query)];
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(route.isOpen === true ? { security: [] } : {}),
    ...(route.needsSharingToken === true ? { security: [{ sharingToken: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: contentOf(route.body, example) } }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.headers === undefined ? {} : { headers: success.headers }),
        ...(success.schema === undefined ? {} : { content: contentOf(success.schema, undefined, success.mediaType) }),
      },
      ...problemsOf(route),
    },
  };
}

function contentOf(schema: z.ZodMiniType, example?: JsonObject, mediaType = 'application/json'): JsonObject {
  const reference = { $ref: `#/components/schemas/${nameOf(schema)}` };
  return { [mediaType]: { schema: reference, ...(example === undefined ? {} : { example }) } };
}

function nameOf(schema: z.ZodMiniType): string {
  const named = Object.entries({ ...requestSchemas, ...answerSchemas }).find(([, one]) => one === schema);
  if (named === undefined) throw new RangeError('A schema of an operation has no name in the OpenAPI document.');
  return named[0];
}

function parametersOf(place: 'path' | 'query', schema: z.ZodMiniType | undefined): JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required } = inputSchemaOf(schema) as {
    properties: Readonly<Record<string, JsonObject>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required?.includes(name) === true,
    description,
    ...(rest['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: rest,
  }));
}

/** Each schema once, with references where one holds another. */
function componentSchemas(): JsonObject {
  return { ...named(requestSchemas, 'input'), ...named(answerSchemas, 'output') };
}

function named(schemas: Readonly<Record<string, z.ZodMiniType>>, io: 'input' | 'output'): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: found } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` });
  // Within a document a schema is known by its place: it needs neither an address nor a dialect of its own.
  return Object.fromEntries(
    Object.entries(found).map(([id, { $schema, $id, ...schema }]) => [id, schema as JsonObject]),
  );
}
