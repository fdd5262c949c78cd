import { problemMediaType } from '../../contract/problem.ts';
import type { JsonObject } from '../../core/util/json.ts';
import type { DescribedRoute } from './describedRoute.ts';

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
    description: 'The token is missing or wrong.',
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
  413: { name: 'ContentTooLarge', description: 'The body is larger than 8 MiB.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not sent as application/json, or is compressed.' },
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

/** The error responses, as OpenAPI components. */
export const problemComponents: JsonObject = Object.fromEntries(
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

/** Returns the OpenAPI responses for an operation's possible problems, keyed by status. */
export function buildProblemResponses({ isOpen, query, body, problems: own = {} }: DescribedRoute): JsonObject {
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
