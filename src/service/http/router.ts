import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import {
  createFieldProblem,
  createFieldsProblem,
  findSchema,
  HttpProblem,
  maxNamedFields,
  toFieldProblems,
  toInputSchema,
  type FieldProblem,
} from './httpProblem.ts';

/** A response that stays open and sends one JSON value per line, until either side ends it. */
export interface LineStream {
  write(value: unknown): void;
  end(): void;
  /** Calls the listener once when the stream ends, or immediately if it has already ended. */
  onEnd(listener: () => void): void;
}

/** The result of a handler, with at most one kind of body. */
export interface RouteResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Yields the JSON text of the body in chunks. Used instead of `body`. A failure aborts the response. */
  readonly pieces?: AsyncIterable<string>;
  /** The content of a file. Used instead of `body`. */
  readonly bytes?: Uint8Array;
  /** Receives the stream of a response that stays open. Used instead of `body`. */
  readonly lines?: (lines: LineStream) => void;
}

/** A route of the API, and its handler. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path pattern, for example `/api/v1/transfers/{id}`. */
  readonly path: string;
  /** True if no token is required. */
  readonly isOpen?: boolean;
  /** True if only the sharing token is accepted, not the API token (D29: shared service, D41: two secrets). */
  readonly needsSharingToken?: boolean;
  /** Validates the fields and returns the response, or throws {@link HttpProblem}. */
  readonly handle: (source: FieldSource) => Promise<RouteResponse>;
}

/** The routes of one address, one for each method. */
interface RouteMatch {
  readonly routes: readonly ApiRoute[];
  /** The `{name}` parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the routes for a path. The first match counts, so a literal path precedes a parameter that matches it. */
export function matchRoutes(routes: readonly ApiRoute[], path: string): RouteMatch | undefined {
  for (const { path: pattern } of routes) {
    const params = matchPath(pattern, path);
    if (params !== undefined) return { routes: routes.filter((route) => route.path === pattern), params };
  }
  return undefined;
}

/** Returns the route for a method. Throws {@link HttpProblem} 405 if there is none. */
export function pickRoute({ routes }: RouteMatch, method: string): ApiRoute {
  const found = routes.find((route) => route.method === method);
  if (found !== undefined) return found;
  const allow = routes.map((route) => route.method).join(', ');
  throw new HttpProblem(405, `${method} is not allowed here; allowed: ${allow}.`, { headers: { Allow: allow } });
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== value) return undefined;
      continue;
    }
    const decoded = decode(value);
    if (decoded === undefined || decoded === '') return undefined;
    params[part.slice(1, -1)] = decoded;
  }
  return params;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The description of one operation for the OpenAPI document, without its schemas. */
interface OperationDescription {
  readonly operationId: string;
  readonly tag: 'service' | 'databases' | 'files' | 'transfers';
  readonly summary: string;
  readonly description: string;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly schema?: z.ZodMiniType;
    /** Media type of the body; JSON by default. One without a schema has any content. */
    readonly mediaType?: string;
    /** OpenAPI header objects. */
    readonly headers?: JsonObject;
  };
  readonly example?: JsonObject;
  /** Describes the headers that the handler reads by itself, with the names of its fields. */
  readonly requestHeaders?: z.ZodMiniType;
  /** Error statuses with their meaning for this operation, which extend or override those common to all operations. */
  readonly problems?: Readonly<Record<number, string>>;
}

/** A route with its description for OpenAPI and the schemas of its fields. */
export interface DescribedRoute
  extends ApiRoute, OperationDescription, FieldSchemas<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType> {}

interface Operation<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>
  extends FieldSchemas<P, Q, B>, OperationDescription, Omit<ApiRoute, 'handle'> {
  readonly handle: (fields: Fields<P, Q, B>) => RouteResponse | Promise<RouteResponse>;
}

/** Creates a route whose handler receives validated fields; the same schemas describe the route in OpenAPI. */
export function describeRoute<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>(
  operation: Operation<P, Q, B>,
): DescribedRoute {
  const { handle, ...rest } = operation;
  const read = createFieldReader(operation);
  return { ...rest, handle: async (source) => await handle(await read(source)) };
}

/** The parts of a request that contain fields, before validation. */
interface FieldSource {
  /** The `{name}` parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Reads the JSON body. Throws {@link HttpProblem} if that fails. */
  readonly readBody: () => Promise<unknown>;
}

/** Schemas for the path, query and body of an operation. A part without a schema is ignored. */
interface FieldSchemas<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
}

interface Fields<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  readonly headers: IncomingHttpHeaders;
}

