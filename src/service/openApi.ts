import * as z from 'zod/mini';
import { databaseSchema, searchParameterSchema } from '../contract/database.ts';
import { resourcesSchema } from '../contract/fileResource.ts';
import { metadataRequestSchema } from '../contract/metadata.ts';
import { problemDocumentSchema, problemMediaType } from '../contract/problem.ts';
import { rootDocumentSchema, localServiceName } from '../contract/root.ts';
import { searchRequestSchema } from '../contract/search.ts';
import { leaseLineSchema, leaseRequestSchema, serviceStateSchema } from '../contract/sharing.ts';
import { transferAcceptedSchema, transferRequestSchema, transferStatusSchema } from '../contract/transfer.ts';
import type { JsonObject } from '../core/util/json.ts';
import type { Route } from './http/router.ts';
import { serviceVersion } from './version.ts';

/** What the OpenAPI document says of one operation. */
interface OperationDescription {
  readonly summary: string;
  readonly successStatus: number;
  readonly requestBody?: z.ZodMiniType;
  readonly response?: z.ZodMiniType;
  /** The media type of the response; JSON when it is left out. */
  readonly responseType?: string;
  /** Names of parameters in the query; those that end in `?` may be left out. */
  readonly query?: readonly string[];
  /** The error statuses that can be answered, beyond 401 and 403. */
  readonly problems: readonly number[];
}

/** The schemas of the contract, by what a description needs. */
export const contractSchemas = {
  root: rootDocumentSchema,
  database: databaseSchema,
  databases: z.array(databaseSchema),
  searchParameters: z.record(z.string(), searchParameterSchema),
  resources: resourcesSchema,
  search: searchRequestSchema,
  metadata: metadataRequestSchema,
  transfer: transferRequestSchema,
  accepted: transferAcceptedSchema,
  status: transferStatusSchema,
  lease: leaseRequestSchema,
  leaseLine: leaseLineSchema,
  serviceState: serviceStateSchema,
} as const;

/** A route with its description. */
export interface DescribedRoute extends Route {
  readonly description: OperationDescription;
}

/** The OpenAPI 3.1 document of the service, made from its routes and the contract (D26). */
export function openApiDocument(routes: readonly DescribedRoute[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: localServiceName, version: serviceVersion },
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token, plain or in standard base64.' },
      },
    },
  };
}

function operation(route: DescribedRoute): JsonObject {
  const { description } = route;
  const { requestBody, response, responseType = 'application/json' } = description;
  return {
    summary: description.summary,
    security: route.isOpen === true ? [] : [{ token: [] }],
    parameters: [...pathParameters(route.path), ...(description.query ?? []).map(queryParameter)],
    ...(requestBody === undefined
      ? {}
      : { requestBody: { required: true, content: content('application/json', requestBody) } }),
    responses: {
      [description.successStatus]: {
        description: 'Success',
        ...(response === undefined ? {} : { content: content(responseType, response) }),
      },
      ...Object.fromEntries(problemStatuses(route).map((status) => [status, problemResponse()])),
    },
  };
}

function problemStatuses(route: DescribedRoute): number[] {
  const always = route.isOpen === true ? [403] : [401, 403];
  return [...new Set([...always, ...route.description.problems, 500])];
}

function problemResponse(): JsonObject {
  return { description: 'Problem', content: content(problemMediaType, problemDocumentSchema) };
}

function content(mediaType: string, schema: z.ZodMiniType): JsonObject {
  return { [mediaType]: { schema: z.toJSONSchema(schema) } };
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameter(name: string): JsonObject {
  const isNumber = name === 'offset?' || name === 'limit?';
  return {
    name: name.replace('?', ''),
    in: 'query',
    required: !name.endsWith('?'),
    schema: { type: isNumber ? 'integer' : 'string' },
  };
}
