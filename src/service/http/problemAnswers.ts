import { problemMediaType } from '../../contract/problem.ts';
import type { JsonObject } from '../../core/util/json.ts';
import type { DescribedRoute } from './describedRoute.ts';

interface ProblemKind {
  /** Its name among the responses of the OpenAPI document. */
  readonly name: string;
  readonly description: string;
  readonly headers?: JsonObject;
}

const kinds: Readonly<Record<number, ProblemKind>> = {
  400: { name: 'BadRequest', description: 'The request is not valid HTTP, has not one Host, or its body is not JSON.' },
  401: {
    name: 'Unauthorized',
    description: 'The token is missing or wrong.',
    headers: header('WWW-Authenticate', 'The scheme of the token.', { type: 'string', const: 'Bearer' }),
  },
  403: { name: 'Forbidden', description: 'The Host is not this service, or the request is that of a web page.' },
  404: { name: 'NotFound', description: 'What the request names is not there.' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path is not served by this method.',
    headers: header('Allow', 'The methods that are possible.', { type: 'string' }),
  },
  408: { name: 'RequestTimeout', description: 'The headers or the body did not arrive in time.' },
  409: { name: 'Conflict', description: 'The state of things does not allow it.' },
  413: { name: 'ContentTooLarge', description: 'The body is larger than 8 MiB.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not sent as application/json, or is compressed.' },
  422: { name: 'UnprocessableContent', description: 'Fields are wrong, missing or unknown; each is named.' },
  431: { name: 'HeadersTooLarge', description: 'The request line and headers are larger than 16 KiB.' },
  500: { name: 'ServerError', description: 'A file or folder of the service could not be used.' },
  503: { name: 'ServiceUnavailable', description: 'The service is not ready.' },
};

function header(name: string, description: string, schema: JsonObject): JsonObject {
  return { [name]: { description, required: true, schema } };
}

/** Every kind of problem, for `components.responses`. */
export const problemComponents: JsonObject = Object.fromEntries(
  Object.values(kinds).map(({ name, description, headers }) => [
    name,
    {
      description,
      ...(headers === undefined ? {} : { headers }),
      content: { [problemMediaType]: { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
);

const always = [400, 403, 408, 431];
const withQuery = [422];
const withBody = [413, 415, 422];

/** The problems that an operation can answer with, by status. */
export function problemsOf({ isOpen, query, body, description }: DescribedRoute): JsonObject {
  const own = description.problems;
  const statuses = [
    ...always,
    ...(isOpen === true ? [] : [401]),
    ...(query === undefined ? [] : withQuery),
    ...(body === undefined ? [] : withBody),
    ...Object.keys(own).map(Number),
  ];
  const sorted = [...new Set(statuses)].sort((one, other) => one - other);
  return Object.fromEntries(sorted.map((status) => [status, referenceTo(status, own[status])]));
}

function referenceTo(status: number, meaning: string | undefined): JsonObject {
  const kind = kinds[status];
  if (kind === undefined) throw new RangeError(`There is no kind of problem with status ${status}.`);
  const reference = { $ref: `#/components/responses/${kind.name}` };
  return meaning === undefined ? reference : { ...reference, description: meaning };
}