interface FieldContainer {
  /** Prefix of the fields' locations. */
  readonly root: 'path' | 'query' | 'body';
  readonly schema: z.ZodMiniType;
  readonly json: JsonObject;
}

/** Creates a function that reads all fields of a request, or throws a 422 problem that lists the invalid ones. */
function createFieldReader<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>(
  schemas: FieldSchemas<P, Q, B>,
): (source: FieldSource) => Promise<Fields<P, Q, B>> {
  const contain = (root: FieldContainer['root'], schema?: z.ZodMiniType): FieldContainer | undefined =>
    schema && { root, schema, json: toInputSchema(schema) };
  const path = contain('path', schemas.params);
  const query = contain('query', schemas.query);
  const body = contain('body', schemas.body);
  return async (source) => {
    const problems: FieldProblem[] = [];
    const fields = {
      params: path && checkFields(path, source.params, problems),
      query: query && checkFields(query, parseQueryFields(query, source.query, problems), problems),
      body: body && checkBody(body, await source.readBody(), problems),
      headers: source.headers,
    };
    if (problems.length > 0) throw createFieldsProblem(problems);
    // If there are no problems, each field has the type of its schema.
    return fields as Fields<P, Q, B>;
  };
}

function checkFields({ root, schema, json }: FieldContainer, value: unknown, problems: FieldProblem[]): unknown {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  problems.push(...toFieldProblems(json, value, result.error.issues, root));
  return undefined;
}

/** Checks lists of strings first: millions of invalid entries must not become millions of issues. */
function checkBody(body: FieldContainer, value: unknown, problems: FieldProblem[]): unknown {
  if (!isJsonObject(value)) return checkFields(body, value, problems);
  const checked = { ...value };
  for (const [name, list] of Object.entries(value)) {
    const items = findSchema(body.json, [name])?.['items'];
    if (!Array.isArray(list) || !isJsonObject(items) || items['type'] !== 'string') continue;
    const found = findEntryProblems(name, list);
    if (found.length === 0) continue;
    problems.push(...found);
    checked[name] = [''];
  }
  return checkFields(body, checked, problems);
}

/** Reports the entries of a list that aren't strings, up to a limit. */
function findEntryProblems(name: string, list: readonly unknown[]): FieldProblem[] {
  const wrong = [...list.keys()].filter((index) => typeof list[index] !== 'string');
  const problems = wrong
    .slice(0, maxNamedFields)
    .map((index) => createFieldProblem('body', [name, index], 'must be text'));
  const more = wrong.length - problems.length;
  return more === 0 ? problems : [...problems, { message: `and ${more} more`, location: `body.${name}` }];
}

/** Parses integers and splits lists at commas, as the schema requires. Reports repeated fields. */
function parseQueryFields(query: FieldContainer, search: URLSearchParams, problems: FieldProblem[]): JsonObject {
  const fields = Object.create(null) as JsonObject;
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const fieldSchema = findSchema(query.json, [name]);
    if (values.length > 1 && fieldSchema !== undefined)
      problems.push(createFieldProblem('query', [name], 'must be given only once'));
    const value = parseQueryValue(values[0] ?? '', fieldSchema?.['type']);
    if (value !== undefined) fields[name] = value;
  }
  return { ...fields };
}

/** An empty number counts as absent. */
function parseQueryValue(text: string, type: unknown): unknown {
  if (type === 'integer') return text === '' ? undefined : /^-?\d+$/.test(text) ? Number(text) : text;
  return type === 'array' ? text.split(',').filter((part) => part !== '') : text;
}

interface RequestTarget {
  /** The undecoded path, without repeated or trailing slashes. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Host and port from an absolute target such as `http://127.0.0.1:8080/path`, as sent to proxies. */
  readonly authority: string | undefined;
}

const absolute = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)\/?(.*)$/i;

/** Parses the target of a request line. Throws {@link HttpProblem} 400 for an absolute target that is not `http`. */
export function parseTarget(target: string): RequestTarget {
  const [, scheme, authority, rest = ''] = absolute.exec(target) ?? [];
  if (scheme !== undefined && scheme.toLowerCase() !== 'http') throw new HttpProblem(400, 'Only http is supported.');
  const local = scheme === undefined ? target : `/${rest}`;
  const queryStart = local.includes('?') ? local.indexOf('?') : local.length;
  // A client whose server address ends in a slash sends `//api/v1/files`.
  const path = local.slice(0, queryStart).replaceAll(/\/{2,}/g, '/');
  const query = new URLSearchParams(local.slice(queryStart + 1));
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path, query, authority };
}
