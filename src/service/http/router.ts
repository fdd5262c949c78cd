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

interface RouteMatch {
  readonly route: ApiRoute;
  /** The `{name}` parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the route for a request. Throws {@link HttpProblem}: 404 for an unknown path, 405 for an unsupported method.
 */
export function findRoute(routes: readonly ApiRoute[], method: string, path: string): RouteMatch {
  const matches = routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  const first = matches[0];
  if (first === undefined) throw new HttpProblem(404, 'There is no resource at this address.');
  // The first match counts, so a literal path must be registered before a parameter that matches it.
  const sameShape = matches.filter((match) => match.route.path === first.route.path);
  const found = sameShape.find((match) => match.route.method === method);
  if (found !== undefined) return found;
  const allow = sameShape.map((match) => match.route.method).join(', ');
  throw new HttpProblem(405, `${method} is not allowed here; allowed: ${allow}.`, { headers: { Allow: allow } });
}

/** Returns the route pattern for a path, regardless of the method; undefined for unknown paths. */
export function findPattern(routes: readonly ApiRoute[], path: string): string | undefined {
  return routes.find((route) => matchPath(route.path, path) !== undefined)?.path;
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
    /** Media type of the body; JSON by default. */
    readonly mediaType?: string;
    /** OpenAPI header objects. */
    readonly headers?: JsonObject;
  };
  readonly example?: JsonObject;
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
  /** Reads the JSON body. Throws {@link HttpProblem} if that fails. */
  readonly readBody: () => Promise<unknown>;
}

/** Schemas for the path, query and body of an operation. A part without a schema is ignored. */
interface FieldSchemas<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
}

/** The validated fields of a request. */
interface Fields<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

interface FieldContainer {
  /** Prefix of the fields' locations. */
  readonly root: 'path' | 'query' | 'body';
  readonly schema: z.ZodMiniType;
  readonly json: JsonObject;
}

/**
 * Creates a function that reads and validates all fields of a request. The function throws a 422 problem that lists the
 * invalid fields, up to a limit.
 */
function createFieldReader<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>(
  schemas: FieldSchemas<P, Q, B>,
): (source: FieldSource) => Promise<Fields<P, Q, B>> {
  const path = createContainer('path', schemas.params);
  const query = createContainer('query', schemas.query);
  const body = createContainer('body', schemas.body);
  return async (source) => {
    const problems: FieldProblem[] = [];
    const fields = {
      params: path === undefined ? undefined : checkFields(path, source.params, problems),
      query:
        query === undefined ? undefined : checkFields(query, parseQueryFields(query, source.query, problems), problems),
      body: body === undefined ? undefined : checkBody(body, await source.readBody(), problems),
    };
    if (problems.length > 0) throw createFieldsProblem(problems);
    // If there are no problems, each field has the type of its schema.
    return fields as Fields<P, Q, B>;
  };
}

function createContainer(root: FieldContainer['root'], schema: z.ZodMiniType | undefined): FieldContainer | undefined {
  return schema === undefined ? undefined : { root, schema, json: toInputSchema(schema) };
}

function checkFields({ root, schema, json }: FieldContainer, value: unknown, problems: FieldProblem[]): unknown {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  problems.push(...toFieldProblems(json, value, result.error.issues, root));
  return undefined;
}

/**
 * Validates a body. Checks its lists of strings first, because millions of invalid entries must not become millions of
 * issues.
 */
function checkBody(body: FieldContainer, value: unknown, problems: FieldProblem[]): unknown {
  if (!isJsonObject(value)) return checkFields(body, value, problems);
  const checked = { ...value };
  for (const [name, list] of Object.entries(value)) {
    if (!Array.isArray(list) || !isTextList(findSchema(body.json, [name]))) continue;
    const { indexes, more } = findWrongEntries(list);
    if (indexes.length === 0) continue;
    problems.push(...indexes.map((index) => createFieldProblem('body', [name, index], 'must be text')));
    if (more > 0) problems.push({ message: `and ${more} more`, location: `body.${name}` });
    checked[name] = [''];
  }
  return checkFields(body, checked, problems);
}

function isTextList(schema: JsonObject | undefined): boolean {
  const items = schema?.['items'];
  return isJsonObject(items) && items['type'] === 'string';
}

/** Returns the indexes of the first non-string entries, up to a limit, and the number of such entries beyond it. */
function findWrongEntries(list: readonly unknown[]): { readonly indexes: readonly number[]; readonly more: number } {
  const indexes: number[] = [];
  let more = 0;
  for (const [index, entry] of list.entries()) {
    if (typeof entry === 'string') continue;
    if (indexes.length < maxNamedFields) indexes.push(index);
    else more += 1;
  }
  return { indexes, more };
}

/**
 * Converts a query string to an object. Parses integers and splits lists at commas, as the schema requires. Reports
 * repeated fields.
 */
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

/** Converts a query parameter to the type of its schema. An empty number counts as absent. */
function parseQueryValue(text: string, type: unknown): unknown {
  if (type === 'integer') return text === '' ? undefined : /^-?\d+$/.test(text) ? Number(text) : text;
  return type === 'array' ? text.split(',').filter((part) => part !== '') : text;
}

interface RequestTarget {
  /** The undecoded path, without repeated or trailing slashes. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Host and port from an absolute target such as `http://127.0.0.1:8080/path`, as sent to proxies. */
  readonly authority?: string;
}

const absolute = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)(.*)$/i;

/** Parses the target of a request line. Throws {@link HttpProblem} 400 for an absolute target that is not `http`. */
export function parseTarget(target: string): RequestTarget {
  const [, scheme, authority, rest] = absolute.exec(target) ?? [];
  if (scheme === undefined || authority === undefined) return splitTarget(target);
  if (scheme.toLowerCase() !== 'http') throw new HttpProblem(400, 'Only http is supported.');
  return { ...splitTarget(rest?.startsWith('/') === true ? rest : `/${rest ?? ''}`), authority };
}

function splitTarget(target: string): RequestTarget {
  const queryStart = target.indexOf('?');
  if (queryStart < 0) return { path: normalizePath(target), query: new URLSearchParams() };
  return { path: normalizePath(target.slice(0, queryStart)), query: new URLSearchParams(target.slice(queryStart + 1)) };
}

/** Removes repeated and trailing slashes. A client whose server address ends in a slash sends `//api/v1/files`. */
function normalizePath(path: string): string {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}
